//! How people get in, and how that ends, against a clock that stands until it is moved.

use std::sync::atomic::AtomicI64;

use super::*;

/// Accounts with a clock that stands until it is moved.
struct Team {
    people: People,
    clock: Arc<AtomicI64>,
    _dir: tempfile::TempDir,
}

const GOOD: &str = "correct horse";

impl Team {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        let clock = Arc::new(AtomicI64::new(1_000_000));
        let tells = clock.clone();
        let people = People::new(store, Arc::new(move || tells.load(Ordering::Relaxed)));
        Self { people, clock, _dir: dir }
    }

    fn pass(&self, time: Duration) {
        self.clock.fetch_add(time.as_millis() as i64, Ordering::Relaxed);
    }

    async fn joined(&self, name: &str, role: Role) -> Session {
        let invitation = self.people.add(name, role).await.unwrap();
        self.people.accept(&invitation.code, GOOD, "::1").await.unwrap()
    }
}

#[tokio::test]
async fn an_invitation_sets_a_password_once_and_expires() {
    let team = Team::new().await;
    let first = team.people.add(" amy ", Role::Admin).await.unwrap();
    assert_eq!(first.person.name, "amy");
    let poor = team.people.accept(&first.code, "short", "::1").await;
    assert!(matches!(poor, Err(PeopleError::BadOption(_))));
    let session = team.people.accept(&first.code, GOOD, "::1").await.unwrap();
    let again = team.people.accept(&first.code, GOOD, "::1").await;
    assert!(matches!(again, Err(PeopleError::WrongInvitation)));
    let who = team.people.by_session(&session.secret).await.unwrap().unwrap();
    assert_eq!((who.name.as_str(), who.role), ("amy", Role::Admin));

    let second = team.people.add("bo", Role::Viewer).await.unwrap();
    team.pass(INVITED_FOR);
    let late = team.people.accept(&second.code, GOOD, "::1").await;
    assert!(matches!(late, Err(PeopleError::WrongInvitation)));
    let third = team.people.invite(&second.person.id).await.unwrap();
    assert!(team.people.accept(&third.code, GOOD, "::1").await.is_ok());
}

#[tokio::test]
async fn a_login_tells_nothing_of_who_there_is() {
    let team = Team::new().await;
    team.joined("amy", Role::Admin).await;
    let invited = team.people.add("bo", Role::Viewer).await.unwrap();
    let kept_out = team.joined("cy", Role::Viewer).await;
    let store = &team.people.store;
    store.person_change(&kept_out.person.id, None, Some(true)).await.unwrap();
    for (name, password) in [("amy", "wrong"), ("nobody", GOOD), ("bo", GOOD), ("cy", GOOD)] {
        let refused = team.people.log_in(name, password, "::1").await.unwrap_err();
        assert_eq!(refused.body(), PeopleError::WrongLogin.body(), "{name}");
    }
    assert!(team.people.log_in("AMY", GOOD, "::1").await.is_ok());
    assert!(team.people.by_session(&kept_out.secret).await.unwrap().is_none());
    assert!(team.people.invite(&kept_out.person.id).await.is_err());
    assert!(!invited.person.joined);
}

#[tokio::test]
async fn a_session_ends_by_time_by_leaving_and_by_another_password() {
    let team = Team::new().await;
    let here = team.joined("amy", Role::Admin).await;
    let there = team.people.log_in("amy", GOOD, "::1").await.unwrap();
    let wrong = team.people.change_password(&here, "wrong", "another horse", "::1").await;
    assert!(matches!(wrong, Err(PeopleError::WrongLogin)));
    team.people.change_password(&here, GOOD, "another horse", "::1").await.unwrap();
    assert!(team.people.by_session(&there.secret).await.unwrap().is_none());
    assert!(team.people.by_session(&here.secret).await.unwrap().is_some());
    let there = team.people.log_in("amy", "another horse", "::1").await.unwrap();
    team.people.log_out(&there.secret).await.unwrap();
    assert!(team.people.by_session(&there.secret).await.unwrap().is_none());
    team.pass(SESSION_FOR);
    assert!(team.people.by_session(&here.secret).await.unwrap().is_none());
}

#[tokio::test]
async fn a_token_is_never_more_than_its_owner_and_expires() {
    let team = Team::new().await;
    team.joined("root", Role::Admin).await;
    let amy = team.joined("amy", Role::Planner).await.person;
    let new = |role, days| NewToken { name: "nightly".to_owned(), role, days };
    for wrong in [new(Role::Admin, 1), new(Role::Viewer, 0), new(Role::Viewer, 367)] {
        assert!(team.people.make_token(&amy, &wrong).await.is_err(), "{wrong:?}");
    }
    let made = team.people.make_token(&amy, &new(Role::Planner, 2)).await.unwrap();
    assert!(made.secret.starts_with("plm_"));
    let role = async || team.people.by_token(&made.secret).await.unwrap().map(|p| p.role);
    assert_eq!(role().await, Some(Role::Planner));
    team.people.store.person_change(&amy.id, Some(Role::Importer), None).await.unwrap();
    assert_eq!(role().await, Some(Role::Importer));
    team.people.store.person_change(&amy.id, Some(Role::Admin), None).await.unwrap();
    assert_eq!(role().await, Some(Role::Planner));
    team.pass(Duration::from_secs(2 * DAY_SECS));
    assert_eq!(role().await, None);
}

#[tokio::test]
async fn guessing_is_stopped_for_a_while() {
    let team = Team::new().await;
    team.joined("amy", Role::Admin).await;
    let mut last = None;
    for i in 0..11 {
        last = team.people.log_in("amy", "wrong", &format!("10.0.0.{i}")).await.err();
    }
    assert!(matches!(last, Some(PeopleError::TooMany { .. })), "{last:?}");
    assert!(team.people.log_in("amy", GOOD, "::1").await.is_err());
    team.pass(Duration::from_secs(15 * 60));
    assert!(team.people.log_in("amy", GOOD, "::1").await.is_ok());
}
