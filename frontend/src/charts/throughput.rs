//! Rows a second over time.

use leptos::prelude::*;
use shared::run::CurvePoint;
use shared::units;

use crate::components::More;
use crate::model::series::{Series, round_up};
use crate::text::record as t;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 132.0;
const LEFT: f64 = 4.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 114.0;

/// The curve and its table.
#[component]
pub fn Throughput(#[prop(into)] series: Signal<Series>) -> impl IntoView {
    let paths = Memo::new(move |_| series.with(draw));
    view! {
        <svg class="chart" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img"
            aria-label=t::THROUGHPUT_LABEL data-testid="throughput">
            <path class="grid" d=format!("M{LEFT} {TOP}H{WIDTH}M{LEFT} {}H{WIDTH}", (TOP + BOTTOM) / 2.0) />
            <path class="axis" d=format!("M{LEFT} {BOTTOM}H{WIDTH}") />
            <path class="area" d=move || paths.with(|p| p.area.clone()) />
            <path class="curve" d=move || paths.with(|p| p.line.clone()) />
            <text x=LEFT y=TOP - 6.0>{move || paths.with(|p| units::rows_per_sec(p.top))}</text>
            <text x=LEFT y=HEIGHT - 3.0>"0 s"</text>
            <text x=WIDTH y=HEIGHT - 3.0 text-anchor="end">
                {move || paths.with(|p| units::duration_ms(p.end_ms))}
            </text>
        </svg>
        <More title=t::AS_TABLE.to_owned()>
            <div class="wide">
                <table>
                    <thead><tr><th class="n">{t::ELAPSED}</th><th class="n">{t::ROWS_PER_SEC}</th><th class="n">{t::BYTES_PER_SEC}</th></tr></thead>
                    <tbody>{move || series.with(rows)}</tbody>
                </table>
            </div>
        </More>
    }
    .into_any()
}

/// The curves of two runs on one pair of axes.
#[component]
pub fn CurvePair(a: Vec<CurvePoint>, b: Vec<CurvePoint>) -> impl IntoView {
    let (a, b) = (Series::from_curve(&a), Series::from_curve(&b));
    if !a.is_worth_drawing() && !b.is_worth_drawing() {
        return view! { <p class="dim">{t::NO_THROUGHPUT}</p> }.into_any();
    }
    let top = round_up(a.peak_rows_per_sec().max(b.peak_rows_per_sec()));
    let end_ms = end_of(&a).max(end_of(&b));
    let (a, b) = (draw_on(&a, top, end_ms), draw_on(&b, top, end_ms));
    view! {
        <svg class="chart" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img"
            aria-label=t::THROUGHPUT_LABEL data-testid="curve-pair">
            <path class="grid" d=format!("M{LEFT} {TOP}H{WIDTH}M{LEFT} {}H{WIDTH}", (TOP + BOTTOM) / 2.0) />
            <path class="axis" d=format!("M{LEFT} {BOTTOM}H{WIDTH}") />
            <g class="side-a"><path class="area" d=a.area /><path class="curve" d=a.line /></g>
            <g class="side-b"><path class="area" d=b.area /><path class="curve dash" d=b.line /></g>
            <text x=LEFT y=TOP - 6.0>{units::rows_per_sec(top)}</text>
            <text x=LEFT y=HEIGHT - 3.0>"0 s"</text>
            <text x=WIDTH y=HEIGHT - 3.0 text-anchor="end">{units::duration_ms(end_ms)}</text>
        </svg>
    }
    .into_any()
}

fn end_of(series: &Series) -> u64 {
    series.points().last().map_or(0, |p| p.at_ms)
}

#[derive(Clone, PartialEq)]
struct Paths {
    line: String,
    area: String,
    top: f64,
    end_ms: u64,
}

fn draw(series: &Series) -> Paths {
    draw_on(series, round_up(series.peak_rows_per_sec()), end_of(series))
}

fn draw_on(series: &Series, top: f64, end_ms: u64) -> Paths {
    let points = series.points();
    let x = |ms: u64| LEFT + ms as f64 / end_ms.max(1) as f64 * (WIDTH - LEFT);
    let y = |rate: f64| BOTTOM - rate / top * (BOTTOM - TOP);
    let mut line = String::new();
    for (i, p) in points.iter().enumerate() {
        let sign = if i == 0 { 'M' } else { 'L' };
        line.push_str(&format!("{sign}{:.1} {:.1}", x(p.at_ms), y(p.rows_per_sec)));
    }
    let area = match points.first() {
        Some(first) => format!("{line}V{BOTTOM}H{:.1}Z", x(first.at_ms)),
        None => String::new(),
    };
    Paths { line, area, top, end_ms }
}

/// About a dozen lines: a table to read, not to scroll.
fn rows(series: &Series) -> impl IntoView + use<> {
    let points = series.points();
    let every = points.len().div_ceil(12).max(1);
    points
        .iter()
        .step_by(every)
        .map(|p| {
            view! {
                <tr>
                    <td class="n">{units::duration_ms(p.at_ms)}</td>
                    <td class="n">{units::count(p.rows_per_sec as u64)}</td>
                    <td class="n">{units::bytes_per_sec(p.bytes_per_sec)}</td>
                </tr>
            }
        })
        .collect_view()
}
