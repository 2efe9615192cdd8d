//! The only HTTP client of the dashboard. Every failure comes back as an [`ErrorBody`] that says
//! what to do.

pub mod events;
mod http;
pub mod tus;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::api::{
    About, CheckAnswer, Databases, FolderView, NewSource, PlanRequest, ProfileAnswer,
    ProfileRequest, RejectPage, RunFacets, RunPage, RunQuery, RunTrend, SourceView,
};
use shared::capacity::{CapacityAnswer, CapacityRequest, CheckedEstimates, LeaveOut};
use shared::people::{AcceptInvitation, Invitation, Login, NewPerson, PersonChange, PersonView};
use shared::plan::PlanView;
use shared::recipe::{NewRecipe, Recipe};
use shared::run::RunView;
use shared::target::{Capabilities, NewTarget, TableFacts, TableSummary, TargetView};
use shared::trial::{TrialPage, TrialRequest, TrialView};
use shared::{ErrorBody, ErrorCode};

use crate::model::query::{encode, to_search};
use crate::{browser, text};

/// A record of a megabyte is shown by its beginning; the download has all of it.
const REJECT_CHARS: usize = 600;
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
    if let Some(error) = browser::from_json::<ErrorBody>(body) {
        return error;
    }
    if matches!(status, 502..=504) {
        return away();
    }
    ErrorBody::new(ErrorCode::Internal, text::bare_status(status)).with_hint(text::BARE_STATUS_HINT)
}

/// The body of a good answer to a request with a body of some content type, or with none.
async fn ask(method: &str, path: &str, body: Option<(&str, &str)>) -> Answer<String> {
    let content_type = body.map(|(kind, _)| [("Content-Type", kind)]);
    let headers = content_type.as_ref().map(<[_; 1]>::as_slice).unwrap_or_default();
    let body = body.map(|(_, body)| body);
    let url = format!("{BASE}{path}");
    let answer = http::send(method, &url, headers, body).await.map_err(|_| away())?;
    let (ok, status) = (answer.ok(), answer.status());
    let body = answer.text().await.map_err(|_| away())?;
    if ok { Ok(body) } else { Err(refusal(status, &body)) }
}

async fn get<T: DeserializeOwned>(path: &str) -> Answer<T> {
    let body = ask("GET", path, None).await?;
    browser::from_json(&body).ok_or_else(odd)
}

async fn post<B: Serialize, T: DeserializeOwned>(path: &str, body: &B) -> Answer<T> {
    let body = browser::to_json(body).ok_or_else(odd)?;
    let body = ask("POST", path, Some(("application/json", &body))).await?;
    browser::from_json(&body).ok_or_else(odd)
}

async fn bare(method: &str, path: &str) -> Answer<()> {
    ask(method, path, None).await.map(|_| ())
}

async fn tell<B: Serialize>(path: &str, body: &B) -> Answer<()> {
    let body = browser::to_json(body).ok_or_else(odd)?;
    ask("POST", path, Some(("application/json", &body))).await.map(|_| ())
}

/// `POST /login`.
pub async fn log_in(login: &Login) -> Answer<()> {
    tell("/login", login).await
}

/// `POST /invitation`.
pub async fn accept_invitation(accept: &AcceptInvitation) -> Answer<()> {
    tell("/invitation", accept).await
}

/// `POST /logout`.
pub async fn log_out() -> Answer<()> {
    bare("POST", "/logout").await
}

/// `GET /people`.
pub async fn people() -> Answer<Vec<PersonView>> {
    get("/people").await
}

/// `POST /people`.
pub async fn add_person(person: &NewPerson) -> Answer<Invitation> {
    post("/people", person).await
}

/// `POST /people/{id}`.
pub async fn change_person(id: &str, change: &PersonChange) -> Answer<()> {
    tell(&format!("/people/{}", encode(id)), change).await
}

/// `POST /people/{id}/invitation`.
pub async fn invite_person(id: &str) -> Answer<Invitation> {
    post(&format!("/people/{}/invitation", encode(id)), &()).await
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
    bare("DELETE", &format!("/targets/{}", encode(id))).await
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
    let body = browser::to_json(what).ok_or_else(odd)?;
    ask("POST", "/estimate/left-out", Some(("application/json", &body))).await.map(|_| ())
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
    bare("POST", &format!("/trials/{}/cancel", encode(id))).await
}

/// `GET /recipes`.
pub async fn recipes() -> Answer<Vec<Recipe>> {
    get("/recipes").await
}

/// `POST /recipes`.
pub async fn keep_recipe(recipe: &NewRecipe) -> Answer<Recipe> {
    post("/recipes", recipe).await
}

/// `DELETE /recipes/{id}`.
pub async fn delete_recipe(id: &str) -> Answer<()> {
    bare("DELETE", &format!("/recipes/{}", encode(id))).await
}

/// An address below `/runs` with the history's filters.
fn filtered(path: &str, query: &RunQuery) -> String {
    let search = to_search(query, true);
    format!("{path}{}{search}", if search.is_empty() { "" } else { "?" })
}

/// `GET /runs`.
pub async fn runs(query: &RunQuery) -> Answer<RunPage> {
    get(&filtered("/runs", query)).await
}

/// `GET /runs/facets`.
pub async fn run_facets() -> Answer<RunFacets> {
    get("/runs/facets").await
}

/// `GET /runs/trend`.
pub async fn run_trend(query: &RunQuery) -> Answer<RunTrend> {
    get(&filtered("/runs/trend", query)).await
}

/// Where all matching runs can be downloaded.
pub fn runs_csv(query: &RunQuery) -> String {
    let all = RunQuery { limit: None, offset: None, ..query.clone() };
    format!("{BASE}{}", filtered("/runs.csv", &all))
}

/// `GET /runs/{id}`.
pub async fn run(id: &str) -> Answer<RunView> {
    get(&format!("/runs/{}", encode(id))).await
}

/// `POST /runs/{id}/cancel`.
pub async fn cancel(id: &str) -> Answer<()> {
    bare("POST", &format!("/runs/{}/cancel", encode(id))).await
}

/// `POST /runs/{id}/resume`.
pub async fn resume(id: &str) -> Answer<()> {
    bare("POST", &format!("/runs/{}/resume", encode(id))).await
}

/// `GET /runs/{id}/rejects`.
pub async fn rejects(id: &str, offset: u64, limit: u32) -> Answer<RejectPage> {
    let path = format!("/runs/{}/rejects?offset={offset}&limit={limit}", encode(id));
    get(&format!("{path}&raw_chars={REJECT_CHARS}")).await
}

/// Where all rejects of a run can be downloaded.
pub fn rejects_csv(id: &str) -> String {
    format!("{BASE}/runs/{}/rejects.csv", encode(id))
}

/// `GET /runs/{id}/records`: the refused records as they stand in the file.
pub async fn records(id: &str) -> Answer<String> {
    ask("GET", &format!("/runs/{}/records", encode(id)), None).await
}

/// `POST /runs/{id}/mend`: loads mended records into the run's table.
pub async fn mend(id: &str, records: &str) -> Answer<RunView> {
    let path = format!("/runs/{}/mend", encode(id));
    let body = ask("POST", &path, Some(("text/plain; charset=utf-8", records))).await?;
    browser::from_json(&body).ok_or_else(odd)
}
