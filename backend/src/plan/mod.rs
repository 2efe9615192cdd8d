//! Candidates, reasons and prechecks. Pure.
