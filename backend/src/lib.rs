//! Plimsoll: the import planner service.
