//! Time against rows on scales of powers: the curve, its band, past runs, the window, the bend.

use leptos::prelude::*;
use shared::capacity::CapacityAnswer;
use shared::units;

use crate::components::More;
use crate::model::format::range_ms;
use crate::model::powers::{Powers, short, tens, times};
use crate::text::foresee as t;

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 295.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 605.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 268.0;

/// The curve of an answer and its table.
#[component]
pub fn Curve(answer: CapacityAnswer) -> impl IntoView {
    let drawn = Drawn::new(&answer);
    let table = table(&answer);
    view! {
        <svg class="chart powers" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img"
            aria-label=t::CURVE_LABEL data-testid="curve">
            {drawn.grid()}
            <polygon class="area" points=drawn.band() />
            <polyline class="curve" points=drawn.line() />
            {drawn.dots()}
            {drawn.window()}
            {drawn.bend()}
            <circle class="asked" r="5" cx=drawn.x.at(answer.rows as f64) cy=drawn.y.at(drawn.asked_ms) />
        </svg>
        <More title=t::AS_TABLE.to_owned()>{table}</More>
    }
    .into_any()
}

struct Drawn<'a> {
    answer: &'a CapacityAnswer,
    x: Powers,
    y: Powers,
    ends: [(f64, f64); 2],
    asked_ms: f64,
}

impl<'a> Drawn<'a> {
    fn new(answer: &'a CapacityAnswer) -> Self {
        let points = &answer.curve;
        let first = points.first().map_or((1.0, 1.0), |p| (p.rows as f64, p.low_ms as f64));
        let last = points.last().map_or((2.0, 2.0), |p| (p.rows as f64, p.high_ms as f64));
        let window = answer.window.as_ref().map_or(0.0, |w| w.within_ms as f64 * 1.3);
        // A window far above everything would press the curve flat.
        let top = if window < last.1 * 30.0 { last.1.max(window) } else { last.1 };
        let (rows, ms) = ((first.0, last.0), ((first.1 * 0.8).max(1.0), top * 1.2));
        let asked = answer.candidates.first().map_or(1, |c| c.estimate.expected_ms);
        Self {
            answer,
            x: Powers::new(rows, (LEFT, RIGHT)),
            y: Powers::new(ms, (BOTTOM, TOP)),
            ends: [rows, ms],
            asked_ms: asked as f64,
        }
    }

    fn points(&self, ms: impl Fn(&shared::capacity::CurvePoint) -> u64) -> Vec<String> {
        let place = |p: &shared::capacity::CurvePoint| {
            format!("{:.1},{:.1}", self.x.at(p.rows as f64), self.y.at(ms(p) as f64))
        };
        self.answer.curve.iter().map(place).collect()
    }

    fn line(&self) -> String {
        self.points(|p| p.expected_ms).join(" ")
    }

    fn band(&self) -> String {
        let mut points = self.points(|p| p.high_ms);
        points.extend(self.points(|p| p.low_ms).into_iter().rev());
        points.join(" ")
    }

    fn grid(&self) -> AnyView {
        let [(rows_low, rows_high), (ms_low, ms_high)] = self.ends;
        let across = times(ms_low, ms_high).into_iter().map(|(ms, words)| {
            let y = self.y.at(ms as f64);
            view! {
                <path class="grid" d=format!("M{LEFT} {y:.1}H{RIGHT}") />
                <text x=LEFT - 6.0 y=y + 4.0 text-anchor="end">{words}</text>
            }
        });
        let up = tens(rows_low, rows_high).into_iter().map(|rows| {
            let x = self.x.at(rows as f64);
            view! {
                <path class="grid" d=format!("M{x:.1} {TOP}V{BOTTOM}") />
                <text x=x y=HEIGHT - 8.0 text-anchor="middle">{short(rows)}</text>
            }
        });
        view! {
            {across.collect_view()}
            {up.collect_view()}
            <path class="axis" d=format!("M{LEFT} {TOP}V{BOTTOM}H{RIGHT}") />
        }
        .into_any()
    }

    fn dots(&self) -> AnyView {
        let inside = self
            .answer
            .dots
            .iter()
            .filter(|d| self.x.holds(d.rows as f64) && self.y.holds(d.ms as f64));
        inside
            .map(|d| {
                let words = format!(
                    "{}: {} rows, {}",
                    d.title,
                    units::count(d.rows),
                    units::duration_ms(d.ms)
                );
                view! {
                    <circle class="mark" r="3" cx=self.x.at(d.rows as f64) cy=self.y.at(d.ms as f64)>
                        <title>{words}</title>
                    </circle>
                }
            })
            .collect_view()
            .into_any()
    }

    fn window(&self) -> Option<AnyView> {
        let window = self.answer.window.as_ref()?;
        let ms = window.within_ms as f64;
        if !self.y.holds(ms) {
            return None;
        }
        let y = self.y.at(ms);
        let words = t::window_line(&units::duration_ms(window.within_ms));
        Some(
            view! {
                <path class="window" d=format!("M{LEFT} {y:.1}H{RIGHT}") />
                <text x=RIGHT - 3.0 y=y - 5.0 text-anchor="end">{words}</text>
            }
            .into_any(),
        )
    }

    fn bend(&self) -> Option<AnyView> {
        let bend = self.answer.bend.as_ref()?;
        let rows = bend.rows as f64;
        if !self.x.holds(rows) {
            return None;
        }
        let x = self.x.at(rows);
        let left = x > (LEFT + RIGHT) / 2.0;
        let (anchor, off) = if left { ("end", -5.0) } else { ("start", 5.0) };
        Some(
            view! {
                <path class="bend" d=format!("M{x:.1} {TOP}V{BOTTOM}") />
                <text x=x + off y=BOTTOM - 7.0 text-anchor=anchor>{t::bend_line(bend.rows)}</text>
            }
            .into_any(),
        )
    }
}

fn table(answer: &CapacityAnswer) -> AnyView {
    let rows = answer.curve.iter().step_by(2).map(|p| {
        view! {
            <tr>
                <td class="n">{units::count(p.rows)}</td>
                <td class="n">{units::duration_ms(p.expected_ms)}</td>
                <td class="n">{range_ms(p.low_ms, p.high_ms)}</td>
            </tr>
        }
    });
    view! {
        <div class="wide" tabindex="0">
            <table data-testid="curve-table">
                <thead><tr><th class="n">{t::ROWS}</th><th class="n">{t::EXPECTED}</th><th class="n">{t::RANGE}</th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
