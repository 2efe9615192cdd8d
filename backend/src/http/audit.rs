//! Who did what: pages, and all of it as CSV.

use actix_web::{HttpResponse, web};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use shared::people::{Action, AuditEntry, AuditPage, AuditQuery};

use super::State;
use super::csv;
use super::error::ApiError;
use super::rights::Routes;
use crate::store::{Store, StoreError};

const CSV_HEADER: &str = "id,at,who,address,action,thing,outcome\r\n";
/// Entries that are read at once for a CSV file.
const CSV_PAGE: u32 = 500;

/// The routes of the audit.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes.route("/audit", A::SeeAudit, web::get().to(list)).route(
        "/audit.csv",
        A::SeeAudit,
        web::get().to(download),
    );
}

async fn list(
    query: web::Query<AuditQuery>,
    state: web::Data<State>,
) -> Result<web::Json<AuditPage>, ApiError> {
    Ok(web::Json(state.store.audit(&query).await?))
}

async fn download(query: web::Query<AuditQuery>, state: web::Data<State>) -> HttpResponse {
    csv::download("audit", pages(state.store.clone(), query.into_inner()))
}

/// The file, page by page, newest first.
fn pages(store: Store, query: AuditQuery) -> impl Stream<Item = Result<Bytes, StoreError>> {
    let first = AuditQuery { limit: Some(CSV_PAGE), ..query };
    unfold(Some((store, first, CSV_HEADER)), |state| async move {
        let (store, mut query, header) = state?;
        let page = match store.audit(&query).await {
            Ok(page) => page,
            Err(error) => {
                // The header is out already: cutting the answer short is all that can be done.
                tracing::error!("the audit cannot be read: {error}");
                return Some((Err(error), None));
            }
        };
        let mut text = String::from(header);
        for entry in &page.entries {
            push_entry(&mut text, entry);
        }
        query.before = page.entries.last().map(|entry| entry.id);
        Some((Ok(Bytes::from(text)), page.more.then_some((store, query, ""))))
    })
}

fn push_entry(text: &mut String, entry: &AuditEntry) {
    let AuditEntry { id, at, who, address, action, thing, outcome } = entry;
    let id = id.to_string();
    csv::push_record(text, [id.as_str(), at, who, address, action, thing, outcome]);
}
