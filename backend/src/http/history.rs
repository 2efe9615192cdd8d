//! The history: pages, what its filters can take, the trend, and all of it as CSV.

use actix_web::{HttpResponse, web};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use shared::api::{RunFacets, RunPage, RunQuery, RunTrend};
use shared::people::Action;
use shared::run::RunView;
use shared::wire::name_of;

use super::State;
use super::csv;
use super::error::ApiError;
use super::rights::Routes;
use crate::store::{Store, StoreError, now};

const CSV_HEADER: &str = "run_id,created_at,started_at,ended_at,who,status,file,file_bytes,target,\
     server,database,table,engine,strategy,workers,order,index_policy,visibility,mode,rows_read,\
     rows_loaded,rows_rejected,rows_skipped,elapsed_ms,rows_per_sec,expected_ms,low_ms,high_ms,\
     error\r\n";
/// Runs that are read at once for a CSV file.
const CSV_PAGE: u32 = 500;

/// The routes of the history.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/runs", A::SeeRuns, web::get().to(list))
        .route("/runs.csv", A::SeeRuns, web::get().to(download))
        .route("/runs/facets", A::SeeRuns, web::get().to(facets))
        .route("/runs/trend", A::SeeRuns, web::get().to(trend));
}

async fn list(
    query: web::Query<RunQuery>,
    state: web::Data<State>,
) -> Result<web::Json<RunPage>, ApiError> {
    Ok(web::Json(state.store.runs(&query).await?))
}

async fn facets(state: web::Data<State>) -> Result<web::Json<RunFacets>, ApiError> {
    Ok(web::Json(state.store.run_facets().await?))
}

async fn trend(
    query: web::Query<RunQuery>,
    state: web::Data<State>,
) -> Result<web::Json<RunTrend>, ApiError> {
    Ok(web::Json(state.runs.trend(&query).await?))
}

async fn download(query: web::Query<RunQuery>, state: web::Data<State>) -> HttpResponse {
    csv::download("runs", pages(state.store.clone(), query.into_inner()))
}

/// The file, page by page. Runs that are asked for meanwhile would move the pages: they are left
/// out.
fn pages(store: Store, query: RunQuery) -> impl Stream<Item = Result<Bytes, StoreError>> {
    let first = RunQuery {
        to: query.to.clone().or_else(|| Some(now())),
        limit: Some(CSV_PAGE),
        offset: Some(0),
        ..query
    };
    unfold(Some((store, first)), |state| async move {
        let (store, mut query) = state?;
        let page = match store.runs(&query).await {
            Ok(page) => page.runs,
            Err(error) => {
                // The header is out already: cutting the answer short is all that can be done.
                tracing::error!("the history cannot be read: {error}");
                return Some((Err(error), None));
            }
        };
        let mut text = String::new();
        if query.offset == Some(0) {
            text.push_str(CSV_HEADER);
        }
        for run in &page {
            push_run(&mut text, run);
        }
        let more = page.len() == CSV_PAGE as usize;
        query.offset = query.offset.map(|offset| offset + u64::from(CSV_PAGE));
        Some((Ok(Bytes::from(text)), more.then_some((store, query))))
    })
}

fn push_run(text: &mut String, run: &RunView) {
    let choice = &run.choice;
    let number = |value: Option<u64>| value.map(|v| v.to_string()).unwrap_or_default();
    let estimate = run.estimate.as_ref();
    let cells = [
        run.run_id.clone(),
        run.created_at.clone(),
        run.started_at.clone().unwrap_or_default(),
        run.ended_at.clone().unwrap_or_default(),
        run.who.clone(),
        run.status.as_str().to_owned(),
        run.file.clone(),
        run.file_bytes.to_string(),
        run.target.clone(),
        run.server.clone(),
        run.database.clone(),
        run.table.clone(),
        choice.engine.clone(),
        choice.strategy.as_str().to_owned(),
        choice.workers.to_string(),
        name_of(&choice.order),
        name_of(&choice.index_policy),
        name_of(&choice.visibility),
        name_of(&choice.mode),
        run.rows_read.to_string(),
        run.rows_loaded.to_string(),
        run.rows_rejected.to_string(),
        run.rows_skipped.to_string(),
        run.elapsed_ms.to_string(),
        run.rows_per_sec.map(|r| format!("{r:.0}")).unwrap_or_default(),
        number(estimate.map(|e| e.expected_ms)),
        number(estimate.map(|e| e.low_ms)),
        number(estimate.map(|e| e.high_ms)),
        run.error.as_ref().map(|e| e.message.clone()).unwrap_or_default(),
    ];
    csv::push_record(text, cells.iter().map(String::as_str));
}
