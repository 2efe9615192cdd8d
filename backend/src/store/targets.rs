//! Saved targets. Passwords are sealed before they touch the disk.

use secrecy::{ExposeSecret, SecretString};
use shared::target::{NewTarget, TargetView, TlsMode};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Store, StoreError, new_id, now};

/// A saved target with what is needed to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetSaved {
    /// Identity.
    pub id: String,
    /// Whether this is the service's own sandbox.
    pub sandbox: bool,
    /// How to connect; its password is in clear here, never in `Debug`.
    pub connection: NewTarget,
}

impl TargetSaved {
    /// The target as people see it.
    #[must_use]
    pub fn view(&self) -> TargetView {
        let c = &self.connection;
        let address = c
            .socket
            .as_ref()
            .map_or_else(|| format!("{}@{}:{}", c.user, c.host, c.port), Clone::clone);
        TargetView {
            id: self.id.clone(),
            name: c.name.clone(),
            address,
            sandbox: self.sandbox,
            database: c.database.clone(),
            tls: c.tls,
        }
    }
}

fn tls_name(tls: TlsMode) -> &'static str {
    match tls {
        TlsMode::Off => "off",
        TlsMode::Required => "required",
        TlsMode::Verify => "verify",
    }
}

fn tls_mode(name: &str) -> TlsMode {
    match name {
        "off" => TlsMode::Off,
        "required" => TlsMode::Required,
        // An unknown name must never weaken a connection.
        _ => TlsMode::Verify,
    }
}

impl Store {
    fn target_from_row(&self, row: &SqliteRow) -> Result<TargetSaved, StoreError> {
        let id: String = row.try_get("id")?;
        let password = match row.try_get::<Option<Vec<u8>>, _>("secret")? {
            Some(sealed) => Some(self.keeper.open_sealed(&id, &sealed)?.expose_secret().to_owned()),
            None => None,
        };
        Ok(TargetSaved {
            sandbox: row.try_get("sandbox")?,
            connection: NewTarget {
                name: row.try_get("name")?,
                host: row.try_get("host")?,
                port: u16::try_from(row.try_get::<i64, _>("port")?).unwrap_or(3306),
                socket: row.try_get("socket")?,
                user: row.try_get("user_name")?,
                password,
                database: row.try_get("database_name")?,
                tls: tls_mode(row.try_get("tls")?),
                ca_pem: row.try_get("ca_pem")?,
            },
            id,
        })
    }

    /// Saves a target. A sandbox takes the place of the one before it, keeping its identity.
    ///
    /// # Errors
    /// [`StoreError::NameTaken`], or if the control database refuses.
    pub async fn target_insert(
        &self,
        target: &NewTarget,
        sandbox: bool,
    ) -> Result<TargetSaved, StoreError> {
        let mut tx = self.begin().await?;
        let before: Option<(String, bool)> =
            sqlx::query_as("SELECT id, sandbox FROM targets WHERE name = ?")
                .bind(&target.name)
                .fetch_optional(&mut *tx)
                .await?;
        let id = match before {
            Some((id, true)) if sandbox => {
                sqlx::query("DELETE FROM targets WHERE id = ?").bind(&id).execute(&mut *tx).await?;
                id
            }
            Some(_) => return Err(StoreError::NameTaken(target.name.clone())),
            None => new_id(),
        };
        let secret = match &target.password {
            Some(p) => Some(self.keeper.seal(&id, &SecretString::from(p.clone()))?),
            None => None,
        };
        sqlx::query(
            "INSERT INTO targets (id, name, host, port, socket, user_name, secret, database_name,
                                  tls, ca_pem, sandbox, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&id)
        .bind(&target.name)
        .bind(&target.host)
        .bind(i64::from(target.port))
        .bind(&target.socket)
        .bind(&target.user)
        .bind(secret)
        .bind(&target.database)
        .bind(tls_name(target.tls))
        .bind(&target.ca_pem)
        .bind(sandbox)
        .bind(now())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(TargetSaved { id, sandbox, connection: target.clone() })
    }

    /// One target.
    ///
    /// # Errors
    /// If the control database refuses or the password cannot be opened.
    pub async fn target(&self, id: &str) -> Result<Option<TargetSaved>, StoreError> {
        let row = sqlx::query("SELECT * FROM targets WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.reader)
            .await?;
        row.as_ref().map(|r| self.target_from_row(r)).transpose()
    }

    /// All targets, the sandbox first, then by name.
    ///
    /// # Errors
    /// If the control database refuses or a password cannot be opened.
    pub async fn targets(&self) -> Result<Vec<TargetSaved>, StoreError> {
        let rows = sqlx::query("SELECT * FROM targets ORDER BY sandbox DESC, name")
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(|r| self.target_from_row(r)).collect()
    }

    /// Forgets a target; whether it was known. Its runs stay in the history.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn target_delete(&self, id: &str) -> Result<bool, StoreError> {
        let done =
            sqlx::query("DELETE FROM targets WHERE id = ?").bind(id).execute(&self.writer).await?;
        Ok(done.rows_affected() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shop() -> NewTarget {
        NewTarget {
            name: "shop".into(),
            host: "db.example".into(),
            port: 3306,
            socket: None,
            user: "amy".into(),
            password: Some("geheim-77".into()),
            database: Some("shop".into()),
            tls: TlsMode::Verify,
            ca_pem: None,
        }
    }

    #[tokio::test]
    async fn a_password_comes_back_but_never_lies_in_clear() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        let saved = store.target_insert(&shop(), false).await.unwrap();
        let read = store.target(&saved.id).await.unwrap().unwrap();
        assert_eq!(read.connection, shop());
        assert!(matches!(
            store.target_insert(&shop(), false).await,
            Err(StoreError::NameTaken(name)) if name == "shop"
        ));
        for file in std::fs::read_dir(dir.path()).unwrap().flatten() {
            if file.file_type().unwrap().is_file() {
                let bytes = std::fs::read(file.path()).unwrap();
                assert!(!bytes.windows(9).any(|w| w == b"geheim-77"), "{:?}", file.path());
            }
        }
        assert!(!format!("{read:?}").contains("geheim"));
        assert!(store.target_delete(&saved.id).await.unwrap());
    }

    #[tokio::test]
    async fn a_new_sandbox_keeps_the_identity_of_the_old() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        let a = store.target_insert(&shop(), true).await.unwrap();
        let b = store.target_insert(&shop(), true).await.unwrap();
        assert_eq!(a.id, b.id);
        assert_eq!(store.targets().await.unwrap().len(), 1);
    }
}
