//! The table of rights against the running service: every route, every role, own things and others'.

use std::collections::BTreeSet;

use plimsoll::store::{self, SourceSaved, Store};
use serde_json::{Value, json};
use shared::api::SourceView;
use shared::people::{Action, Role, allows};

use crate::http_docs::routed;
use crate::http_history::{Past, record};
use crate::team::Team;

/// Every route of the API, and what it does. `{run}`, `{source}` and `{token}` are someone's own.
const ROUTES: &[(&str, Action)] = &[
    ("POST /login", Action::LogIn),
    ("POST /invitation", Action::AcceptInvitation),
    ("GET /about", Action::Enter),
    ("POST /account/password", Action::ChangePassword),
    ("GET /tokens", Action::Enter),
    ("POST /tokens", Action::MakeToken),
    ("DELETE /tokens/{token}", Action::RevokeToken),
    ("GET /people", Action::SeePeople),
    ("POST /people", Action::AddPerson),
    ("POST /people/{id}", Action::ChangePerson),
    ("POST /people/{id}/invitation", Action::InvitePerson),
    ("GET /people/{id}/tokens", Action::SeePeople),
    ("GET /audit", Action::SeeAudit),
    ("GET /audit.csv", Action::SeeAudit),
    ("OPTIONS /uploads", Action::Enter),
    ("POST /uploads", Action::Upload),
    ("OPTIONS /uploads/{source}", Action::Enter),
    ("PATCH /uploads/{source}", Action::UseSource),
    ("POST /uploads/{source}", Action::UseSource),
    ("GET /files", Action::Upload),
    ("GET /sources", Action::Upload),
    ("POST /sources", Action::Upload),
    ("GET /sources/{source}", Action::UseSource),
    ("POST /sources/{source}/profile", Action::UseSource),
    ("GET /targets", Action::SeeTargets),
    ("POST /targets", Action::AddTarget),
    ("POST /targets/test", Action::TestTarget),
    ("DELETE /targets/{id}", Action::RemoveTarget),
    ("GET /targets/{id}/capabilities", Action::InspectTarget),
    ("GET /targets/{id}/databases", Action::InspectTarget),
    ("GET /targets/{id}/databases/{db}/tables", Action::InspectTarget),
    ("GET /targets/{id}/databases/{db}/tables/{table}", Action::InspectTarget),
    ("GET /recipes", Action::UseRecipes),
    ("POST /recipes", Action::KeepRecipe),
    ("DELETE /recipes/{id}", Action::ForgetRecipe),
    ("GET /runs", Action::SeeRuns),
    ("GET /runs.csv", Action::SeeRuns),
    ("GET /runs/facets", Action::SeeRuns),
    ("GET /runs/trend", Action::SeeRuns),
    ("GET /runs/{run}", Action::SeeRuns),
    ("POST /plan", Action::Plan),
    ("POST /check", Action::Plan),
    ("POST /runs", Action::StartRun),
    ("POST /runs/{run}/cancel", Action::CancelRun),
    ("POST /runs/{run}/resume", Action::ResumeRun),
    ("GET /runs/{run}/rejects", Action::SeeRejects),
    ("GET /runs/{run}/rejects.csv", Action::SeeRejects),
    ("GET /runs/{run}/records", Action::SeeRejects),
    ("POST /runs/{run}/mend", Action::MendRun),
    ("POST /estimate", Action::Foresee),
    ("GET /estimate/check", Action::Foresee),
    ("POST /estimate/left-out", Action::LeaveOut),
    ("GET /trials", Action::SeeTrials),
    ("POST /trials", Action::StartTrial),
    ("GET /trials/{id}", Action::SeeTrials),
    ("POST /trials/{id}/cancel", Action::CancelTrial),
    // These change what the others need, and come last.
    ("DELETE /sources/{source}", Action::RemoveSource),
    ("DELETE /uploads/{source}", Action::RemoveSource),
    ("POST /logout", Action::LogOut),
];

/// Routes whose answers are of another kind, asked for by themselves.
const APART: &[&str] = &["HEAD /uploads/{id}", "GET /runs/{id}/events"];

/// Someone whose things are nobody else's.
const OTHER: &str = "zoe";

/// What a person has, in the control database.
struct Things {
    run: String,
    source: String,
    token: String,
}

async fn things(store: &Store, who: &str, round: usize) -> Things {
    let run = format!("01{}{round:03}", who.to_uppercase());
    let past = Past { id: &run, who, file: "a.csv", engine: "InnoDB", rows: 1, day: 1 };
    record(store, &past).await;
    let id = store::new_id();
    let path = store.source_path(&id);
    std::fs::write(&path, "id\n1\n").unwrap();
    let view = SourceView {
        id: id.clone(),
        name: "a.csv".to_owned(),
        bytes: 5,
        received_bytes: 5,
        complete: true,
        who: who.to_owned(),
        created_at: store::now(),
        files: Vec::new(),
    };
    store.source_insert(&SourceSaved { view, path, referenced: Vec::new() }).await.unwrap();
    let person = store.person_named(who).await.unwrap().unwrap().view;
    let hash = run.as_bytes();
    let token = store.token_insert(hash, &person.id, "t", Role::Viewer, i64::MAX).await.unwrap();
    Things { run, source: id, token: token.id }
}

/// The path of a route with identities in the place of its names; none where it has none of them.
fn with_identities(route: &str, things: &Things) -> (String, bool) {
    let filled = route
        .replace("{run}", &things.run)
        .replace("{source}", &things.source)
        .replace("{token}", &things.token);
    let is_someones = filled != route;
    let filled = ["{id}", "{db}", "{table}"].iter().fold(filled, |f, name| f.replace(name, "none"));
    let (method, path) = filled.split_once(' ').unwrap();
    (format!("{method} /api/v1{path}"), is_someones)
}

#[test]
fn every_route_lets_in_whom_the_table_of_rights_lets_in_and_nobody_else() {
    let mut team = Team::start(&[
        "root:admin",
        "zoe:planner",
        "vi:viewer",
        "im:importer",
        "pl:planner",
        "ad:admin",
    ]);
    let store = team.store();
    let mut asked = 0;
    for (name, role) in ["vi", "im", "pl", "ad"].into_iter().zip(Role::ALL) {
        for (who, own) in [(OTHER, false), (name, true)] {
            let round = if own { 0 } else { role as usize };
            let mut things = team.server.runtime().block_on(things(&store, who, round));
            for (route, action) in ROUTES {
                let (line, is_someones) = with_identities(route, &things);
                let answer = team.json(&team.cookie(name), &line, &json!({}));
                let may = allows(role, *action, own || !is_someones);
                let what =
                    format!("{line} by {name}, own: {own}: {} {}", answer.status, answer.text());
                assert_eq!(answer.status != 403, may, "{what}");
                assert!(answer.status != 401 || action.is_public(), "{what}");
                assert!(answer.status < 500, "{what}");
                if !may {
                    answer.assert_error(403, "forbidden");
                }
                if *action == Action::RemoveSource && may {
                    things.source = plimsoll::store::new_id();
                }
                asked += 1;
            }
            let apart = [
                (format!("HEAD /api/v1/uploads/{}", things.source), Action::UseSource),
                (format!("GET /api/v1/runs/{}/events", things.run), Action::SeeRuns),
            ];
            let cookie = team.log_in(name, crate::team::GOOD);
            for (line, action) in apart {
                let status = team.send(&cookie, &line).status;
                let gone = line.starts_with("HEAD") && allows(role, Action::RemoveSource, own);
                assert_eq!(status != 403, allows(role, action, own), "{line} by {name}: {status}");
                assert!(gone || [200, 403, 412].contains(&status), "{line} by {name}: {status}");
            }
            team.keep_cookie(name, cookie);
        }
    }
    assert_eq!(asked, ROUTES.len() * 8);
}

#[test]
fn nobody_is_let_in_without_a_login() {
    let team = Team::start(&["root:admin"]);
    let nothing = Things { run: "r".into(), source: "s".into(), token: "t".into() };
    for (route, action) in ROUTES {
        let (line, _) = with_identities(route, &nothing);
        let answer = team.json("", &line, &json!({}));
        if action.is_public() {
            answer.assert_error(400, "bad_request");
        } else {
            answer.assert_error(401, "login_needed");
        }
    }
}

#[test]
fn every_route_is_in_the_matrix_with_the_action_that_it_names() {
    let plain = |route: &str| {
        ["{run}", "{source}", "{token}"].iter().fold(route.to_owned(), |r, n| r.replace(n, "{id}"))
    };
    let listed: BTreeSet<(String, String)> =
        ROUTES.iter().map(|(route, action)| (plain(route), format!("{action:?}"))).collect();
    let routed: BTreeSet<(String, String)> = routed()
        .into_iter()
        .filter_map(|(route, action)| Some((route, action?)))
        .filter(|(route, _)| !APART.contains(&route.as_str()))
        .collect();
    assert_eq!(listed, routed);
    // Only what takes the gate's routes makes routes of the API.
    let unguarded = crate::http_docs::routed().into_iter().filter(|(_, action)| action.is_none());
    let unguarded: Vec<String> = unguarded.map(|(route, _)| route).collect();
    assert_eq!(unguarded, ["GET /healthz", "GET /readyz"]);
}

#[test]
fn files_named_in_a_request_are_guarded_like_those_named_in_an_address() {
    let team = Team::start(&["root:admin", "zoe:planner", "im:importer", "pl:planner"]);
    let theirs = team.server.runtime().block_on(things(&team.store(), OTHER, 0));
    let plan = json!({
        "source_id": theirs.source, "target_id": "none", "database": "d", "table": "t"
    });
    for line in ["POST /api/v1/plan", "POST /api/v1/check", "POST /api/v1/runs"] {
        team.json(&team.cookie("im"), line, &plan).assert_error(403, "forbidden");
        team.json(&team.cookie("pl"), line, &plan).assert_error(404, "not_found");
    }
    let several = json!({ "uploads": [theirs.source] });
    let sources = "POST /api/v1/sources";
    team.json(&team.cookie("im"), sources, &several).assert_error(403, "forbidden");
    assert_eq!(team.json(&team.cookie("pl"), sources, &several).status, 201);
    let count = |name: &str| -> usize {
        let all: Value = team.send(&team.cookie(name), "GET /api/v1/sources").json();
        all.as_array().map_or(0, Vec::len)
    };
    assert_eq!((count("im"), count("pl")), (0, 2));
}

#[test]
fn where_a_target_is_and_under_which_user_is_for_admins() {
    let team = Team::start(&["root:admin", "vi:viewer"]);
    let target = json!({"name": "shop", "host": "db.example", "port": 1, "user": "u"});
    assert_eq!(team.json(&team.cookie("root"), "POST /api/v1/targets", &target).status, 201);
    let seen = team.send(&team.cookie("vi"), "GET /api/v1/targets").text();
    assert!(seen.contains("shop") && !seen.contains("db.example"), "{seen}");
    assert!(team.send(&team.cookie("root"), "GET /api/v1/targets").text().contains("u@db.example"));
}
