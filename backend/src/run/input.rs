//! What a run is asked to do, and how that is kept for a resume.

use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use shared::options::ImportOptions;
use shared::plan::Choice;
use shared::target::{NewTarget, TlsMode};

use crate::source::Layout;
use crate::store::RunSaved;
use crate::target::TargetSpec;

use super::RunError;

/// A file, a table and wishes.
#[derive(Debug, Clone)]
pub struct RunInput {
    /// The files, read one after the other as if they were one.
    pub files: Vec<PathBuf>,
    /// The file's name as the person knows it.
    pub file_name: String,
    /// The upload, where it is one.
    pub source_id: Option<String>,
    /// The server.
    pub target: TargetSpec,
    /// The saved target, where it is one.
    pub target_id: Option<String>,
    /// The database.
    pub database: String,
    /// The table; made where it is missing.
    pub table: String,
    /// Options and wishes.
    pub options: ImportOptions,
    /// The statement that makes the table, where the person wrote it.
    pub create_table: Option<String>,
    /// The way that the person picked; none takes the planner's first.
    pub choice: Option<Choice>,
    /// How the files are read, where that is settled beforehand; none finds it out.
    pub layout: Option<Layout>,
    /// Who asks.
    pub who: String,
    /// Set for a load of a trial, which reads only the first part of the file.
    pub trial: Option<TrialLoad>,
}

/// A load of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialLoad {
    /// The trial.
    pub trial_id: String,
    /// Bytes of the file after which no further chunk is read.
    pub bytes_max: u64,
}

/// A [`RunInput`] as it lies in the control database, without the password.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    files: Vec<PathBuf>,
    target: KeptTarget,
    create_table: Option<String>,
    choice: Option<Choice>,
    #[serde(default)]
    layout: Option<Layout>,
    #[serde(default)]
    trial: Option<TrialLoad>,
}

/// A target as it lies in the control database, without the password.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptTarget {
    name: String,
    host: String,
    port: u16,
    socket: Option<String>,
    user: String,
    tls: TlsMode,
    ca_pem: Option<String>,
}

impl KeptTarget {
    /// What is kept of a target.
    pub(super) fn of(t: &TargetSpec) -> Self {
        Self {
            name: t.name.clone(),
            host: t.host.clone(),
            port: t.port,
            socket: t.socket.clone(),
            user: t.user.clone(),
            tls: t.tls,
            ca_pem: t.ca_pem.clone(),
        }
    }

    /// The target, with its password again.
    pub(super) fn open(self, password: Option<&SecretString>, database: &str) -> TargetSpec {
        TargetSpec::from(NewTarget {
            name: self.name,
            host: self.host,
            port: self.port,
            socket: self.socket,
            user: self.user,
            password: password.map(|p| p.expose_secret().to_owned()),
            database: Some(database.to_owned()),
            tls: self.tls,
            ca_pem: self.ca_pem,
        })
    }
}

impl RunInput {
    /// What is kept for a resume, without the password.
    pub(super) fn kept(&self) -> Result<serde_json::Value, RunError> {
        let files = self.files.iter().map(|f| std::path::absolute(f).unwrap_or_else(|_| f.clone()));
        let kept = Kept {
            files: files.collect(),
            target: KeptTarget::of(&self.target),
            create_table: self.create_table.clone(),
            choice: self.choice.clone(),
            layout: self.layout.clone(),
            trial: self.trial.clone(),
        };
        Ok(serde_json::to_value(kept).map_err(crate::store::StoreError::from)?)
    }

    /// The password, to be sealed.
    pub(super) fn password(&self) -> Option<SecretString> {
        self.target.password.clone()
    }

    /// What a recorded run was asked to do.
    pub(super) fn from_saved(saved: &RunSaved) -> Result<Self, RunError> {
        let kept: Kept =
            serde_json::from_value(saved.input.clone()).map_err(crate::store::StoreError::from)?;
        let view = &saved.view;
        let target = kept.target.open(saved.password.as_ref(), &view.database);
        Ok(Self {
            files: kept.files,
            file_name: view.file.clone(),
            source_id: view.source_id.clone(),
            target,
            target_id: view.target_id.clone(),
            database: view.database.clone(),
            table: view.table.clone(),
            options: view.options.clone(),
            create_table: kept.create_table,
            choice: kept.choice,
            layout: kept.layout,
            who: view.who.clone(),
            trial: kept.trial,
        })
    }

    /// A mark of everything that decides which rows go where.
    pub(super) fn fingerprint(&self) -> String {
        let text = serde_json::json!([
            self.options,
            self.choice,
            self.create_table,
            self.database,
            self.table,
            self.target.address()
        ]);
        mark(text.to_string().as_bytes())
    }

    /// Bytes of all files as they lie.
    pub(super) fn file_bytes(&self) -> u64 {
        self.files.iter().filter_map(|f| std::fs::metadata(f).ok()).map(|m| m.len()).sum()
    }
}

/// A short mark of some bytes, for telling whether they changed.
pub(super) fn mark(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}
