//! Every error is a status and a body that says what and what to do.

use serde_json::json;

use crate::http_client::Server;

#[test]
fn what_cannot_be_read_is_answered_with_a_sentence() {
    let server = Server::start();
    server.get("/api/v1/none").assert_error(404, "not_found");
    server.get("/api/v2/about").assert_error(404, "not_found");
    server.send("POST /api/v1/about", &[], b"").assert_error(404, "not_found");
    let is_json = [("Content-Type", "application/json")];
    server.send("POST /api/v1/plan", &is_json, b"{").assert_error(400, "bad_request");
    server.send("POST /api/v1/plan", &is_json, b"{}").assert_error(400, "bad_request");
    server.send("POST /api/v1/plan", &[], b"{}").assert_error(400, "bad_request");
    server.get("/api/v1/runs?limit=many").assert_error(400, "bad_request");
    let large = vec![b' '; 5 << 20];
    server.send("POST /api/v1/plan", &is_json, &large).assert_error(413, "too_large");
}

#[test]
fn what_does_not_exist_is_named() {
    let server = Server::start();
    for path in [
        "/api/v1/sources/01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "/api/v1/sources/..%2f..%2fetc%2fpasswd",
        "/api/v1/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "/api/v1/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV/events",
        "/api/v1/runs/%2e%2e/rejects.csv",
        "/api/v1/targets/none/databases",
    ] {
        server.get(path).assert_error(404, "not_found");
    }
    let plan = json!({
        "source_id": "none", "target_id": "none", "database": "d", "table": "t"
    });
    for line in ["POST /api/v1/plan", "POST /api/v1/check", "POST /api/v1/runs"] {
        server.json(line, &plan).assert_error(404, "not_found");
    }
    for line in ["POST /api/v1/runs/none/cancel", "POST /api/v1/runs/none/resume"] {
        server.send(line, &[], b"").assert_error(404, "not_found");
    }
}

#[test]
fn a_target_is_checked_saved_listed_and_forgotten() {
    let server = Server::start();
    let mut target = json!({"name": " shop ", "host": "127.0.0.1", "port": 1, "user": "amy",
                            "password": "geheim"});
    let saved = server.json("POST /api/v1/targets", &target);
    assert_eq!(saved.status, 201, "{}", saved.text());
    assert_eq!(saved.json()["name"], "shop");
    assert!(!saved.text().contains("geheim"));
    server.json("POST /api/v1/targets", &target).assert_error(409, "conflict");
    let listed = server.get("/api/v1/targets");
    assert_eq!(listed.json().as_array().map(Vec::len), Some(1));
    assert!(!listed.text().contains("geheim"));

    let test = server.json("POST /api/v1/targets/test", &target);
    test.assert_error(424, "cannot_connect");
    assert!(!test.text().contains("geheim"));
    let id = saved.json()["id"].as_str().unwrap().to_owned();
    server.get(&format!("/api/v1/targets/{id}/databases")).assert_error(424, "cannot_connect");

    for (field, value) in [("name", json!("")), ("user", json!("")), ("host", json!(""))] {
        let kept = target[field].take();
        target[field] = value;
        server.json("POST /api/v1/targets", &target).assert_error(400, "bad_option");
        target[field] = kept;
    }
    let gone = server.send(&format!("DELETE /api/v1/targets/{id}"), &[], b"");
    assert_eq!(gone.status, 204);
    server.send(&format!("DELETE /api/v1/targets/{id}"), &[], b"").assert_error(404, "not_found");
}

#[test]
fn about_and_health_answer() {
    let server = Server::start();
    let about = server.get("/api/v1/about").json();
    assert_eq!(about["who"], "amy");
    assert!(about["disk_free_bytes"].as_u64() > Some(0));
    assert_eq!(server.get("/healthz").json()["status"], "ok");
    assert_eq!(server.get("/readyz").json()["status"], "ready");
    let runs = server.get("/api/v1/runs").json();
    assert_eq!(runs["total"], 0);
}
