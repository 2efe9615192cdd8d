//! From the command line's words to a run's input.

use std::path::PathBuf;

use shared::error::{ErrorBody, ErrorCode};
use shared::options::ImportOptions;

use crate::run::RunInput;
use crate::store::Store;
use crate::target::TargetSpec;

use super::args::{ImportArgs, RejectLimit, Wishes};

/// What the arguments of an import ask for.
///
/// # Errors
/// Usage: an options file, an address or a recipe's name that cannot be understood.
pub async fn run_input(store: &Store, args: &ImportArgs) -> Result<RunInput, ErrorBody> {
    let target = TargetSpec::from_url(&args.to).map_err(|e| e.body())?;
    of_files(store, &args.files, target, None, &args.table, &args.wishes).await
}

/// Files into a table of a target.
///
/// # Errors
/// Usage: an options file that cannot be understood, a target without a database.
pub async fn of_files(
    store: &Store,
    files: &[PathBuf],
    target: TargetSpec,
    target_id: Option<String>,
    table: &str,
    wishes: &Wishes,
) -> Result<RunInput, ErrorBody> {
    let database = database(&target)?;
    let first = files.first().cloned().unwrap_or_default();
    let name = first.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(RunInput {
        files: files.to_vec(),
        file_name: name,
        source_id: None,
        target,
        target_id,
        database,
        table: table.to_owned(),
        options: options(store, wishes).await?,
        create_table: None,
        choice: None,
        layout: None,
        who: who(wishes),
        trial: None,
    })
}

/// The database that a target opens first.
///
/// # Errors
/// Usage: it names none.
pub fn database(target: &TargetSpec) -> Result<String, ErrorBody> {
    target.database.clone().ok_or_else(|| {
        ErrorBody::new(
            ErrorCode::BadRequest,
            "The address names no database: mysql://user@host:port/DATABASE.",
        )
    })
}

/// Under whose name it is recorded.
pub fn who(wishes: &Wishes) -> String {
    wishes.who.clone().unwrap_or_else(user)
}

/// Options and wishes: flags over the file, both over the recipe.
///
/// # Errors
/// Usage: an options file that cannot be understood, a recipe that there is not.
pub async fn options(store: &Store, args: &Wishes) -> Result<ImportOptions, ErrorBody> {
    let own = own_options(args)?;
    let Some(name) = &args.recipe else { return Ok(own) };
    match store.recipe(name).await.map_err(|e| e.body())? {
        Some(recipe) => Ok(own.over(&recipe.options)),
        None => {
            let body = ErrorBody::new(ErrorCode::NotFound, format!("There is no recipe {name:?}."));
            Err(body.with_hint("`plimsoll recipes` lists those that there are."))
        }
    }
}

fn own_options(args: &Wishes) -> Result<ImportOptions, ErrorBody> {
    let mut options = match &args.options {
        None => ImportOptions::default(),
        Some(path) => {
            let wrong = |why: String| {
                let place = path.display();
                ErrorBody::new(ErrorCode::BadOption, format!("{place}: {why}."))
            };
            let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
            serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?
        }
    };
    fn set<T: Clone>(option: &mut Option<T>, flag: Option<&T>) {
        if let Some(value) = flag {
            *option = Some(value.clone());
        }
    }
    set(&mut options.engine, args.engine.as_ref());
    set(&mut options.strategy, args.strategy.as_ref());
    set(&mut options.mode, args.mode.as_ref());
    set(&mut options.index_policy, args.index_policy.as_ref());
    set(&mut options.visibility, args.visibility.as_ref());
    set(&mut options.order, args.order.as_ref());
    set(&mut options.on_duplicate, args.on_duplicate.as_ref());
    set(&mut options.on_error, args.on_error.as_ref());
    set(&mut options.workers, args.workers.as_ref());
    set(&mut options.chunk_bytes, args.chunk_bytes.as_ref());
    set(&mut options.max_bytes_per_sec, args.max_rate.as_ref());
    set(&mut options.primary_key, args.primary_key.as_ref());
    match args.max_rejects {
        Some(RejectLimit::Count(most)) => options.max_rejects = Some(most),
        Some(RejectLimit::Share(most)) => options.max_reject_share = Some(most),
        None => {}
    }
    Ok(options)
}

/// The user of this machine.
pub fn user() -> String {
    let named = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|v| std::env::var(v).ok());
    named.filter(|n| !n.is_empty()).unwrap_or_else(|| "local".to_owned())
}
