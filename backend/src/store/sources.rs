//! Uploaded files.

use std::path::PathBuf;

use shared::api::SourceView;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Store, StoreError};

/// An uploaded file and where it lies.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSaved {
    /// What people see.
    pub view: SourceView,
    /// Where its bytes are.
    pub path: PathBuf,
}

fn from_row(row: &SqliteRow) -> Result<SourceSaved, StoreError> {
    Ok(SourceSaved {
        view: SourceView {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            bytes: row.try_get::<i64, _>("bytes")?.unsigned_abs(),
            received_bytes: row.try_get::<i64, _>("received_bytes")?.unsigned_abs(),
            complete: row.try_get("complete")?,
            who: row.try_get("who")?,
            created_at: row.try_get("created_at")?,
        },
        path: PathBuf::from(row.try_get::<String, _>("path")?),
    })
}

impl Store {
    /// Records a file that begins to arrive.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn source_insert(&self, source: &SourceSaved) -> Result<(), StoreError> {
        let v = &source.view;
        sqlx::query(
            "INSERT INTO sources (id, name, bytes, received_bytes, complete, who, path, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&v.id)
        .bind(&v.name)
        .bind(v.bytes.cast_signed())
        .bind(v.received_bytes.cast_signed())
        .bind(v.complete)
        .bind(&v.who)
        .bind(source.path.to_string_lossy().into_owned())
        .bind(&v.created_at)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// Records how much of a file has arrived.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn source_received(
        &self,
        id: &str,
        received_bytes: u64,
        complete: bool,
    ) -> Result<(), StoreError> {
        sqlx::query("UPDATE sources SET received_bytes = ?, complete = ? WHERE id = ?")
            .bind(received_bytes.cast_signed())
            .bind(complete)
            .bind(id)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    /// One file.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn source(&self, id: &str) -> Result<Option<SourceSaved>, StoreError> {
        let row = sqlx::query("SELECT * FROM sources WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.reader)
            .await?;
        row.as_ref().map(from_row).transpose()
    }

    /// All files, newest first.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn sources(&self) -> Result<Vec<SourceSaved>, StoreError> {
        let rows = sqlx::query("SELECT * FROM sources ORDER BY created_at DESC, id DESC")
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(from_row).collect()
    }

    /// Forgets a file; whether it was known. Its bytes are the caller's to remove.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn source_delete(&self, id: &str) -> Result<bool, StoreError> {
        let done =
            sqlx::query("DELETE FROM sources WHERE id = ?").bind(id).execute(&self.writer).await?;
        Ok(done.rows_affected() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_source_arrives_and_goes() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        let view = SourceView {
            id: "s1".into(),
            name: "a.csv".into(),
            bytes: 10,
            received_bytes: 0,
            complete: false,
            who: "amy".into(),
            created_at: super::super::now(),
        };
        let saved = SourceSaved { view, path: store.source_path("s1") };
        store.source_insert(&saved).await.unwrap();
        store.source_received("s1", 10, true).await.unwrap();
        let read = store.source("s1").await.unwrap().unwrap();
        assert!(read.view.complete && read.view.received_bytes == 10);
        assert_eq!(store.sources().await.unwrap().len(), 1);
        assert!(store.source_delete("s1").await.unwrap());
        assert!(!store.source_delete("s1").await.unwrap());
    }
}
