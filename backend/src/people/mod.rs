//! Accounts: who someone is, by password, session or token, and how they come by these.
//!
//! What a role may do is not decided here but in [`shared::people::allows`].

mod attempts;
mod error;
mod password;
mod secret;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::people::{Invitation, NewToken, PersonView, Role, TokenMade};

use crate::store::{PersonSaved, Store, moment};
use attempts::Attempts;
pub use error::PeopleError;
use secret::Secret;

/// How long an invitation may be used.
pub const INVITED_FOR: Duration = Duration::from_secs(7 * DAY_SECS);
/// How long a session lasts.
pub const SESSION_FOR: Duration = Duration::from_secs(DAY_SECS);
/// The longest that a token may be good.
const TOKEN_DAYS_MAX: u32 = 366;
const DAY_SECS: u64 = 24 * 3600;
/// Characters of a name at most.
const NAME_CHARS_MAX: usize = 60;

/// Tells the time, in milliseconds since 1970; tests have their own.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The time of this machine.
#[must_use]
pub fn system_clock() -> Clock {
    Arc::new(|| chrono::Utc::now().timestamp_millis())
}

/// A session that has begun.
#[derive(Debug, Clone)]
pub struct Session {
    /// Whose it is.
    pub person: PersonView,
    /// What the browser keeps.
    pub secret: String,
}

/// The accounts of a service.
pub struct People {
    store: Store,
    clock: Clock,
    attempts: Mutex<Attempts>,
    hasher: password::Hasher,
    /// Whether anyone has an account; once so, it stays so.
    any: AtomicBool,
}

impl People {
    /// The accounts in a control database.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            clock,
            attempts: Mutex::default(),
            hasher: password::Hasher::new(),
            any: AtomicBool::new(false),
        }
    }

    fn now(&self) -> i64 {
        (self.clock)()
    }

    fn after(&self, time: Duration) -> i64 {
        let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.now().saturating_add(ms)
    }

    fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anyone has an account.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn any(&self) -> Result<bool, PeopleError> {
        if self.any.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let any = self.store.has_people().await?;
        self.any.store(any, Ordering::Relaxed);
        Ok(any)
    }

    /// Adds someone, with an invitation.
    ///
    /// # Errors
    /// Where the name cannot be had, or the first person is no admin.
    pub async fn add(&self, name: &str, role: Role) -> Result<Invitation, PeopleError> {
        let name = name.trim();
        check_name(name, "A person's name")?;
        let person = self.store.person_insert(name, role).await?.view;
        self.invitation(person).await
    }

    /// Gives someone a new invitation in the place of the one before.
    ///
    /// # Errors
    /// [`PeopleError::NoSuchPerson`], or if the control database refuses.
    pub async fn invite(&self, id: &str) -> Result<Invitation, PeopleError> {
        let person = self.store.person(id).await?;
        let person = person.filter(|p| !p.view.disabled);
        let person = person.ok_or_else(|| PeopleError::NoSuchPerson(id.to_owned()))?;
        self.invitation(person.view).await
    }

    async fn invitation(&self, person: PersonView) -> Result<Invitation, PeopleError> {
        let code = Secret::make("")?;
        let expires_ms = self.after(INVITED_FOR);
        self.store.invitation_put(&person.id, &code.hash, expires_ms).await?;
        Ok(Invitation { person, code: code.text, expires_at: moment(expires_ms) })
    }

    /// Uses an invitation: sets the password and begins a session.
    ///
    /// # Errors
    /// [`PeopleError::WrongInvitation`], [`PeopleError::BadOption`] for a poor password.
    pub async fn accept(
        &self,
        code: &str,
        password: &str,
        address: &str,
    ) -> Result<Session, PeopleError> {
        self.attempts().take_address(address, self.now())?;
        let hash = secret::hash(code);
        let person = self.store.invited(&hash, self.now()).await?;
        let person = person.ok_or(PeopleError::WrongInvitation)?.view;
        password::check(password, &person.name)?;
        let kept = self.hasher.hash(password).await?;
        if !self.store.invitation_use(&hash, self.now(), &kept).await? {
            return Err(PeopleError::WrongInvitation);
        }
        self.attempts().succeeded(&person.name, address);
        self.begin(person).await
    }

    /// Begins a session for whoever knows the password. Whether there is such a person can be told
    /// neither from the answer nor from the time it takes.
    ///
    /// # Errors
    /// [`PeopleError::WrongLogin`], [`PeopleError::TooMany`].
    pub async fn log_in(
        &self,
        name: &str,
        password: &str,
        address: &str,
    ) -> Result<Session, PeopleError> {
        let name = name.trim();
        self.attempts().take(name, address, self.now())?;
        let person = self.store.person_named(name).await?;
        let person = person.filter(|p| !p.view.disabled);
        let known = person.as_ref().and_then(|p| p.password.clone());
        if !self.hasher.is_right(password, known).await? {
            return Err(PeopleError::WrongLogin);
        }
        let person = person.ok_or(PeopleError::WrongLogin)?.view;
        self.attempts().succeeded(name, address);
        self.begin(person).await
    }

    async fn begin(&self, person: PersonView) -> Result<Session, PeopleError> {
        let secret = Secret::make("")?;
        let ends = self.after(SESSION_FOR);
        self.store.session_insert(&secret.hash, &person.id, self.now(), ends).await?;
        Ok(Session { person, secret: secret.text })
    }

    /// Whose session this is.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn by_session(&self, secret: &str) -> Result<Option<PersonView>, PeopleError> {
        let found = self.store.session_person(&secret::hash(secret), self.now()).await?;
        Ok(found.map(|p| p.view))
    }

    /// For whom a token acts, with the lesser of their role and its own.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn by_token(&self, secret: &str) -> Result<Option<PersonView>, PeopleError> {
        let found = self.store.token_person(&secret::hash(secret), self.now()).await?;
        Ok(found.map(|(PersonSaved { mut view, .. }, role)| {
            view.role = view.role.min(role);
            view
        }))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn log_out(&self, secret: &str) -> Result<(), PeopleError> {
        Ok(self.store.session_delete(&secret::hash(secret)).await?)
    }

    /// Sets another password; every session but this one ends.
    ///
    /// # Errors
    /// [`PeopleError::WrongLogin`] where the old one is not right, [`PeopleError::TooMany`],
    /// [`PeopleError::BadOption`] for a poor new one.
    pub async fn change_password(
        &self,
        session: &Session,
        old: &str,
        new: &str,
        address: &str,
    ) -> Result<(), PeopleError> {
        let person = &session.person;
        password::check(new, &person.name)?;
        self.attempts().take(&person.name, address, self.now())?;
        let known = self.store.person(&person.id).await?.and_then(|p| p.password);
        if !self.hasher.is_right(old, known).await? {
            return Err(PeopleError::WrongLogin);
        }
        self.attempts().succeeded(&person.name, address);
        let kept = self.hasher.hash(new).await?;
        Ok(self.store.password_set(&person.id, &kept, &secret::hash(&session.secret)).await?)
    }

    /// Makes a token that acts for someone, with no more than they may themselves.
    ///
    /// # Errors
    /// [`PeopleError::BadOption`], or if the control database refuses.
    pub async fn make_token(
        &self,
        person: &PersonView,
        new: &NewToken,
    ) -> Result<TokenMade, PeopleError> {
        let name = new.name.trim();
        check_name(name, "A token's name")?;
        if new.role > person.role {
            return Err(PeopleError::BadOption("A token may be no more than you are.".to_owned()));
        }
        if !(1..=TOKEN_DAYS_MAX).contains(&new.days) {
            let wrong = format!("A token is good for 1 to {TOKEN_DAYS_MAX} days.");
            return Err(PeopleError::BadOption(wrong));
        }
        let secret = Secret::make("plm_")?;
        let expires_ms = self.after(Duration::from_secs(u64::from(new.days) * DAY_SECS));
        let (hash, role) = (&secret.hash, new.role);
        let token = self.store.token_insert(hash, &person.id, name, role, expires_ms).await?;
        Ok(TokenMade { token, secret: secret.text })
    }
}

fn check_name(name: &str, what: &str) -> Result<(), PeopleError> {
    let wrong = if name.is_empty() {
        "is not empty".to_owned()
    } else if name.chars().count() > NAME_CHARS_MAX {
        format!("has {NAME_CHARS_MAX} characters at most")
    } else if name.chars().any(char::is_control) {
        "is one line of text".to_owned()
    } else {
        return Ok(());
    };
    Err(PeopleError::BadOption(format!("{what} {wrong}.")))
}

#[cfg(test)]
mod tests;
