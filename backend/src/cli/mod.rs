//! The commands: serve, import, history and their kin.
