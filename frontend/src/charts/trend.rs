//! Throughput over time: a line for each engine and strategy, told apart by colour and mark.

use leptos::prelude::*;
use shared::api::{RunTrend, TrendSeries};
use shared::units;

use crate::browser;
use crate::components::More;
use crate::model::trend::{Scale, scale};
use crate::text::{record as t, words};

/// Units across; fewer on a narrow screen, where all of them would make the words too small.
const WIDTH: f64 = 960.0;
const WIDTH_NARROW: f64 = 420.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 166.0;
/// Series that are drawn; the table has them all.
const SERIES_MAX: usize = 6;

/// The chart, its legend and its table.
#[component]
pub fn TrendChart(trend: RwSignal<RunTrend>) -> impl IntoView {
    let width = if browser::is_narrow() { WIDTH_NARROW } else { WIDTH };
    let drawn = move || {
        trend.with(|trend| {
            let place = Place { scale: scale(&trend.series), width };
            let lines = trend.series.iter().take(SERIES_MAX).enumerate();
            let lines = lines.map(|(i, s)| line(i, s, &place)).collect_view();
            view! { <g>{place.grid()}</g> <g>{lines}</g> }
        })
    };
    let legend = move || {
        trend.with(|trend| {
            let each = trend.series.iter().take(SERIES_MAX).enumerate();
            each.map(|(i, s)| {
                view! {
                    <li>
                        <svg class=format!("chart c{i}") viewBox="-6 -6 12 12" aria-hidden="true"><path class="mark" d=mark(i, 0.0, 0.0) /></svg>
                        {name(s)}
                    </li>
                }
            })
            .collect_view()
        })
    };
    view! {
        <svg class="chart" viewBox=format!("0 0 {width} {HEIGHT}") role="img" aria-label=t::TREND data-testid="trend-chart">
            {drawn}
        </svg>
        <ul class="legend">{legend}</ul>
        <More title=t::AS_TABLE.to_owned()>
            <div class="wide">
                <table>
                    <thead><tr>
                        <th>{t::TREND_WHEN}</th><th>{t::HOW}</th><th class="n">{t::TREND_RUNS}</th>
                        <th class="n">{t::ROWS_PER_SEC}</th><th class="n">{t::TREND_RANGE}</th>
                    </tr></thead>
                    <tbody>{move || trend.with(rows)}</tbody>
                </table>
            </div>
        </More>
    }
    .into_any()
}

fn name(series: &TrendSeries) -> String {
    format!("{} · {}", words::strategy_name(&series.strategy), series.engine)
}

/// Where the chart's points lie.
struct Place {
    scale: Scale,
    width: f64,
}

impl Place {
    fn x(&self, at_ms: i64) -> f64 {
        LEFT + self.scale.across(at_ms) * (self.width - LEFT - 6.0)
    }

    fn y(&self, rate: f64) -> f64 {
        BOTTOM - self.scale.up(rate) * (BOTTOM - TOP)
    }

    /// Lines at round rates; the days at both ends, of one day the times.
    fn grid(&self) -> impl IntoView + use<> {
        let width = self.width;
        let rates = self
            .scale
            .rounds()
            .into_iter()
            .map(|rate| {
                let at = self.y(rate);
                view! {
                    <path class="grid" d=format!("M{LEFT} {at:.1}H{width}") />
                    <text x=LEFT - 6.0 y=at + 4.0 text-anchor="end">{units::rows_per_sec(rate).replace(" rows/s", "")}</text>
                }
            })
            .collect_view();
        let (first, last) = (self.scale.first_ms, self.scale.last_ms);
        let one_day = browser::day(first) == browser::day(last);
        let words = if one_day { browser::time } else { browser::day };
        view! {
            {rates}
            <text x=LEFT y=HEIGHT - 4.0>{words(first)}</text>
            <text x=width y=HEIGHT - 4.0 text-anchor="end">{words(last)}</text>
        }
    }
}

fn line(i: usize, series: &TrendSeries, place: &Place) -> impl IntoView + use<> {
    let mut curve = String::new();
    let mut marks = String::new();
    let mut ranges = String::new();
    for (n, p) in series.points.iter().enumerate() {
        let (px, py) = (place.x(p.at_ms), place.y(p.rows_per_sec));
        curve.push_str(&format!("{}{px:.1} {py:.1}", if n == 0 { 'M' } else { 'L' }));
        marks.push_str(&mark(i, px, py));
        if p.runs > 1 {
            ranges.push_str(&format!("M{px:.1} {:.1}V{:.1}", place.y(p.low), place.y(p.high)));
        }
    }
    view! {
        <g class=format!("c{i}")>
            <path class="range" d=ranges />
            <path class="curve thin" d=curve />
            <path class="mark" d=marks />
        </g>
    }
}

/// Circle, square, triangle, diamond, cross, bar: colour alone tells nothing to some.
fn mark(i: usize, x: f64, y: f64) -> String {
    match i % SERIES_MAX {
        0 => format!("M{:.1} {y:.1}a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0Z", x - 3.2),
        1 => format!("M{:.1} {:.1}h5.6v5.6h-5.6Z", x - 2.8, y - 2.8),
        2 => format!("M{x:.1} {:.1}l3.8 6.4h-7.6Z", y - 4.0),
        3 => format!("M{x:.1} {:.1}l4 4-4 4-4-4Z", y - 4.0),
        4 => format!("M{:.1} {:.1}h2.4v2h2v2.4h-2v2h-2.4v-2h-2v-2.4h2Z", x - 1.2, y - 3.2),
        _ => format!("M{:.1} {:.1}h7v2.4h-7Z", x - 3.5, y - 1.2),
    }
}

/// The newest first, a screenful.
fn rows(trend: &RunTrend) -> impl IntoView + use<> {
    let mut all: Vec<_> =
        trend.series.iter().flat_map(|s| s.points.iter().map(move |p| (s, p))).collect();
    all.sort_by_key(|(_, p)| std::cmp::Reverse(p.at_ms));
    all.into_iter()
        .take(60)
        .map(|(s, p)| {
            let when = browser::day(p.at_ms);
            let when = match &p.run_id {
                Some(id) => view! { <a href=format!("/runs/{id}")>{when}</a> }.into_any(),
                None => when.into_any(),
            };
            let range = (p.runs > 1).then(|| {
                format!("{} – {}", units::count(p.low as u64), units::count(p.high as u64))
            });
            view! {
                <tr>
                    <td class="nowrap">{when}</td>
                    <td>{name(s)}</td>
                    <td class="n">{units::count(p.runs)}</td>
                    <td class="n">{units::count(p.rows_per_sec as u64)}</td>
                    <td class="n">{range}</td>
                </tr>
            }
        })
        .collect_view()
}
