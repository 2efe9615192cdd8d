//! All SQL of the control database.
