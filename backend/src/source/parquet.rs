//! Not yet.
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::open::{Part, Stream};
use super::{Layout, SourceError};

pub(super) fn stream(
    _part: &Part,
    _layout: &Layout,
    _count: &Arc<AtomicU64>,
) -> Result<Stream, SourceError> {
    Err(SourceError::new(shared::ErrorCode::UnsupportedFormat, "parquet files cannot be read yet"))
}
