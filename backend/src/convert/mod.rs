//! One field to one column: check, normalise, encode, or reject. No IO.
