//! Files read right, end to end: the collected faults of real imports, several files as one, files of
//! the service's machine, rejects mended and loaded alone, the same table whatever the workers.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use plimsoll_tests::{Plimsoll, mariadb, servers};
use serde_json::{Value, json};

use crate::http_client::Server;

/// The collection of real faults, where it lies beside the clone or `PLIMSOLL_CASES` names it.
fn cases() -> Option<PathBuf> {
    let named = std::env::var_os("PLIMSOLL_CASES").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    let found = named.unwrap_or(beside).join("run");
    let python = Command::new("python3").args(["-c", "import pymysql"]).output();
    (found.is_file() && python.is_ok_and(|p| p.status.success())).then_some(found)
}

#[test]
fn real_faults_come_out_right() -> Result<()> {
    let Some(cases) = cases() else { return Ok(()) };
    // One of them switches LOCAL off for the whole server, which other tests are using.
    let own = |name: &str| name.len() > 3 && !name.starts_with("065");
    let folders = std::fs::read_dir(cases.parent().unwrap_or(&cases))?.flatten();
    let names = folders.map(|f| f.file_name().to_string_lossy().into_owned());
    let ids: Vec<String> =
        names.filter(|n| own(n)).filter_map(|n| n.get(..3).map(str::to_owned)).collect();
    for server in servers()? {
        let plimsoll = Plimsoll::new()?;
        let output = Command::new("python3")
            .arg(&cases)
            .args(["--quiet", "--url", server.url(), "--bin"])
            .arg(plimsoll.program())
            .args(&ids)
            .env("PLIMSOLL_DATA", plimsoll.data())
            .output()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    Ok(())
}

/// A table of everything that is hard to keep apart, as CSV: `rows` records.
fn odd_table(rows: u64) -> String {
    let mut text = String::from("id,amount,note,at\n");
    for id in 0..rows {
        let note = match id % 7 {
            0 => "plain".to_owned(),
            1 => format!("\"line {id}\nnext, \"\"quoted\"\"\""),
            2 => "\"\\N\"".to_owned(),
            3 => String::new(),
            4 => "\"tab\there\\\"".to_owned(),
            5 => "naïve 数据".to_owned(),
            _ => format!("\"{id},not a row\n{id},1.5,x,2024-01-01 00:00:00\""),
        };
        let (day, minute) = (id % 28 + 1, id % 60);
        text.push_str(&format!(
            "{id},{}.{:02},{note},2024-02-{day:02} 10:{minute:02}:00\n",
            id % 90,
            id % 100
        ));
    }
    text
}

#[tokio::test]
async fn one_worker_and_eight_make_the_same_table() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        let plimsoll = Plimsoll::new()?;
        let file = plimsoll.data().join("odd.csv");
        std::fs::write(&file, odd_table(9_000))?;
        let mut sums = Vec::new();
        for (table, workers, chunk) in
            [("one", "1", "1M"), ("eight", "8", "7k"), ("tiny", "8", "4k")]
        {
            let (file, url) = (file.to_string_lossy(), database.url());
            let words = ["import", &*file, "--to", &url, "--table", table];
            let more = ["--workers", workers, "--chunk-bytes", chunk];
            let (code, report) = plimsoll.json(words.iter().chain(&more))?;
            assert_eq!(code, Some(0), "{report}");
            let sum = "COUNT(*), SUM(CRC32(CONCAT_WS('~', id, amount, HEX(note), at))), SUM(note IS NULL)";
            sums.push(database.rows(&format!("SELECT {sum} FROM `{table}`")).await?);
        }
        assert_eq!(sums[0][0][0].as_deref(), Some("9000"));
        assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
    }
    Ok(())
}

#[tokio::test]
async fn rejects_are_mended_and_loaded_alone() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(5), n INT)").await?;
        let plimsoll = Plimsoll::new()?;
        let file = plimsoll.data().join("in.csv");
        std::fs::write(
            &file,
            "# made by hand\nid;name;n\n1;\"a;b\";1\n2;toolong;2\n3;c;x\n3;d;4\n",
        )?;
        let url = database.url();
        let words = ["import", &*file.to_string_lossy(), "--to", &url, "--table", "t"];
        let (code, report) = plimsoll.json(words.iter().chain(&["--on-error", "reject"]))?;
        assert_eq!((code, &report["rows_rejected"]), (Some(3), &json!(2)), "{report}");
        let run = report["run_id"].as_str().unwrap();
        let records = plimsoll.run(["rejects", run])?.stdout;
        assert_eq!(String::from_utf8(records)?, "id;name;n\n2;toolong;2\n3;c;x\n");
        let mended = plimsoll.data().join("mended.csv");
        std::fs::write(&mended, "id;name;n\n2;long;2\n4;c;9\n")?;
        let mended = mended.to_string_lossy();
        let (code, report) = plimsoll.json(["mend", run, &*mended, "--to", &url])?;
        assert_eq!((code, &report["rows_loaded"]), (Some(0), &json!(2)), "{report}");
        let rows = database.rows("SELECT CONCAT_WS('|', id, name, n) FROM t ORDER BY id").await?;
        let rows: Vec<_> = rows.into_iter().flatten().flatten().collect();
        assert_eq!(rows, ["1|a;b|1", "2|long|2", "3|d|4", "4|c|9"]);
    }
    Ok(())
}

struct Road {
    server: Server,
    database: plimsoll_tests::TestDatabase,
    target_id: String,
    folder: tempfile::TempDir,
}

impl Road {
    /// A service with a target, and a folder of three files opened for it.
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("may")).unwrap();
        for (name, text) in [
            ("may/a.csv", "id,n\n1,10\n2,20\n"),
            ("may/b.csv", "id,n\n3,30\n"),
            ("other.csv", "x;y;z\n1;2;3\n"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let open = folder.path().to_owned();
        let server = Server::start_with(|options| options.files = Some(open));
        let mariadb = mariadb().unwrap();
        let database = server.runtime().block_on(mariadb.database()).unwrap();
        let target = json!({"name": "test", "user": "root", "socket": mariadb.socket().unwrap()});
        let saved = server.json("POST /api/v1/targets", &target).json();
        let target_id = saved["id"].as_str().unwrap().to_owned();
        Self { server, database, target_id, folder }
    }

    fn source(&self, request: &Value) -> String {
        let made = self.server.json("POST /api/v1/sources", request);
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// Imports a source and waits for the end.
    fn import(&self, source_id: &str, table: &str, options: &Value) -> Value {
        let request = json!({
            "source_id": source_id, "target_id": self.target_id,
            "database": self.database.name(), "table": table, "options": options,
        });
        self.follow(&self.server.json("POST /api/v1/runs", &request).json())
    }

    fn follow(&self, run: &Value) -> Value {
        let id = run["run_id"].as_str().unwrap_or_else(|| panic!("{run}"));
        self.server.get(&format!("/api/v1/runs/{id}/events"));
        self.server.get(&format!("/api/v1/runs/{id}")).json()
    }
}

#[test]
fn files_of_the_services_machine_are_picked_and_stay() {
    let road = Road::open();
    let about = road.server.get("/api/v1/about").json();
    assert_eq!(about["files"], true);
    let seen = road.server.get("/api/v1/files").json();
    let names: Vec<_> = seen["entries"].as_array().unwrap().iter().map(|e| &e["path"]).collect();
    assert_eq!(names, ["may", "other.csv"]);
    for path in ["../x", "..%2f..", "/etc"] {
        assert_eq!(road.server.get(&format!("/api/v1/files?path={path}")).status, 403, "{path}");
    }
    let wrong = road.server.json("POST /api/v1/sources", &json!({"files": ["../secret"]}));
    assert_eq!(wrong.status, 403, "{}", wrong.text());

    let source = road.source(&json!({"files": ["may/*.csv"]}));
    let profile = road
        .server
        .json(&format!("POST /api/v1/sources/{source}/profile"), &json!({"whole": true}));
    assert_eq!(profile.json()["profile"]["rows"], 3, "{}", profile.text());
    let run = road.import(&source, "t", &json!({}));
    assert_eq!((&run["status"], &run["rows_loaded"]), (&json!("succeeded"), &json!(3)), "{run}");
    let deleted = road.server.send(&format!("DELETE /api/v1/sources/{source}"), &[], b"");
    assert_eq!(deleted.status, 204);
    assert!(road.folder.path().join("may/a.csv").exists());
}

#[test]
fn without_a_folder_nothing_is_shown() {
    let server = Server::start();
    assert_eq!(server.get("/api/v1/files").status, 404);
    assert_eq!(server.json("POST /api/v1/sources", &json!({"files": ["a"]})).status, 404);
}

#[test]
fn several_sources_are_one_import_and_rejects_are_mended_over_http() {
    let road = Road::open();
    let (a, b) = (
        road.source(&json!({"files": ["may/b.csv"]})),
        road.source(&json!({"files": ["may/a.csv"]})),
    );
    let both = road.source(&json!({"uploads": [a, b]}));
    let database = road.database.name().to_owned();
    let table =
        format!("CREATE TABLE `{database}`.t (id INT PRIMARY KEY, n TINYINT CHECK (n < 30))");
    road.server.runtime().block_on(road.database.run(&table)).unwrap();
    let run = road.import(&both, "t", &json!({"on_error": "reject"}));
    assert_eq!((&run["rows_loaded"], &run["rows_rejected"]), (&json!(2), &json!(1)), "{run}");
    let id = run["run_id"].as_str().unwrap();
    let records = road.server.get(&format!("/api/v1/runs/{id}/records"));
    assert_eq!(records.text(), "id,n\n3,30\n");
    let body = b"id,n\n3,29\n";
    let mended = road.server.send(&format!("POST /api/v1/runs/{id}/mend"), &[], body);
    assert_eq!(mended.status, 202, "{}", mended.text());
    let run = road.follow(&mended.json());
    assert_eq!((&run["status"], &run["rows_loaded"]), (&json!("succeeded"), &json!(1)), "{run}");
}
