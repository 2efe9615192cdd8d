//! Makes sure that there is a dashboard to embed: the one that Trunk built, or a page that says
//! how to build it.

use std::path::Path;
use std::{env, fs, io};

const STUB: &str = "<!doctype html>
<html lang=\"en\">
<head><meta charset=\"utf-8\"><title>Plimsoll</title></head>
<body>
<h1>Plimsoll is running without its dashboard</h1>
<p>This binary was built before the dashboard was. Build both with <code>cargo xtask up</code>, or
the dashboard alone with <code>trunk build --release</code> and then the service again.</p>
<p>The command line and the HTTP API under <code>/api/v1</code> work without it.</p>
</body>
</html>
";

fn main() -> io::Result<()> {
    let dist = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?)
        .join("..")
        .join("dist");
    let index = dist.join("index.html");
    if !index.exists() {
        fs::create_dir_all(&dist)?;
        fs::write(&index, STUB)?;
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", dist.display());
    Ok(())
}
