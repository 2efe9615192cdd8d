//! Who did what: only added to, which the database itself holds by triggers.

use shared::people::{AuditEntry, AuditPage, AuditQuery};
use sqlx::{QueryBuilder, Row, Sqlite};

use super::{Store, StoreError, now};

/// Entries to a page where the caller does not say, and at most.
const PAGE_ENTRIES: u32 = 100;
const PAGE_ENTRIES_MAX: u32 = 500;
/// Characters of a name that a stranger may have written into the audit.
const WORDS_MAX: usize = 200;

/// Something that was done or refused.
#[derive(Debug, Clone, Copy)]
pub struct Deed<'a> {
    /// Who.
    pub who: &'a str,
    /// From where.
    pub address: &'a str,
    /// What.
    pub action: &'a str,
    /// On which thing.
    pub thing: &'a str,
    /// `done`, or the code of an error.
    pub outcome: &'a str,
}

impl Store {
    /// Adds an entry.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn audit_add(&self, deed: Deed<'_>) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO audit (at, who, address, action, thing, outcome)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(now())
        .bind(cut(deed.who))
        .bind(deed.address)
        .bind(deed.action)
        .bind(cut(deed.thing))
        .bind(deed.outcome)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// A page of the audit, newest first.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn audit(&self, query: &AuditQuery) -> Result<AuditPage, StoreError> {
        let limit = query.limit.unwrap_or(PAGE_ENTRIES).clamp(1, PAGE_ENTRIES_MAX);
        let mut sql = QueryBuilder::<Sqlite>::new("SELECT * FROM audit WHERE 1");
        let equal = [("who", &query.who), ("action", &query.action), ("outcome", &query.outcome)];
        for (column, value) in equal {
            if let Some(value) = value.as_deref().filter(|v| !v.is_empty()) {
                sql.push(" AND ").push(column).push(" = ").push_bind(value.to_owned());
            }
        }
        if let Some(from) = query.from.as_deref().filter(|v| !v.is_empty()) {
            sql.push(" AND at >= ").push_bind(from.to_owned());
        }
        if let Some(to) = query.to.as_deref().filter(|v| !v.is_empty()) {
            // Behind every moment that begins like this: a day counts to its end.
            sql.push(" AND at <= ").push_bind(format!("{to}~"));
        }
        if let Some(before) = query.before {
            sql.push(" AND id < ").push_bind(before.cast_signed());
        }
        sql.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(limit) + 1);
        let rows = sql.build().fetch_all(&self.reader).await?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            entries.push(AuditEntry {
                id: row.try_get::<i64, _>("id")?.unsigned_abs(),
                at: row.try_get("at")?,
                who: row.try_get("who")?,
                address: row.try_get("address")?,
                action: row.try_get("action")?,
                thing: row.try_get("thing")?,
                outcome: row.try_get("outcome")?,
            });
        }
        let more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        Ok(AuditPage { entries, more })
    }
}

/// What strangers send is one line, and short.
fn cut(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(WORDS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn entries_are_added_filtered_paged_and_never_changed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        for (who, outcome) in [("amy", "done"), ("bo", "forbidden"), ("amy", "done")] {
            let deed = Deed { who, address: "::1", action: "start_run", thing: "a\nb", outcome };
            store.audit_add(deed).await.unwrap();
        }
        let ask = async |query: AuditQuery| store.audit(&query).await.unwrap();
        let all = ask(AuditQuery::default()).await;
        assert_eq!(all.entries.iter().map(|e| e.id).collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(all.entries[0].thing, "a b");
        let amys = AuditQuery { who: Some("amy".into()), limit: Some(1), ..AuditQuery::default() };
        let page = ask(amys.clone()).await;
        assert!(page.more && page.entries[0].id == 3);
        let page = ask(AuditQuery { before: Some(3), ..amys }).await;
        assert!(!page.more && page.entries[0].id == 1);
        let refused = AuditQuery { outcome: Some("forbidden".into()), ..AuditQuery::default() };
        assert_eq!(ask(refused).await.entries[0].who, "bo");
        for sql in ["UPDATE audit SET who = 'eve'", "DELETE FROM audit"] {
            let refused = sqlx::query(sql).execute(&store.writer).await.unwrap_err();
            assert!(refused.to_string().contains("only added to"), "{refused}");
        }
    }
}
