//! A team: who gets in, by what, for how long, and what the audit keeps of it.

use serde_json::{Value, json};

use crate::http_client::Server;
use crate::team::{GOOD, Team};

const DAY_MS: i64 = 24 * 3600 * 1000;

#[test]
fn from_the_first_account_on_a_login_is_asked_for() {
    let server = Server::start_with(|o| o.token = plimsoll::http::TokenRule::Random);
    let token = server.url().split_once("token=").unwrap().1.to_owned();
    let bearer = format!("Bearer {token}");
    let with_token = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let about = server.send("GET /api/v1/about", &with_token, b"").json();
    assert_eq!((about["role"].as_str(), about["account"].as_bool()), (Some("admin"), Some(false)));

    let importer = br#"{"name":"bo","role":"importer"}"#;
    server.send("POST /api/v1/people", &with_token, importer).assert_error(409, "conflict");
    let admin = br#"{"name":"amy","role":"admin"}"#;
    let invited = server.send("POST /api/v1/people", &with_token, admin);
    assert_eq!(invited.status, 201, "{}", invited.text());
    server.send("GET /api/v1/about", &with_token, b"").assert_error(401, "login_needed");
    server.get(&format!("/?token={token}"));
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/login").status, 200, "the page to log in by is there for everyone");

    let accept = json!({"code": invited.json()["code"], "password": GOOD});
    let entered = server.json("POST /api/v1/invitation", &accept);
    assert_eq!(entered.status, 200, "{}", entered.text());
    let cookie = entered.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains("Secure"));
    server.json("POST /api/v1/invitation", &accept).assert_error(401, "wrong_login");
}

#[test]
fn a_wrong_login_is_the_same_for_names_that_exist_and_that_do_not() {
    let team = Team::start(&["amy:admin"]);
    let ask = |name: &str, password: &str| {
        team.server.json("POST /api/v1/login", &json!({"name": name, "password": password}))
    };
    let (known, unknown) = (ask("amy", "wrong"), ask("nobody", "wrong"));
    known.assert_error(401, "wrong_login");
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    assert_eq!(known.header("set-cookie"), None);
    for _ in 0..9 {
        ask("nobody", "wrong").assert_error(401, "wrong_login");
        ask("amy", "wrong").assert_error(401, "wrong_login");
    }
    ask("nobody", GOOD).assert_error(429, "too_many_attempts");
    ask("amy", GOOD).assert_error(429, "too_many_attempts");
    team.pass(15 * 60 * 1000);
    assert_eq!(ask("amy", GOOD).status, 200);
}

#[test]
fn what_has_ended_lets_in_no_more() {
    let team = Team::start(&["amy:admin", "bo:importer"]);
    let about = |cookie: &str| team.server.send("GET /api/v1/about", &[("Cookie", cookie)], b"");
    let bo = team.cookie("bo");
    assert_eq!(about(&bo).json()["who"], "bo");
    about("").assert_error(401, "login_needed");
    about(&format!("{bo}x")).assert_error(401, "login_needed");

    let other = team.log_in("bo", GOOD);
    let change = json!({"old": GOOD, "new": "another horse"});
    assert_eq!(team.json(&bo, "POST /api/v1/account/password", &change).status, 204);
    about(&other).assert_error(401, "login_needed");
    assert_eq!(about(&bo).status, 200);

    let left = team.json(&bo, "POST /api/v1/logout", &Value::Null);
    assert_eq!(left.status, 204);
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    about(&bo).assert_error(401, "login_needed");

    let bo = team.log_in("bo", "another horse");
    team.pass(DAY_MS - 1);
    assert_eq!(about(&bo).status, 200);
    team.pass(1);
    about(&bo).assert_error(401, "login_needed");

    let (amy, bo) = (team.log_in("amy", GOOD), team.log_in("bo", "another horse"));
    let id = team.id_of(&amy, "bo");
    let out = team.json(&amy, &format!("POST /api/v1/people/{id}"), &json!({"disabled": true}));
    assert_eq!(out.status, 200, "{}", out.text());
    about(&bo).assert_error(401, "login_needed");
}

#[test]
fn invitations_expire_and_are_replaced() {
    let team = Team::start(&["amy:admin"]);
    let amy = team.cookie("amy");
    let new = json!({"name": "bo", "role": "viewer"});
    let first = team.json(&amy, "POST /api/v1/people", &new).json();
    team.json(&amy, "POST /api/v1/people", &new).assert_error(409, "conflict");
    let again =
        format!("POST /api/v1/people/{}/invitation", first["person"]["id"].as_str().unwrap());
    let second = team.json(&amy, &again, &Value::Null).json();
    let accept = |invitation: &Value| {
        let body = json!({"code": invitation["code"], "password": GOOD});
        team.server.json("POST /api/v1/invitation", &body)
    };
    accept(&first).assert_error(401, "wrong_login");
    team.pass(7 * DAY_MS);
    accept(&second).assert_error(401, "wrong_login");
    let amy = team.log_in("amy", GOOD);
    let third = team.json(&amy, &again, &Value::Null).json();
    let poor = json!({"code": third["code"], "password": "short"});
    team.server.json("POST /api/v1/invitation", &poor).assert_error(400, "bad_option");
    assert_eq!(accept(&third).status, 200);
}

#[test]
fn a_token_acts_for_its_owner_and_for_no_longer_than_it_should() {
    let team = Team::start(&["amy:admin", "bo:planner"]);
    let bo = team.cookie("bo");
    let make = |cookie: &str, role: &str| {
        let new = json!({"name": "nightly", "role": role, "days": 2});
        team.json(cookie, "POST /api/v1/tokens", &new)
    };
    make(&bo, "admin").assert_error(400, "bad_option");
    let made = make(&bo, "importer").json();
    let bearer = format!("Bearer {}", made["secret"].as_str().unwrap());
    let by_token = |line: &str| team.server.send(line, &[("Authorization", &bearer)], b"");
    let about = by_token("GET /api/v1/about").json();
    assert_eq!((about["who"].as_str(), about["role"].as_str()), (Some("bo"), Some("importer")));
    by_token("GET /api/v1/estimate/check").assert_error(403, "forbidden");
    let listed = team.send(&bo, "GET /api/v1/tokens");
    assert!(!listed.text().contains("secret") && listed.text().contains("nightly"));

    // A token can make nothing that outlives it.
    let new = br#"{"name":"more","role":"viewer","days":9}"#;
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    team.server.send("POST /api/v1/tokens", &headers, new).assert_error(403, "forbidden");

    let id = made["token"]["id"].as_str().unwrap();
    let revoke = format!("DELETE /api/v1/tokens/{id}");
    assert_eq!(team.send(&bo, &revoke).status, 204);
    by_token("GET /api/v1/about").assert_error(401, "login_needed");
    team.send(&bo, &revoke).assert_error(404, "not_found");

    let made = make(&bo, "planner").json();
    let bearer = format!("Bearer {}", made["secret"].as_str().unwrap());
    let about = || team.server.send("GET /api/v1/about", &[("Authorization", &bearer)], b"");
    team.pass(2 * DAY_MS - 1);
    assert_eq!(about().status, 200);
    team.pass(1);
    about().assert_error(401, "login_needed");
}

#[test]
fn the_audit_keeps_what_was_done_and_what_was_refused() {
    let team = Team::start(&["amy:admin", "=cy:viewer"]);
    let (amy, cy) = (team.cookie("amy"), team.cookie("=cy"));
    let target = json!({"name": "shop", "host": "127.0.0.1", "port": 1, "user": "u",
                        "password": "geheim"});
    let saved = team.json(&amy, "POST /api/v1/targets", &target).json();
    let id = saved["id"].as_str().unwrap();
    team.send(&cy, &format!("DELETE /api/v1/targets/{id}")).assert_error(403, "forbidden");
    assert_eq!(team.send(&amy, &format!("DELETE /api/v1/targets/{id}")).status, 204);
    let wrong = json!({"name": "eve", "password": "geheim too"});
    team.server.json("POST /api/v1/login", &wrong).assert_error(401, "wrong_login");

    let page = team.send(&amy, "GET /api/v1/audit");
    assert!(!page.text().contains("geheim"), "{}", page.text());
    let found: Vec<String> = page.json()["entries"].as_array().unwrap()[..4]
        .iter()
        .map(|e| {
            let word = |name: &str| e[name].as_str().unwrap().to_owned();
            assert_eq!(e["address"], "127.0.0.1");
            [word("who"), word("action"), word("thing"), word("outcome")].join(" | ")
        })
        .collect();
    let refused = format!("=cy | remove_target | targets/{id} | forbidden");
    assert_eq!(
        found,
        [
            "eve | log_in |  | wrong_login",
            "amy | remove_target | targets/shop | done",
            refused.as_str(),
            "amy | add_target | targets/shop (u@127.0.0.1:1) | done",
        ]
    );

    let page = team.send(&amy, "GET /api/v1/audit?who=amy&action=add_target&limit=1").json();
    assert_eq!((page["entries"].as_array().map(Vec::len), &page["more"]), (Some(1), &json!(false)));
    let page = team.send(&amy, "GET /api/v1/audit?limit=1").json();
    assert_eq!(page["more"], true);
    let csv = team.send(&amy, "GET /api/v1/audit.csv?outcome=forbidden");
    let lines: Vec<String> = csv.text().lines().map(str::to_owned).collect();
    assert_eq!((lines[0].as_str(), lines.len()), ("id,at,who,address,action,thing,outcome", 2));
    assert!(lines[1].contains(",\"'=cy\",127.0.0.1,remove_target,"), "{}", lines[1]);
    team.send(&cy, "GET /api/v1/audit").assert_error(403, "forbidden");
}
