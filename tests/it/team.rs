//! A service with people who have joined it, and a clock that stands until it is moved.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use plimsoll::people::People;
use plimsoll::store::Store;
use serde_json::{Value, json};
use shared::people::Role;

use crate::http_client::{Answer, Server};

/// Everyone's password.
pub const GOOD: &str = "correct horse";

/// A service with accounts.
pub struct Team {
    pub server: Server,
    clock: Arc<AtomicI64>,
    cookies: HashMap<String, String>,
}

impl Team {
    /// People as `name:role`, the first one an admin; each has joined and is logged in.
    pub fn start(people: &[&str]) -> Self {
        let clock = Arc::new(AtomicI64::new(1_700_000_000_000));
        let tells = clock.clone();
        let clock_of = tells.clone();
        let server = Server::start_with(move |options| {
            options.clock = Arc::new(move || clock_of.load(Ordering::Relaxed));
        });
        let mut team = Self { server, clock, cookies: HashMap::new() };
        for person in people {
            let (name, role) = person.split_once(':').unwrap();
            let code = team.invite(name, Role::parse(role).unwrap(), tells.clone());
            let accept = json!({"code": code, "password": GOOD});
            let entered = team.server.json("POST /api/v1/invitation", &accept);
            team.cookies.insert(name.to_owned(), cookie_of(&entered));
        }
        team
    }

    /// As the command line does it, beside the running service.
    fn invite(&self, name: &str, role: Role, clock: Arc<AtomicI64>) -> String {
        let dir = self.server.data_dir();
        self.server.runtime().block_on(async {
            let store = Store::open(dir, None).await.unwrap();
            let people = People::new(store, Arc::new(move || clock.load(Ordering::Relaxed)));
            people.add(name, role).await.unwrap().code
        })
    }

    /// Lets time go by.
    pub fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    /// The session that someone began with.
    pub fn cookie(&self, name: &str) -> String {
        self.cookies[name].clone()
    }

    /// Takes another session in its place.
    pub fn keep_cookie(&mut self, name: &str, cookie: String) {
        self.cookies.insert(name.to_owned(), cookie);
    }

    /// The control database, beside the running service.
    pub fn store(&self) -> Store {
        let dir = self.server.data_dir();
        self.server.runtime().block_on(Store::open(dir, None)).unwrap()
    }

    /// Begins another one.
    pub fn log_in(&self, name: &str, password: &str) -> String {
        let login = json!({"name": name, "password": password});
        cookie_of(&self.server.json("POST /api/v1/login", &login))
    }

    pub fn send(&self, cookie: &str, line: &str) -> Answer {
        self.server.send(line, &[("Cookie", cookie)], b"")
    }

    pub fn json(&self, cookie: &str, line: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("Cookie", cookie), ("Content-Type", "application/json")];
        self.server.send(line, &headers, body.as_bytes())
    }

    /// The identity of a person.
    pub fn id_of(&self, cookie: &str, name: &str) -> String {
        let people = self.send(cookie, "GET /api/v1/people").json();
        let found = people.as_array().unwrap().iter().find(|p| p["name"] == name).unwrap().clone();
        found["id"].as_str().unwrap().to_owned()
    }
}

fn cookie_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}
