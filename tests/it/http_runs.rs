//! The whole road through the API: upload, profile, plan, run, events, history, rejects.

use std::io::Write as _;

use plimsoll_tests::{TestDatabase, mariadb};
use serde_json::{Value, json};

use crate::http_client::{Answer, Server};

/// A service with a target and a database of its own there.
struct Road {
    server: Server,
    database: TestDatabase,
    target_id: String,
}

impl Road {
    fn open() -> Self {
        let server = Server::start();
        let mariadb = mariadb().unwrap();
        let database = server.runtime().block_on(mariadb.database()).unwrap();
        let target = json!({"name": "test", "user": "root", "socket": mariadb.socket().unwrap()});
        let saved = server.json("POST /api/v1/targets", &target);
        assert_eq!(saved.status, 201, "{}", saved.text());
        let target_id = saved.json()["id"].as_str().unwrap().to_owned();
        Self { server, database, target_id }
    }

    fn upload(&self, text: &str) -> String {
        let length = text.len().to_string();
        // trips.csv
        let headers = [
            ("Tus-Resumable", "1.0.0"),
            ("Upload-Length", length.as_str()),
            ("Upload-Metadata", "filename dHJpcHMuY3N2"),
        ];
        let begun = self.server.send("POST /api/v1/uploads", &headers, b"");
        let at = begun.header("location").unwrap().to_owned();
        let headers = [
            ("Tus-Resumable", "1.0.0"),
            ("Upload-Offset", "0"),
            ("Content-Type", "application/offset+octet-stream"),
        ];
        let sent = self.server.send(&format!("PATCH {at}"), &headers, text.as_bytes());
        assert_eq!(sent.status, 204, "{}", sent.text());
        at.rsplit('/').next().unwrap().to_owned()
    }

    fn request(&self, source_id: &str, table: &str, options: &Value) -> Value {
        json!({
            "source_id": source_id, "target_id": self.target_id,
            "database": self.database.name(), "table": table, "options": options,
        })
    }

    /// Starts a run and follows its events to the end.
    fn run(&self, request: &Value) -> (Value, Vec<Event>) {
        let started = self.server.json("POST /api/v1/runs", request);
        assert_eq!(started.status, 202, "{}", started.text());
        let run_id = started.json()["run_id"].as_str().unwrap().to_owned();
        assert_eq!(started.header("location"), Some(&*format!("/api/v1/runs/{run_id}")));
        let events = self.server.get(&format!("/api/v1/runs/{run_id}/events"));
        assert_eq!(events.header("content-type"), Some("text/event-stream"));
        assert_eq!(events.header("cache-control"), Some("no-store"));
        let events = Event::all(&events);
        let end = events.last().unwrap();
        assert_eq!((end.name.as_str(), end.id.as_str()), ("end", "end"));
        (end.data.clone(), events)
    }

    fn count(&self, table: &str) -> u64 {
        self.server.runtime().block_on(self.database.count(table)).unwrap()
    }
}

struct Event {
    name: String,
    id: String,
    data: Value,
}

impl Event {
    fn all(answer: &Answer) -> Vec<Self> {
        let text = answer.text();
        let blocks = text.split("\n\n").filter(|b| !b.is_empty() && !b.starts_with(':'));
        blocks
            .map(|block| {
                let field = |name: &str| {
                    let found =
                        block.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(": "));
                    found.unwrap_or_else(|| panic!("no {name} in {block:?}")).to_owned()
                };
                let data = serde_json::from_str(&field("data")).unwrap();
                Self { name: field("event"), id: field("id"), data }
            })
            .collect()
    }
}

fn rows(count: u32) -> String {
    let mut text = String::from("id,name,price\n");
    for i in 1..=count {
        text.push_str(&format!("{i},ale {i},{}.{:02}\n", i % 90, i % 100));
    }
    text
}

#[test]
fn a_dropped_file_becomes_a_table() {
    let road = Road::open();
    let server = &road.server;
    let source_id = road.upload(&rows(5000));
    let request = road.request(&source_id, "trips", &json!({}));
    let plan = server.json("POST /api/v1/plan", &request);
    assert_eq!(plan.status, 200, "{}", plan.text());
    let plan = plan.json();
    assert!(plan["create_table"].as_str().is_some_and(|sql| sql.contains("CREATE TABLE")));
    assert!(plan["candidates"].as_array().is_some_and(|c| c.len() > 1), "{plan}");

    let (run, events) = road.run(&request);
    assert_eq!(run["status"], "succeeded", "{run}");
    assert_eq!(run["who"], "amy");
    assert_eq!((&run["file"], &run["rows_loaded"]), (&json!("trips.csv"), &json!(5000)));
    assert_eq!(road.count("trips"), 5000);
    let progress: Vec<&Event> = events.iter().filter(|e| e.name == "progress").collect();
    assert_eq!(progress.last().unwrap().data["status"], "succeeded");
    assert_eq!(progress.last().unwrap().data["rows_loaded"], 5000);
    for (i, event) in progress.iter().enumerate() {
        assert_eq!(event.id, (i + 1).to_string());
    }

    let run_id = run["run_id"].as_str().unwrap();
    let history = server.get("/api/v1/runs?status=succeeded&text=trips").json();
    assert_eq!(history["total"], 1);
    assert_eq!(history["runs"][0]["run_id"], run_id);
    assert_eq!(server.get("/api/v1/runs?status=failed").json()["total"], 0);
    assert_eq!(server.get(&format!("/api/v1/runs/{run_id}")).json()["status"], "succeeded");

    // Who comes late gets the state and the end at once; who has had the end is sent away.
    let events_path = format!("/api/v1/runs/{run_id}/events");
    let late = Event::all(&server.get(&events_path));
    let names: Vec<&str> = late.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["progress", "end"]);
    let again = server.send(&format!("GET {events_path}"), &[("Last-Event-ID", "end")], b"");
    assert_eq!(again.status, 204);

    let cancel = server.send(&format!("POST /api/v1/runs/{run_id}/cancel"), &[], b"");
    cancel.assert_error(409, "conflict");
    let resume = server.send(&format!("POST /api/v1/runs/{run_id}/resume"), &[], b"");
    resume.assert_error(409, "conflict");
}

#[test]
fn a_run_and_its_page_survive_a_restart() {
    let mut road = Road::open();
    let source_id = road.upload(&rows(100));
    let (run, _) = road.run(&road.request(&source_id, "kept", &json!({})));
    road.server.restart_with(|_| {});
    let path = format!("/api/v1/runs/{}", run["run_id"].as_str().unwrap());
    assert_eq!(road.server.get(&path).json(), run);
}

#[test]
fn rejects_are_paged_and_downloaded_safely() {
    let road = Road::open();
    let server = &road.server;
    let sql = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(8))";
    server.runtime().block_on(road.database.run(sql)).unwrap();
    let text = "id,name\n1,good\n2,=HYPERLINK(1)\n3,fine\n4,\"+cmd|' /C calc'!A0\"\nx,bad\n";
    let source_id = road.upload(text);
    let options = json!({"mode": "append", "on_error": "reject"});

    let check = server.json("POST /api/v1/check", &road.request(&source_id, "t", &options));
    assert_eq!(check.status, 200, "{}", check.text());
    assert_eq!((&check.json()["rows_read"], &check.json()["rows_refused"]), (&json!(5), &json!(3)));
    assert_eq!(road.count("t"), 0);

    let (run, _) = road.run(&road.request(&source_id, "t", &options));
    assert_eq!(run["status"], "succeeded_with_rejects", "{run}");
    assert_eq!((&run["rows_loaded"], &run["rows_rejected"]), (&json!(2), &json!(3)));
    let run_id = run["run_id"].as_str().unwrap();
    let page = server.get(&format!("/api/v1/runs/{run_id}/rejects?offset=1&limit=1")).json();
    assert_eq!(page["total"], 3);
    assert_eq!(page["rejects"].as_array().map(Vec::len), Some(1));
    assert_eq!(page["rejects"][0]["row"], 4);
    let cut = server.get(&format!("/api/v1/runs/{run_id}/rejects?raw_chars=3")).json();
    assert_eq!(cut["rejects"][0]["raw"], "2,=…");

    let csv = server.get(&format!("/api/v1/runs/{run_id}/rejects.csv"));
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
    let disposition = csv.header("content-disposition").unwrap();
    assert!(disposition.starts_with("attachment; filename=\"trips-rejects.csv\""), "{disposition}");
    let text = csv.text();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("row,line,column,value,key,code,message,raw\r\n"), "{text}");
    assert!(text.contains(",\"'=HYPERLINK(1)\","), "{text}");
    assert!(text.contains(",\"'+cmd|' /C calc'!A0\","), "{text}");
}

#[test]
fn a_plan_for_a_file_that_is_still_arriving_waits() {
    let road = Road::open();
    let headers = [("Tus-Resumable", "1.0.0"), ("Upload-Length", "10")];
    let begun = road.server.send("POST /api/v1/uploads", &headers, b"");
    let id = begun.header("location").unwrap().rsplit('/').next().unwrap();
    let request = road.request(id, "t", &json!({}));
    for line in ["POST /api/v1/plan", "POST /api/v1/check", "POST /api/v1/runs"] {
        road.server.json(line, &request).assert_error(409, "conflict");
    }
}

#[test]
fn names_are_names_and_never_sql() {
    let road = Road::open();
    let target = &road.target_id;
    for name in ["x%60%3B%20DROP%20TABLE%20t", "a'b%22c", "..%2f..", "%25%5f"] {
        let tables = road.server.get(&format!("/api/v1/targets/{target}/databases/{name}/tables"));
        assert!(tables.status < 500, "{name}: {} {}", tables.status, tables.text());
        let database = road.database.name();
        let path = format!("/api/v1/targets/{target}/databases/{database}/tables/{name}");
        road.server.get(&path).assert_error(404, "no_such_table");
    }
}

#[test]
fn a_recipe_serves_plan_and_run() {
    let road = Road::open();
    let server = &road.server;
    let sql = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(8), city VARCHAR(8) NOT NULL)";
    server.runtime().block_on(road.database.run(sql)).unwrap();
    let source_id = road.upload("id,name\n1,ale\n2,-\n");

    // A column that must have a value and gets none stops everything before a row is written.
    let bare = road.request(&source_id, "t", &json!({"mode": "append"}));
    let refused = server.json("POST /api/v1/plan", &bare);
    assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("missing_column")));
    let (run, _) = road.run(&bare);
    assert_eq!(
        (&run["status"], &run["error"]["code"]),
        (&json!("failed"), &json!("missing_column"))
    );
    assert_eq!(road.count("t"), 0);

    let options = json!({"mode": "append", "null": ["-"],
        "columns": [{"column": "id", "from": "id"}, {"column": "name", "from": "name"},
            {"column": "city", "constant": "Oslo"}]});
    let new = json!({"name": "nightly", "source_id": source_id, "options": options});
    assert_eq!(server.json("POST /api/v1/recipes", &new).status, 201);
    let mut request = road.request(&source_id, "t", &json!({}));
    request["recipe"] = json!("Nightly");
    assert_eq!(server.json("POST /api/v1/plan", &request).status, 200);
    let (run, _) = road.run(&request);
    assert_eq!(run["status"], "succeeded", "{run}");
    assert!(run["curve"].as_array().is_some_and(|c| c.len() > 2), "{run}");
    assert_eq!(server.get("/api/v1/recipes").json()[0]["uses"], 1);
    let sql = "SELECT COUNT(*) FROM t WHERE city = 'Oslo' AND (name IS NULL OR name = 'ale')";
    let found: u64 = server.runtime().block_on(road.database.value(sql)).unwrap();
    assert_eq!(found, 2);
    request["recipe"] = json!("no such");
    server.json("POST /api/v1/plan", &request).assert_error(404, "not_found");
}

#[test]
fn clients_that_leave_the_events_early_do_no_harm() {
    let road = Road::open();
    let source_id = road.upload(&rows(10));
    let (run, _) = road.run(&road.request(&source_id, "t", &json!({})));
    let path = format!("GET /api/v1/runs/{}/events", run["run_id"].as_str().unwrap());
    for _ in 0..50 {
        let mut stream = road.server.connect();
        let head = road.server.head(&path, &[], None);
        stream.write_all(head.as_bytes()).unwrap();
    }
    assert_eq!(road.server.get("/healthz").status, 200);
}
