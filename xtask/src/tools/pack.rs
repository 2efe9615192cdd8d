//! The released dashboard packed once, as small as it goes, so that the service need not pack it at
//! each start. It is a luxury: without Node, the service packs with gzip by itself.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process;
use crate::say;
use crate::workspace::Workspace;

/// Writes `FILE.br` and `FILE.gz` beside every file that packing makes smaller.
const SCRIPT: &str = r"
const { readdirSync, readFileSync, statSync, writeFileSync } = require('fs');
const { brotliCompressSync, constants, gzipSync } = require('zlib');
const { join } = require('path');
let plain = 0;
let packed = 0;
for (const name of readdirSync(process.argv[1])) {
  const path = join(process.argv[1], name);
  if (!statSync(path).isFile() || /\.(br|gz)$/.test(name)) continue;
  const bytes = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const br = brotliCompressSync(bytes, { params });
  plain += bytes.length;
  packed += Math.min(br.length, bytes.length);
  if (br.length >= bytes.length) continue;
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
console.log(`${Math.ceil(plain / 1024)} KB became ${Math.ceil(packed / 1024)} KB`);
";

/// Packs every file in `dist`.
pub fn pack(workspace: &Workspace, dist: &Path) -> Result<()> {
    let Some(node) = process::find("node") else {
        say::line("Node is not here, so the dashboard is packed less tightly");
        return Ok(());
    };
    let mut command = Command::new(node);
    command.arg("-e").arg(SCRIPT).arg(dist);
    let ended = process::phase("Packing the dashboard", &mut command, &workspace.log("pack"))?;
    say::line(&format!("  {}", ended.output.trim()));
    Ok(())
}
