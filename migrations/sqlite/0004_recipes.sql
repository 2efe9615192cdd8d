-- What was set for files of one shape, kept by name.
CREATE TABLE recipes (
  id      TEXT PRIMARY KEY NOT NULL,
  name    TEXT NOT NULL UNIQUE COLLATE NOCASE,
  who     TEXT NOT NULL,
  shape   TEXT NOT NULL,
  options TEXT NOT NULL,
  place   TEXT NOT NULL,
  uses    INTEGER NOT NULL,
  kept_at TEXT NOT NULL,
  used_at TEXT
);
