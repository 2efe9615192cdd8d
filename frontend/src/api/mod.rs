//! The only HTTP client of the dashboard. Every failure comes back as an [`ErrorBody`] that says
//! what to do.

pub mod events;
pub mod tus;

use gloo_net::http::{Method, Request, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::api::{
    About, CheckAnswer, Databases, FolderView, NewSource, PlanRequest, ProfileAnswer,
    ProfileRequest, RejectPage, RunPage, RunQuery, SourceView,
};
use shared::capacity::{CapacityAnswer, CapacityRequest, CheckedEstimates, LeaveOut};
use shared::plan::PlanView;
use shared::run::RunView;
use shared::target::{Capabilities, NewTarget, TableFacts, TableSummary, TargetView};
use shared::trial::{TrialPage, TrialRequest, TrialView};
use shared::{ErrorBody, ErrorCode};

use crate::model::query::{encode, to_search};
use crate::text;

/// Where the API lives.
pub const BASE: &str = "/api/v1";

/// An answer or a sentence.
pub type Answer<T> = Result<T, ErrorBody>;

/// Whether an error means that the service was not there at all.
pub fn is_away(error: &ErrorBody) -> bool {
    error.message == text::SERVICE_AWAY_SHORT
}

fn away() -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, text::SERVICE_AWAY_SHORT).with_hint(text::SERVICE_AWAY_HINT)
}

fn odd() -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, text::ODD_ANSWER).with_hint(text::ODD_ANSWER_HINT)
}

/// The error of a refused answer: its body, or a sentence about its status.
pub(crate) fn refusal(status: u16, body: &str) -> ErrorBody {
    if let Ok(error) = serde_json::from_str::<ErrorBody>(body) {
        return error;
    }
    if matches!(status, 502..=504) {
        return away();
    }
    ErrorBody::new(ErrorCode::Internal, text::bare_status(status)).with_hint(text::BARE_STATUS_HINT)
}

async fn taken(response: Result<Response, gloo_net::Error>) -> Answer<String> {
    let response = response.map_err(|_| away())?;
    let body = response.text().await.map_err(|_| away())?;
    if response.ok() { Ok(body) } else { Err(refusal(response.status(), &body)) }
}

async fn call<T: DeserializeOwned>(request: RequestBuilder) -> Answer<T> {
    let body = taken(request.send().await).await?;
    serde_json::from_str(&body).map_err(|_| odd())
}

async fn get<T: DeserializeOwned>(path: &str) -> Answer<T> {
    call(Request::get(&format!("{BASE}{path}"))).await
}

async fn post<B: Serialize, T: DeserializeOwned>(path: &str, body: &B) -> Answer<T> {
    let request = Request::post(&format!("{BASE}{path}")).json(body).map_err(|_| odd())?;
    let body = taken(request.send().await).await?;
    serde_json::from_str(&body).map_err(|_| odd())
}

async fn bare(method: Method, path: &str) -> Answer<()> {
    let request = RequestBuilder::new(&format!("{BASE}{path}")).method(method);
    taken(request.send().await).await.map(|_| ())
}

/// `GET /about`.
pub async fn about() -> Answer<About> {
    get("/about").await
}

/// `GET /targets`.
pub async fn targets() -> Answer<Vec<TargetView>> {
    get("/targets").await
}

/// `POST /targets`.
pub async fn add_target(target: &NewTarget) -> Answer<TargetView> {
    post("/targets", target).await
}

/// `POST /targets/test`: what a connection would find.
pub async fn test_target(target: &NewTarget) -> Answer<Capabilities> {
    post("/targets/test", target).await
}

/// `DELETE /targets/{id}`.
pub async fn delete_target(id: &str) -> Answer<()> {
    bare(Method::DELETE, &format!("/targets/{}", encode(id))).await
}

/// `GET /targets/{id}/capabilities`.
pub async fn capabilities(id: &str) -> Answer<Capabilities> {
    get(&format!("/targets/{}/capabilities", encode(id))).await
}

/// `GET /targets/{id}/databases`.
pub async fn databases(id: &str) -> Answer<Vec<String>> {
    get::<Databases>(&format!("/targets/{}/databases", encode(id))).await.map(|d| d.databases)
}

/// `GET /targets/{id}/databases/{db}/tables`.
pub async fn tables(id: &str, database: &str) -> Answer<Vec<TableSummary>> {
    get(&format!("/targets/{}/databases/{}/tables", encode(id), encode(database))).await
}

/// `GET /targets/{id}/databases/{db}/tables/{table}`.
pub async fn table(id: &str, database: &str, table: &str) -> Answer<TableFacts> {
    let (id, database, table) = (encode(id), encode(database), encode(table));
    get(&format!("/targets/{id}/databases/{database}/tables/{table}")).await
}

/// `GET /sources/{id}`.
pub async fn source(id: &str) -> Answer<SourceView> {
    get(&format!("/sources/{}", encode(id))).await
}

/// `GET /files`: what lies on the service's machine.
pub async fn files(path: &str) -> Answer<FolderView> {
    get(&format!("/files?path={}", encode(path))).await
}

/// `POST /sources`: a source of files that are there already.
pub async fn make_source(source: &NewSource) -> Answer<SourceView> {
    post("/sources", source).await
}

/// `GET /runs/{id}/records`: the refused records, to be mended.
pub async fn records(id: &str) -> Answer<String> {
    taken(Request::get(&format!("{BASE}/runs/{}/records", encode(id))).send().await).await
}

/// `POST /runs/{id}/mend`: loads mended records.
pub async fn mend(id: &str, records: &str) -> Answer<RunView> {
    let path = format!("{BASE}/runs/{}/mend", encode(id));
    let request = Request::post(&path)
        .header("Content-Type", "text/plain; charset=utf-8")
        .body(records.to_owned())
        .map_err(|_| odd())?;
    let body = taken(request.send().await).await?;
    serde_json::from_str(&body).map_err(|_| odd())
}

/// `POST /sources/{id}/profile`.
pub async fn profile(id: &str, request: &ProfileRequest) -> Answer<ProfileAnswer> {
    post(&format!("/sources/{}/profile", encode(id)), request).await
}

/// `POST /plan`.
pub async fn plan(request: &PlanRequest) -> Answer<PlanView> {
    post("/plan", request).await
}

/// `POST /check`: the whole file against the table, nothing loaded.
pub async fn check(request: &PlanRequest) -> Answer<CheckAnswer> {
    post("/check", request).await
}

/// `POST /runs`.
pub async fn start(request: &PlanRequest) -> Answer<RunView> {
    post("/runs", request).await
}

/// `POST /estimate`.
pub async fn capacity(request: &CapacityRequest) -> Answer<CapacityAnswer> {
    post("/estimate", request).await
}

/// `GET /estimate/check`.
pub async fn check_estimates() -> Answer<CheckedEstimates> {
    get("/estimate/check").await
}

/// `POST /estimate/left-out`.
pub async fn leave_out(what: &LeaveOut) -> Answer<()> {
    let request = Request::post(&format!("{BASE}/estimate/left-out"));
    let request = request.json(what).map_err(|_| odd())?;
    taken(request.send().await).await.map(|_| ())
}

/// `GET /trials`.
pub async fn trials() -> Answer<TrialPage> {
    get("/trials").await
}

/// `POST /trials`.
pub async fn start_trial(request: &TrialRequest) -> Answer<TrialView> {
    post("/trials", request).await
}

/// `POST /trials/{id}/cancel`.
pub async fn cancel_trial(id: &str) -> Answer<()> {
    bare(Method::POST, &format!("/trials/{}/cancel", encode(id))).await
}

/// `GET /runs`.
pub async fn runs(query: &RunQuery) -> Answer<RunPage> {
    let search = to_search(query, true);
    get(&format!("/runs{}{search}", if search.is_empty() { "" } else { "?" })).await
}

/// `GET /runs/{id}`.
pub async fn run(id: &str) -> Answer<RunView> {
    get(&format!("/runs/{}", encode(id))).await
}

/// `POST /runs/{id}/cancel`.
pub async fn cancel(id: &str) -> Answer<()> {
    bare(Method::POST, &format!("/runs/{}/cancel", encode(id))).await
}

/// `POST /runs/{id}/resume`.
pub async fn resume(id: &str) -> Answer<()> {
    bare(Method::POST, &format!("/runs/{}/resume", encode(id))).await
}

/// `GET /runs/{id}/rejects`.
pub async fn rejects(id: &str, offset: u64, limit: u32) -> Answer<RejectPage> {
    get(&format!("/runs/{}/rejects?offset={offset}&limit={limit}", encode(id))).await
}

/// Where all rejects of a run can be downloaded.
pub fn rejects_csv(id: &str) -> String {
    format!("{BASE}/runs/{}/rejects.csv", encode(id))
}
