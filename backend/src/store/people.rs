//! People with accounts, and their invitations, sessions and tokens. Of every secret only the hash.

use shared::people::{PersonView, Role, TokenView};
use sqlx::Row;
use sqlx::sqlite::{Sqlite, SqliteRow};

use super::{Store, StoreError, new_id, now};

/// Someone with an account, and the hash of their password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonSaved {
    /// The person as admins see them.
    pub view: PersonView,
    /// Argon2id; none until they have used an invitation.
    pub password: Option<String>,
}

fn person(row: &SqliteRow) -> Result<PersonSaved, StoreError> {
    let password: Option<String> = row.try_get("password")?;
    Ok(PersonSaved {
        view: PersonView {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            // An unknown name must never give a right.
            role: Role::parse(row.try_get("role")?).unwrap_or(Role::Viewer),
            disabled: row.try_get("disabled")?,
            joined: password.is_some(),
            created_at: row.try_get("created_at")?,
        },
        password,
    })
}

fn token(row: &SqliteRow) -> Result<TokenView, StoreError> {
    Ok(TokenView {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        who: row.try_get("who")?,
        role: Role::parse(row.try_get("role")?).unwrap_or(Role::Viewer),
        created_at: row.try_get("created_at")?,
        expires_at: moment(row.try_get("expires_ms")?),
    })
}

/// A moment in milliseconds since 1970, as RFC 3339.
#[must_use]
pub fn moment(ms: i64) -> String {
    let at = chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default();
    at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

impl Store {
    /// Whether anyone has an account.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn has_people(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM people)";
        Ok(sqlx::query_scalar(sql).fetch_one(&self.reader).await?)
    }

    /// Everyone, by name.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn people(&self) -> Result<Vec<PersonSaved>, StoreError> {
        let sql = "SELECT * FROM people ORDER BY name COLLATE NOCASE";
        sqlx::query(sql).fetch_all(&self.reader).await?.iter().map(person).collect()
    }

    /// One person by identity.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn person(&self, id: &str) -> Result<Option<PersonSaved>, StoreError> {
        let found = sqlx::query("SELECT * FROM people WHERE id = ?").bind(id);
        found.fetch_optional(&self.reader).await?.as_ref().map(person).transpose()
    }

    /// One person by name, without regard to case.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn person_named(&self, name: &str) -> Result<Option<PersonSaved>, StoreError> {
        let found = sqlx::query("SELECT * FROM people WHERE name = ?").bind(name);
        found.fetch_optional(&self.reader).await?.as_ref().map(person).transpose()
    }

    /// Adds a person. The first one must be an admin: nobody else could let in the others.
    ///
    /// # Errors
    /// [`StoreError::PersonTaken`], [`StoreError::NoAdmin`], or if the control database refuses.
    pub async fn person_insert(&self, name: &str, role: Role) -> Result<PersonSaved, StoreError> {
        let mut tx = self.begin().await?;
        let taken: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM people WHERE name = ?)")
            .bind(name)
            .fetch_one(&mut *tx)
            .await?;
        if taken {
            return Err(StoreError::PersonTaken(name.to_owned()));
        }
        let id = new_id();
        sqlx::query("INSERT INTO people (id, name, role, created_at) VALUES (?, ?, ?, ?)")
            .bind(&id)
            .bind(name)
            .bind(role.as_str())
            .bind(now())
            .execute(&mut *tx)
            .await?;
        commit_with_an_admin(tx).await?;
        self.person(&id).await?.ok_or(StoreError::Sql(sqlx::Error::RowNotFound))
    }

    /// Changes what a person may; whether they were known. Whoever is kept out loses every session.
    ///
    /// # Errors
    /// [`StoreError::NoAdmin`], or if the control database refuses.
    pub async fn person_change(
        &self,
        id: &str,
        role: Option<Role>,
        disabled: Option<bool>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let done = sqlx::query(
            "UPDATE people SET role = COALESCE(?, role), disabled = COALESCE(?, disabled)
             WHERE id = ?",
        )
        .bind(role.map(Role::as_str))
        .bind(disabled)
        .bind(id)
        .execute(&mut *tx)
        .await?;
        if disabled == Some(true) {
            for sql in [
                "DELETE FROM sessions WHERE person_id = ?",
                "DELETE FROM invitations WHERE person_id = ?",
            ] {
                sqlx::query(sql).bind(id).execute(&mut *tx).await?;
            }
        }
        commit_with_an_admin(tx).await?;
        Ok(done.rows_affected() > 0)
    }

    /// Makes an invitation the one that a person has.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn invitation_put(
        &self,
        person_id: &str,
        hash: &[u8],
        expires_ms: i64,
    ) -> Result<(), StoreError> {
        sqlx::query("REPLACE INTO invitations (person_id, hash, expires_ms) VALUES (?, ?, ?)")
            .bind(person_id)
            .bind(hash)
            .bind(expires_ms)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    /// Whom an invitation is for, while it is good.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn invited(
        &self,
        hash: &[u8],
        now_ms: i64,
    ) -> Result<Option<PersonSaved>, StoreError> {
        let found = sqlx::query(
            "SELECT p.* FROM invitations i JOIN people p ON p.id = i.person_id
             WHERE i.hash = ? AND i.expires_ms > ? AND p.disabled = 0",
        );
        let found = found.bind(hash).bind(now_ms).fetch_optional(&self.reader).await?;
        found.as_ref().map(person).transpose()
    }

    /// Uses an invitation: it is gone, the password is set, every session of before has ended.
    /// Whether it was still good.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn invitation_use(
        &self,
        hash: &[u8],
        now_ms: i64,
        password: &str,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let person_id: Option<String> = sqlx::query_scalar(
            "DELETE FROM invitations WHERE hash = ? AND expires_ms > ? RETURNING person_id",
        )
        .bind(hash)
        .bind(now_ms)
        .fetch_optional(&mut *tx)
        .await?;
        let Some(person_id) = person_id else { return Ok(false) };
        sqlx::query("UPDATE people SET password = ? WHERE id = ?")
            .bind(password)
            .bind(&person_id)
            .execute(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM sessions WHERE person_id = ?")
            .bind(&person_id)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Sets a password; every session but one ends.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn password_set(
        &self,
        person_id: &str,
        password: &str,
        keep: &[u8],
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE people SET password = ? WHERE id = ?")
            .bind(password)
            .bind(person_id)
            .execute(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM sessions WHERE person_id = ? AND hash <> ?")
            .bind(person_id)
            .bind(keep)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Begins a session; those that have ended are forgotten.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn session_insert(
        &self,
        hash: &[u8],
        person_id: &str,
        now_ms: i64,
        expires_ms: i64,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query("DELETE FROM sessions WHERE expires_ms <= ?")
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
        sqlx::query("INSERT INTO sessions (hash, person_id, expires_ms) VALUES (?, ?, ?)")
            .bind(hash)
            .bind(person_id)
            .bind(expires_ms)
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Whose session it is, while it is good and they are not kept out.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn session_person(
        &self,
        hash: &[u8],
        now_ms: i64,
    ) -> Result<Option<PersonSaved>, StoreError> {
        let found = sqlx::query(
            "SELECT p.* FROM sessions s JOIN people p ON p.id = s.person_id
             WHERE s.hash = ? AND s.expires_ms > ? AND p.disabled = 0",
        );
        let found = found.bind(hash).bind(now_ms).fetch_optional(&self.reader).await?;
        found.as_ref().map(person).transpose()
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn session_delete(&self, hash: &[u8]) -> Result<(), StoreError> {
        let end = sqlx::query("DELETE FROM sessions WHERE hash = ?").bind(hash);
        end.execute(&self.writer).await?;
        Ok(())
    }

    /// Makes a token.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn token_insert(
        &self,
        hash: &[u8],
        person_id: &str,
        name: &str,
        role: Role,
        expires_ms: i64,
    ) -> Result<TokenView, StoreError> {
        let id = new_id();
        sqlx::query(
            "INSERT INTO tokens (id, hash, person_id, name, role, created_at, expires_ms)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&id)
        .bind(hash)
        .bind(person_id)
        .bind(name)
        .bind(role.as_str())
        .bind(now())
        .bind(expires_ms)
        .execute(&self.writer)
        .await?;
        self.token(&id).await?.ok_or(StoreError::Sql(sqlx::Error::RowNotFound))
    }

    /// The tokens of one person, or of all, newest first.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn tokens(&self, person_id: Option<&str>) -> Result<Vec<TokenView>, StoreError> {
        let rows = sqlx::query(
            "SELECT t.*, p.name AS who FROM tokens t JOIN people p ON p.id = t.person_id
             WHERE ?1 IS NULL OR t.person_id = ?1 ORDER BY t.id DESC",
        );
        rows.bind(person_id).fetch_all(&self.reader).await?.iter().map(token).collect()
    }

    /// One token.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn token(&self, id: &str) -> Result<Option<TokenView>, StoreError> {
        let row = sqlx::query(
            "SELECT t.*, p.name AS who FROM tokens t JOIN people p ON p.id = t.person_id
             WHERE t.id = ?",
        );
        row.bind(id).fetch_optional(&self.reader).await?.as_ref().map(token).transpose()
    }

    /// Whose token it is, and its own role, while it is good and they are not kept out.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn token_person(
        &self,
        hash: &[u8],
        now_ms: i64,
    ) -> Result<Option<(PersonSaved, Role)>, StoreError> {
        let found = sqlx::query(
            "SELECT p.*, t.role AS token_role FROM tokens t JOIN people p ON p.id = t.person_id
             WHERE t.hash = ? AND t.expires_ms > ? AND p.disabled = 0",
        );
        let found = found.bind(hash).bind(now_ms).fetch_optional(&self.reader).await?;
        let Some(row) = found else { return Ok(None) };
        let role = Role::parse(row.try_get("token_role")?).unwrap_or(Role::Viewer);
        Ok(Some((person(&row)?, role)))
    }

    /// Ends a token; whether it was known.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn token_delete(&self, id: &str) -> Result<bool, StoreError> {
        let done =
            sqlx::query("DELETE FROM tokens WHERE id = ?").bind(id).execute(&self.writer).await?;
        Ok(done.rows_affected() > 0)
    }
}

/// Commits unless nobody would be left who may let people in.
async fn commit_with_an_admin(mut tx: sqlx::Transaction<'_, Sqlite>) -> Result<(), StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM people WHERE role = 'admin' AND disabled = 0)";
    let has_admin: bool = sqlx::query_scalar(sql).fetch_one(&mut *tx).await?;
    if !has_admin {
        return Err(StoreError::NoAdmin);
    }
    Ok(tx.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn there_is_always_an_admin() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        assert!(!store.has_people().await.unwrap());
        let none = store.person_insert("bo", Role::Planner).await;
        assert!(matches!(none, Err(StoreError::NoAdmin)));
        assert!(!store.has_people().await.unwrap());
        let amy = store.person_insert("amy", Role::Admin).await.unwrap().view;
        let taken = store.person_insert("AMY", Role::Viewer).await;
        assert!(matches!(taken, Err(StoreError::PersonTaken(_))));
        for (role, disabled) in [(Some(Role::Viewer), None), (None, Some(true))] {
            let last = store.person_change(&amy.id, role, disabled).await;
            assert!(matches!(last, Err(StoreError::NoAdmin)));
        }
        store.person_insert("bo", Role::Admin).await.unwrap();
        assert!(store.person_change(&amy.id, Some(Role::Viewer), None).await.unwrap());
        assert!(!store.person_change("none", None, Some(true)).await.unwrap());
        let amy = store.person_named("Amy").await.unwrap().unwrap().view;
        assert_eq!((amy.role, amy.disabled, amy.joined), (Role::Viewer, false, false));
    }

    #[tokio::test]
    async fn an_invitation_works_once_and_ends_what_was_before() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        let id = store.person_insert("amy", Role::Admin).await.unwrap().view.id;
        store.session_insert(b"s", &id, 0, 1000).await.unwrap();
        store.invitation_put(&id, b"old", 100).await.unwrap();
        store.invitation_put(&id, b"new", 100).await.unwrap();
        assert!(!store.invitation_use(b"old", 50, "h").await.unwrap());
        assert!(!store.invitation_use(b"new", 100, "h").await.unwrap());
        assert!(store.invited(b"new", 99).await.unwrap().is_some());
        assert!(store.invitation_use(b"new", 99, "h").await.unwrap());
        assert!(!store.invitation_use(b"new", 99, "h").await.unwrap());
        assert!(store.session_person(b"s", 1).await.unwrap().is_none());
        store.session_insert(b"t", &id, 0, 1000).await.unwrap();
        assert!(store.session_person(b"t", 999).await.unwrap().is_some());
        assert!(store.session_person(b"t", 1000).await.unwrap().is_none());
    }
}
