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
    /// Where its bytes are; for a source of several files the first.
    pub path: PathBuf,
    /// Its files, where it is no upload of its own.
    pub referenced: Vec<PathBuf>,
}

impl SourceSaved {
    /// Its files, in the order in which they are read.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        if self.referenced.is_empty() { vec![self.path.clone()] } else { self.referenced.clone() }
    }
}

fn from_row(row: &SqliteRow) -> Result<SourceSaved, StoreError> {
    let files: Option<String> = row.try_get("files")?;
    let referenced: Vec<PathBuf> =
        files.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default();
    let name = |p: &PathBuf| p.file_name().map(|n| n.to_string_lossy().into_owned());
    Ok(SourceSaved {
        view: SourceView {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            bytes: row.try_get::<i64, _>("bytes")?.unsigned_abs(),
            received_bytes: row.try_get::<i64, _>("received_bytes")?.unsigned_abs(),
            complete: row.try_get("complete")?,
            who: row.try_get("who")?,
            created_at: row.try_get("created_at")?,
            files: referenced.iter().filter_map(name).collect(),
        },
        path: PathBuf::from(row.try_get::<String, _>("path")?),
        referenced,
    })
}

impl Store {
    /// Records a file that begins to arrive.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn source_insert(&self, source: &SourceSaved) -> Result<(), StoreError> {
        let v = &source.view;
        let files = (!source.referenced.is_empty())
            .then(|| serde_json::to_string(&source.referenced))
            .transpose()?;
        sqlx::query(
            "INSERT INTO sources
               (id, name, bytes, received_bytes, complete, who, path, created_at, files)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&v.id)
        .bind(&v.name)
        .bind(v.bytes.cast_signed())
        .bind(v.received_bytes.cast_signed())
        .bind(v.complete)
        .bind(&v.who)
        .bind(source.path.to_string_lossy().into_owned())
        .bind(&v.created_at)
        .bind(files)
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
            files: Vec::new(),
        };
        let path = store.source_path("s1");
        let saved = SourceSaved { view, path, referenced: Vec::new() };
        store.source_insert(&saved).await.unwrap();
        store.source_received("s1", 10, true).await.unwrap();
        let read = store.source("s1").await.unwrap().unwrap();
        assert!(read.view.complete && read.view.received_bytes == 10);
        assert_eq!(store.sources().await.unwrap().len(), 1);
        let referenced = vec![PathBuf::from("/a/1.csv"), PathBuf::from("/a/2.csv")];
        let view = SourceView { id: "s2".into(), ..read.view };
        let several = SourceSaved { view, path: referenced[0].clone(), referenced };
        store.source_insert(&several).await.unwrap();
        let read = store.source("s2").await.unwrap().unwrap();
        assert_eq!(read.paths(), several.referenced);
        assert_eq!(read.view.files, ["1.csv", "2.csv"]);
        assert!(store.source_delete("s1").await.unwrap());
        assert!(!store.source_delete("s1").await.unwrap());
    }
}
