//! The import page.

use shared::units;

pub const TITLE: &str = "Import";
pub const START_OVER: &str = "Start over";
pub const START_OVER_HINT: &str = "Forget this file and begin with another";

pub const FILE: &str = "File";
pub const DROP_TITLE: &str = "Drop a file here";
pub const DROP_OTHER: &str = "Or drop another here";
pub const DROP_SEVERAL: &str = "Several files with the same columns become one import.";
pub const DROP_TEXT: &str = "CSV, JSON, Parquet or a spreadsheet, packed or not, of any size. You see what is in it at once; it uploads meanwhile and goes on after a lost connection or a reload.";
pub const CHOOSE: &str = "Choose a file";
pub const CHOOSE_OTHER: &str = "Choose another";
pub const CHOOSE_AGAIN: &str = "Choose it again";
pub const READING_SERVICE: &str = "The service reads it as soon as it is all here.";
pub const CONFIRMING: &str = "The service reads the file…";
pub const CONFIRMED: &str = "confirmed by the service";
pub const FROM_FIRST_PART: &str = "from the first part of the file";
pub const WHOLE_READ: &str = "from the whole file";
pub const READ_WHOLE: &str = "Read the whole file";
pub const READ_WHOLE_HINT: &str = "Types then hold for every row, not only for the first ones.";
pub const PREVIEW: &str = "First rows of the file";
pub const ROW_NUMBER: &str = "Row";
pub const OTHER: &str = "Another";
pub const FIXED: &str = "Handled by itself; there is nothing to set.";
pub const SET_BY_YOU: &str = "Set by you.";
pub const NULL_FORMAT: &str = "Several, parted by commas; \"\" for the empty text.";

pub const COLUMN_FACTS: &str = "What each column holds";
pub const COLUMN_FACTS_PART: &str = "What each column holds, in the part that was read";
pub const NULLS: &str = "NULL";
pub const EMPTIES: &str = "Empty";
pub const DISTINCT: &str = "Different, about";
pub const LEAST: &str = "Least";
pub const GREATEST: &str = "Greatest";
pub const LONGEST: &str = "Longest";
pub const UNIQUE: &str = "all different";
pub const ASCENDING: &str = "ascending";
pub const UNIQUE_ASCENDING: &str = "all different, ascending";
pub fn passed_over(what: &str) -> String {
    format!("{what} passed over")
}
pub fn sorted_by(column: &str) -> String {
    format!("sorted by {column}")
}

pub const ON_SERVICE: &str = "On the service's machine";
pub const ON_SERVICE_HINT: &str = "Files that are there already need no upload.";
pub const USE_FILES: &str = "Use these files";
pub const PATTERN: &str = "Or all files of a pattern";
pub const PATTERN_EXAMPLE: &str = "2024/*.csv.gz";
pub const FOLDER_ROOT: &str = "Folder";
pub const FOLDER_EMPTY: &str = "There is nothing in this folder.";
pub fn folder_more(n: u64) -> String {
    format!("and {} more: name them by a pattern", units::count(n))
}

pub const UP_CREATING: &str = "Making room…";
pub const UP_ASKING: &str = "Asking where it stopped…";
pub const UP_JOINING: &str = "Putting the files together…";
pub const UP_PAUSED: &str = "Paused";
pub const UP_DONE: &str = "Uploaded";
pub const UP_PAUSE: &str = "Pause";
pub const UP_RESUME: &str = "Go on";
pub const UP_FAILED: &str = "Not uploaded";

pub fn missing_file(name: &str, share: &str) -> String {
    format!(
        "{share} of {name} is here. Choose or drop the same again and the upload goes on from there."
    )
}
pub fn file_of(at: usize, n: usize, name: &str) -> String {
    format!("file {at} of {n}, {name}")
}
pub fn formats_differ(name: &str, first: &str) -> String {
    format!("{name} is written differently from {first}.")
}
pub fn counts_differ(name: &str, here: usize, first: &str, there: usize) -> String {
    format!("{name} has {}, {first} has {there}.", columns_of(here))
}
pub fn names_differ(at: usize, here: (&str, String), first: (&str, String)) -> String {
    let ((name, here), (first, there)) = (here, first);
    format!(
        "Column {at} of {name} is called \u{201c}{here}\u{201d}, in {first} \u{201c}{there}\u{201d}."
    )
}
pub const SHAPES_HINT: &str = "Files of one import must have the same columns in the same order. Nothing was uploaded: choose those that belong together, and import the others by themselves.";
pub fn waiting(retry_ms: u32) -> String {
    format!("Connection lost; next attempt in {} s", retry_ms.div_ceil(1000))
}
pub fn sending(share: &str, rate: Option<f64>) -> String {
    rate.map_or_else(
        || format!("Uploading {share}"),
        |r| format!("Uploading {share} · {}", units::bytes_per_sec(r)),
    )
}
pub fn rows_of(rows: u64, exact: bool, record_bytes: f64) -> String {
    let about = if exact { "" } else { "about " };
    let noun = if rows == 1 { "row" } else { "rows" };
    let bytes = units::count(record_bytes.round() as u64);
    format!("{about}{} {noun}, {bytes} bytes each", units::count(rows))
}
pub fn columns_of(n: usize) -> String {
    super::super::model::format::plural(n as u64, "column", "columns")
}
pub fn too_large(bytes: u64, max: u64) -> String {
    format!(
        "This file has {}; the service takes at most {}.",
        units::bytes(bytes),
        units::bytes(max)
    )
}
pub const TOO_LARGE_HINT: &str =
    "Start the service with a higher upload limit, or use the command line: plimsoll import.";
pub const EMPTY_FILE: &str = "This file has no bytes.";
pub const EMPTY_FILE_HINT: &str = "Choose another, or check how it was written.";
pub const NOT_READ: &str = "The file could not be read.";
pub const NOT_READ_HINT: &str =
    "It may have been moved, changed or locked since it was chosen. Choose it again.";

pub const TABLE: &str = "Table";
pub const TARGET: &str = "Target";
pub const DATABASE: &str = "Database";
pub const ADD_TARGET: &str = "Add a target";
pub const NEW_TABLE: &str = "New table";
pub const OLD_TABLE: &str = "Existing table";
pub const TABLE_NAME: &str = "Table name";
pub const CHOOSE_TABLE: &str = "Choose a table…";
pub const NO_TABLES: &str = "This database has no tables yet: make a new one.";
pub const NO_TARGETS: &str = "There is no database to import into yet.";
pub const INTO: &str = "Import into";
pub const ENGINE: &str = "Engine";
pub const ENGINE_DEFAULT: &str = "server's default";
pub const DDL: &str = "The statement that makes the table";
pub const DDL_EDITED: &str = "edited";
pub const DDL_RESET: &str = "Back to the suggestion";
pub const DDL_HINT: &str =
    "Edit it freely: names, types, indexes, partitions. Columns are matched to the file by name.";
pub const COLUMN: &str = "Column";
pub const TYPE: &str = "Type";
pub const SAMPLES: &str = "Samples";
pub const KEY: &str = "Key";
pub const KEY_NONE: &str = "No primary key: every row goes in, repeated or not, and the table will be slower to work with.";
pub const FROM_FILE: &str = "Column of the file";
pub const TO_TABLE: &str = "Column of the table";
pub const FILLED_BY: &str = "How";
pub const EXPRESSION: &str = "Value";
pub const AS_IT_IS: &str = "as it is";
pub const CONSTANT: &str = "the same for all";
pub const EXPRESSION_HINT: &str = "Steps over the file's value, parted by bars: trim, lower, upper, replace(\"a\", \"b\"), substr(1, 3), left(2), right(2), prefix(\"x\"), suffix(\"x\"), nullif(\"-\"), default(\"x\"), year, month, day, date, time. Without a column of the file: one value for every row.";
pub const PRIMARY_KEY: &str = "primary key";
pub const LEAVE_OUT: &str = "(nothing)";
pub const BY_NAME: &str = "same name";
pub const BY_YOU: &str = "set by you";
pub const BY_NUMBERING: &str = "numbered by the server";
pub const BY_COMPUTING: &str = "computed by the server";
pub const BY_DEFAULT: &str = "its default";
pub const BY_NULL: &str = "NULL";
pub const BY_NOTHING: &str = "needs a value";
pub const TABLE_NONE: &str = "No columns yet";
pub const TABLE_WAITS: &str = "Drop a file first; a table that fits it is suggested here.";

pub fn unused(names: &str) -> String {
    format!("No column of the table has this name: {names}.")
}
pub fn missing(names: &str) -> String {
    format!(
        "No column of the file fills {names}, which must have a value. Pick one, or nothing can be imported."
    )
}
pub fn away(round_trip: &str) -> String {
    format!("{round_trip} away")
}
pub fn table_size(engine: &str, rows: u64, empty: bool) -> String {
    if empty {
        format!("{engine} · empty")
    } else {
        format!("{engine} · about {} rows", units::count(rows))
    }
}

pub const PLAN: &str = "Plan";
pub const PLAN_NONE: &str = "No plan yet";
pub const PLAN_WAITS_FILE: &str =
    "Ways to load the file appear here, fastest first, each with the time it will take.";
pub const PLAN_WAITS_UPLOAD: &str = "The plan comes as soon as the whole file is here.";
pub const PLAN_WAITS_TABLE: &str = "Say where the rows go, and the plan appears.";
pub const PLANNING: &str = "Planning…";
pub const EXPECTED: &str = "Expected";
pub const DISK: &str = "Disk";
pub const WHY_THIS: &str = "Why this way";
pub const SQL: &str = "The SQL that will be sent";
pub const SQL_HINT: &str = "Rows left out.";
pub const WISHES: &str = "Set it yourself";
pub const PLANNER: &str = "planner's choice";
pub const STRATEGY: &str = "Strategy";
pub const WORKERS: &str = "Workers";
pub const CHUNK: &str = "Chunk, MB";
pub const INDEXES: &str = "Indexes";
pub const ORDER: &str = "Order";
pub const VISIBILITY: &str = "Rows are seen";
pub const ON_ERROR: &str = "A bad row";
pub const ON_DUPLICATE: &str = "A repeated key";
pub const MODE: &str = "The table's rows";
pub const MAX_REJECTS: &str = "Stop after rejects";
pub const NO_LIMIT: &str = "no limit";
pub const MAX_RATE: &str = "At most, MB a second";
pub const VERIFY_SAMPLE: &str = "Rows read back";
pub const ONLY_COUNTED: &str = "none, only counted";
pub const BINARY_LOG: &str = "Binary log";
pub const LOG_WRITTEN: &str = "as the server does";
pub const LOG_SKIPPED: &str = "without these rows";
pub const FLUSH: &str = "Commits on disk";
pub const FLUSH_KEPT: &str = "as the server does";
pub const FLUSH_RELAXED: &str = "about once a second";
pub const CHECK_FIRST: &str = "The whole file is checked before its first row is written.";
pub const CHECK: &str = "Check every row";
pub const CHECK_HINT: &str =
    "Reads the whole file against the table and lists what would be refused. Nothing is written.";
pub const CHECKING: &str = "Checking every row…";

pub fn ways(n: usize) -> String {
    if n == 1 { "one way".to_owned() } else { format!("{n} ways, fastest first") }
}
pub fn check_good(rows: u64, took: &str) -> String {
    format!("All {} fit ({took}).", super::super::model::format::plural(rows, "row", "rows"))
}
pub fn check_bad(refused: u64, rows: u64) -> String {
    format!("{} of {} rows would be refused.", units::count(refused), units::count(rows))
}
pub fn coverage(of_ten: &str) -> String {
    format!("{of_ten} runs")
}

pub const RUN: &str = "Run";
pub const RUN_WAITS: &str = "Nothing has been written yet.";
pub const RUN_LEAVE: &str = "You may leave the page; the service goes on.";
pub const STARTING: &str = "Starting…";
pub const OPEN_RUN: &str = "Open the run's page";
pub const AGAIN: &str = "Import another file";
pub const STOPPED_BY: &str = "Mend what the plan marks as stopping first.";

pub fn import_rows(rows: Option<u64>, exact: bool) -> String {
    match rows {
        Some(1) => "Import 1 row".to_owned(),
        Some(n) if exact => format!("Import {} rows", units::count(n)),
        Some(n) => format!("Import about {} rows", units::count(n)),
        None => "Import".to_owned(),
    }
}

pub const TABLE_TAKEN: &str = "A table of this name is there already.";
pub const TABLE_TAKEN_USE: &str = "Add rows to it";
pub const LEAVE_THEM_OUT: &str = "Leave out";
pub const LEFT_OUT: &str = "Left out of the import.";
pub const FEWER_WAYS: &str = "Fewer ways";
pub fn all_ways(n: usize) -> String {
    format!("All {n} ways")
}
pub const CHANGE: &str = "Change and run again";
pub const CHANGE_HINT: &str = "Back to the plan, with this file and these settings";

pub const RECIPES: &str = "Recipes";
pub const RECIPES_KEPT: &str = "Kept recipes";
pub const RECIPE_KEEP: &str = "Keep what is set as a recipe";
pub const RECIPE_NAME: &str = "Name, for example nightly orders";
pub const RECIPE_KEEP_NOW: &str = "Keep";
pub const RECIPE_REPLACE: &str = "Replace";
pub const RECIPE_TAKEN: &str = "There is one of this name. Press again to replace it.";
pub const RECIPE_USE: &str = "Use it";
pub const RECIPE_NOT_NOW: &str = "Not now";
pub fn recipe_fits(name: &str) -> String {
    format!("The recipe \u{201c}{name}\u{201d} fits this file.")
}
pub fn recipe_in_use(name: &str) -> String {
    format!("Recipe: {name}")
}
pub fn recipe_kept(name: &str) -> String {
    format!("Kept as \u{201c}{name}\u{201d}. It is offered for the next file with these columns.")
}
pub fn recipe_forget(name: &str) -> String {
    format!("Forget the recipe {name}")
}
pub fn recipe_about(
    columns: usize,
    table: Option<&str>,
    uses: u64,
    when: Option<String>,
) -> String {
    let place = table.map(|t| format!(" → {t}")).unwrap_or_default();
    let used = match (uses, when) {
        (0, _) | (_, None) => "not used yet".to_owned(),
        (1, Some(when)) => format!("used once, {when}"),
        (n, Some(when)) => format!("used {} times, last {when}", units::count(n)),
    };
    format!("{}{place} · {used}", columns_of(columns))
}
pub fn refused(n: u64) -> String {
    format!("{} refused", units::count(n))
}
pub const CHANGE_TYPE: &str = "Change the type";
pub const TYPE_FREE: &str = "Any type of the server, for example decimal(10,2)";
pub const DRAG_HINT: &str = "Drag onto another row, or choose by the list";
