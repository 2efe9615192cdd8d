//! Passwords: what is taken, and Argon2id.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use tokio::sync::{OnceCell, Semaphore};

use super::PeopleError;

/// Characters of a password at least.
const CHARS_MIN: usize = 10;
/// Bytes of a password at most: hashing more would only cost time.
const BYTES_MAX: usize = 1024;
const SALT_BYTES: usize = 16;
/// Passwords that are hashed at once: each takes 19 MiB and a core.
const AT_ONCE: usize = 2;

/// Whether a password is good enough for someone.
pub fn check(password: &str, name: &str) -> Result<(), PeopleError> {
    let wrong = if password.chars().count() < CHARS_MIN {
        format!("A password has at least {CHARS_MIN} characters.")
    } else if password.len() > BYTES_MAX {
        format!("A password has {BYTES_MAX} bytes at most.")
    } else if password.to_lowercase() == name.to_lowercase() {
        "A password is not the name.".to_owned()
    } else {
        return Ok(());
    };
    Err(PeopleError::BadOption(wrong))
}

/// Hashes and compares passwords, a few at once.
pub struct Hasher {
    places: Arc<Semaphore>,
    /// The hash of a password that nobody has, for names that nobody has.
    nobody: OnceCell<String>,
}

impl Hasher {
    /// One for the whole service.
    pub fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), nobody: OnceCell::new() }
    }

    /// What is kept of a password.
    pub async fn hash(&self, password: &str) -> Result<String, PeopleError> {
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt)?;
        let password = password.to_owned();
        self.apart(move || {
            let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt)?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Whether a password is the one that was kept. Where none was kept it takes as long to say no.
    pub async fn is_right(
        &self,
        password: &str,
        kept: Option<String>,
    ) -> Result<bool, PeopleError> {
        if password.len() > BYTES_MAX {
            return Ok(false);
        }
        let is_someone = kept.is_some();
        let kept = match kept {
            Some(kept) => kept,
            None => self.nobody.get_or_try_init(|| self.hash("nobody's password")).await?.clone(),
        };
        let password = password.to_owned();
        let right = move || {
            Ok(Argon2::default().verify_password(password.as_bytes(), kept.as_str()).is_ok())
        };
        Ok(self.apart(right).await? && is_someone)
    }

    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PeopleError> + Send + 'static,
    ) -> Result<T, PeopleError> {
        // Fails only once it is closed, which it never is.
        let _place = self.places.clone().acquire_owned().await;
        tokio::task::spawn_blocking(work).await?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_known_again_and_kept_by_argon2id() {
        let hasher = Hasher::new();
        let kept = hasher.hash("correct horse").await.unwrap();
        assert!(kept.starts_with("$argon2id$") && !kept.contains("horse"), "{kept}");
        assert_ne!(kept, hasher.hash("correct horse").await.unwrap());
        assert!(hasher.is_right("correct horse", Some(kept.clone())).await.unwrap());
        assert!(!hasher.is_right("correct house", Some(kept)).await.unwrap());
        assert!(!hasher.is_right("nobody's password", None).await.unwrap());
    }

    #[test]
    fn poor_passwords_are_refused_with_a_reason() {
        for poor in ["", "short", "amy of the desk", &"x".repeat(2000)] {
            assert!(check(poor, "Amy of the desk").is_err(), "{poor}");
        }
        assert!(check("correct horse", "amy").is_ok());
    }
}
