//! Disk that a load needs.

use shared::capacity::DiskNeed;
use shared::plan::{Choice, IndexPolicy, Strategy, Visibility};

use super::{EngineClass, Shape};

/// How much of InnoDB's size an engine takes for the same rows.
const fn size_share(class: EngineClass) -> f64 {
    match class {
        EngineClass::Innodb | EngineClass::Other | EngineClass::Memory => 1.0,
        EngineClass::Rocksdb => 0.5,
        EngineClass::Tokudb => 0.45,
        EngineClass::Aria | EngineClass::Myisam => 0.8,
    }
}

/// What a load needs, what was there before left out unless it is there twice meanwhile.
#[must_use]
pub fn disk_need(shape: &Shape, choice: &Choice) -> DiskNeed {
    let share = size_share(EngineClass::of(&choice.engine));
    let rows = shape.rows as f64;
    let data = rows * shape.row_bytes() * share;
    let index = shape.index_bytes_new() as f64 * share;
    let rebuilds = choice.index_policy == IndexPolicy::DropAndRebuild && shape.indexes > 0;
    let bulk = choice.strategy == Strategy::EngineBulk;
    // An index build sorts all entries of the table in temporary files.
    let mut temporary = if rebuilds || bulk { 1.2 * index } else { 0.0 };
    if choice.visibility == Visibility::AllAtOnce && shape.copies {
        // The rows are there twice until the copy is committed.
        temporary += data + index;
    } else if choice.visibility == Visibility::AllAtOnce {
        temporary += shape.bytes_before as f64;
    }
    let log = if shape.binary_log { shape.bytes as f64 } else { 0.0 };
    DiskNeed {
        data_bytes: data as u64,
        index_bytes: index as u64,
        temporary_bytes: temporary as u64,
        log_bytes: log as u64,
    }
}
