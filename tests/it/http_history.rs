//! The history through the API: filters, order, trend, CSV; recipes from keeping to use.

use plimsoll::store::{NewRun, RunEnd, RunTick, Store};
use serde_json::{Value, json};
use shared::options::ImportOptions;
use shared::run::{RunStatus, RunView};

use crate::http_client::Server;

/// What is different from run to run.
pub struct Past<'a> {
    pub id: &'a str,
    pub who: &'a str,
    pub file: &'a str,
    pub engine: &'a str,
    pub rows: u64,
    pub day: u32,
}

const QUEUED: &str = r#"{
    "run_id": "", "who": "amy", "status": "queued", "step": null, "file": "", "file_bytes": 10,
    "source_id": null, "target": "shop", "target_id": null, "server": "", "database": "db",
    "table": "orders", "options": {}, "rows_read": 0, "rows_loaded": 0, "rows_rejected": 0,
    "rows_skipped": 0, "bytes_read": 0, "retries": 0, "rows_per_sec": null, "estimate": null,
    "steps": [], "error": null, "resumable": false, "created_at": "", "started_at": null,
    "ended_at": null, "elapsed_ms": 0,
    "choice": {"engine": "", "strategy": "load_data", "order": "as_is", "index_policy": "keep",
        "visibility": "all_at_once", "mode": "append", "on_duplicate": "reject", "on_error": "stop",
        "workers": 2, "chunk_bytes": 1, "batch_bytes": 1, "batch_rows": null, "check_first": false}
}"#;

/// Records a run that succeeded, in one second.
pub async fn record(store: &Store, past: &Past<'_>) {
    let mut view: RunView = serde_json::from_str(QUEUED).unwrap();
    view.run_id = past.id.to_owned();
    view.who = past.who.to_owned();
    view.file = past.file.to_owned();
    view.choice.engine = past.engine.to_owned();
    view.created_at = format!("2026-03-{:02}T10:00:00.000Z", past.day);
    let run = NewRun {
        view,
        input: json!({}),
        password: None,
        options_fingerprint: String::new(),
        trial_id: None,
    };
    store.run_insert(&run).await.unwrap();
    store.run_claim(past.id, RunStatus::Queued, "owner").await.unwrap();
    let end = RunEnd {
        status: RunStatus::Succeeded,
        tick: RunTick { rows_loaded: past.rows, elapsed_ms: 1000, ..RunTick::default() },
        error: None,
        outcome: None,
        resumable: false,
        left_behind: false,
        curve: vec![],
    };
    store.run_end(past.id, RunStatus::Running, &end).await.unwrap();
}

fn server_with_past() -> Server {
    let server = Server::start();
    server.runtime().block_on(async {
        let store = Store::open(server.data_dir(), None).await.unwrap();
        for past in [
            Past { id: "01A", who: "amy", file: "b.csv", engine: "InnoDB", rows: 5_000, day: 1 },
            Past {
                id: "01B",
                who: "amy",
                file: "=cmd|' /C calc'!A0.csv",
                engine: "Aria",
                rows: 9_000,
                day: 2,
            },
            Past { id: "01C", who: "amy", file: "c.csv", engine: "InnoDB", rows: 10, day: 3 },
        ] {
            record(&store, &past).await;
        }
    });
    server
}

fn ids(server: &Server, search: &str) -> Vec<String> {
    let page = server.get(&format!("/api/v1/runs?{search}")).json();
    let runs = page["runs"].as_array().unwrap_or_else(|| panic!("{page}"));
    runs.iter().map(|r| r["run_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_history_is_sorted_and_cut_by_days() {
    let server = server_with_past();
    assert_eq!(ids(&server, ""), ["01C", "01B", "01A"]);
    assert_eq!(ids(&server, "ascending=true"), ["01A", "01B", "01C"]);
    assert_eq!(ids(&server, "sort=rows"), ["01B", "01A", "01C"]);
    assert_eq!(ids(&server, "sort=file&ascending=true"), ["01B", "01A", "01C"]);
    assert_eq!(ids(&server, "from=2026-03-02&to=2026-03-02"), ["01B"]);
    assert_eq!(ids(&server, "engine=InnoDB&sort=rate&limit=1"), ["01A"]);
    assert_eq!(ids(&server, "table=orders&database=other"), [""; 0]);
    server.get("/api/v1/runs?sort=luck").assert_error(400, "bad_request");
    let facets = server.get("/api/v1/runs/facets").json();
    assert_eq!(facets["engines"], json!(["Aria", "InnoDB"]));
    assert_eq!(facets["people"], json!(["amy"]));
}

#[test]
fn the_trend_leaves_small_runs_out() {
    let server = server_with_past();
    let trend = server.get("/api/v1/runs/trend").json();
    assert_eq!(trend["rows_min"], 1000);
    let series = trend["series"].as_array().unwrap();
    assert_eq!(series.len(), 2, "{trend}");
    let innodb = series.iter().find(|s| s["engine"] == "InnoDB").unwrap();
    assert_eq!(innodb["points"].as_array().map(Vec::len), Some(1));
    assert_eq!(innodb["points"][0]["run_id"], "01A");
}

#[test]
fn the_history_leaves_as_csv_without_formulas() {
    let server = server_with_past();
    let csv = server.get("/api/v1/runs.csv?sort=rows");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
    let text = csv.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("run_id,created_at,"), "{text}");
    assert!(lines[1].starts_with("01B,") && lines[1].contains(",\"'=cmd|' /C calc'!A0.csv\","));
    assert_eq!(lines[0].split(',').count(), lines[2].split(',').count(), "{text}");
}

#[test]
fn a_recipe_is_kept_for_a_file_and_used_by_name() {
    let server = Server::start();
    let source_id = upload(&server, "id;name\n1;a\n");
    let options = json!({"null": ["-"], "workers": 1});
    let new = json!({"name": " nightly ", "source_id": source_id, "options": options,
        "place": {"table": "people"}});
    let kept = server.json("POST /api/v1/recipes", &new);
    assert_eq!(kept.status, 201, "{}", kept.text());
    assert_eq!(kept.json()["name"], "nightly");
    assert_eq!(kept.json()["shape"], json!({"format": "csv", "columns": ["id", "name"]}));
    server.json("POST /api/v1/recipes", &new).assert_error(409, "conflict");
    let mut again = new.clone();
    again["replace"] = Value::Bool(true);
    again["options"]["workers"] = json!(3);
    assert_eq!(server.json("POST /api/v1/recipes", &again).status, 201);
    let all = server.get("/api/v1/recipes").json();
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    assert_eq!(all[0]["options"], json!({"null": ["-"], "workers": 3}));

    // A request's own word wins over the recipe's.
    let options: ImportOptions = serde_json::from_value(all[0]["options"].clone()).unwrap();
    let own = ImportOptions { workers: Some(7), ..ImportOptions::default() };
    assert_eq!(own.over(&options).workers, Some(7));

    let mut nameless = new;
    nameless["name"] = json!("  ");
    server.json("POST /api/v1/recipes", &nameless).assert_error(400, "bad_option");
    let id = all[0]["id"].as_str().unwrap();
    let delete = format!("DELETE /api/v1/recipes/{id}");
    assert_eq!(server.send(&delete, &[], b"").status, 204);
    server.send(&delete, &[], b"").assert_error(404, "not_found");
}

fn upload(server: &Server, text: &str) -> String {
    let length = text.len().to_string();
    let headers = [("Tus-Resumable", "1.0.0"), ("Upload-Length", length.as_str())];
    let begun = server.send("POST /api/v1/uploads", &headers, b"");
    let at = begun.header("location").unwrap().to_owned();
    let headers = [
        ("Tus-Resumable", "1.0.0"),
        ("Upload-Offset", "0"),
        ("Content-Type", "application/offset+octet-stream"),
    ];
    let sent = server.send(&format!("PATCH {at}"), &headers, text.as_bytes());
    assert_eq!(sent.status, 204, "{}", sent.text());
    at.rsplit('/').next().unwrap().to_owned()
}
