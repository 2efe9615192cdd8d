-- The control database: sources, targets, runs and what they left. Never the target's data.

CREATE TABLE sources (
  id             TEXT PRIMARY KEY NOT NULL,
  name           TEXT NOT NULL,
  bytes          INTEGER NOT NULL,
  received_bytes INTEGER NOT NULL,
  complete       INTEGER NOT NULL,
  who            TEXT NOT NULL,
  path           TEXT NOT NULL,
  created_at     TEXT NOT NULL
);

CREATE TABLE targets (
  id            TEXT PRIMARY KEY NOT NULL,
  name          TEXT NOT NULL UNIQUE,
  host          TEXT NOT NULL,
  port          INTEGER NOT NULL,
  socket        TEXT,
  user_name     TEXT NOT NULL,
  -- The password, sealed with the key file of the data folder; the id is bound to it.
  secret        BLOB,
  database_name TEXT,
  tls           TEXT NOT NULL,
  ca_pem        TEXT,
  sandbox       INTEGER NOT NULL,
  created_at    TEXT NOT NULL
);

CREATE TABLE runs (
  id                  TEXT PRIMARY KEY NOT NULL,
  who                 TEXT NOT NULL,
  status              TEXT NOT NULL,
  step                TEXT,
  file_name           TEXT NOT NULL,
  file_bytes          INTEGER NOT NULL,
  source_id           TEXT,
  target_name         TEXT NOT NULL,
  target_id           TEXT,
  server              TEXT NOT NULL,
  database_name       TEXT NOT NULL,
  table_name          TEXT NOT NULL,
  engine              TEXT NOT NULL,
  strategy            TEXT NOT NULL,
  workers             INTEGER NOT NULL,
  choice              TEXT NOT NULL,
  options             TEXT NOT NULL,
  -- What is needed to run it again: files, statement, target; the password sealed apart.
  input               TEXT NOT NULL,
  secret              BLOB,
  prechecks           TEXT NOT NULL,
  reasons             TEXT NOT NULL,
  estimate            TEXT,
  -- What the estimate learns from: order, indexes, pool and so on.
  facts               TEXT,
  error               TEXT,
  outcome             TEXT,
  sql_sent            TEXT NOT NULL,
  columns             TEXT NOT NULL,
  rows_read           INTEGER NOT NULL,
  rows_loaded         INTEGER NOT NULL,
  rows_rejected       INTEGER NOT NULL,
  rows_skipped        INTEGER NOT NULL,
  bytes_read          INTEGER NOT NULL,
  retries             INTEGER NOT NULL,
  rows_per_sec        REAL,
  elapsed_ms          INTEGER NOT NULL,
  file_fingerprint    TEXT NOT NULL,
  table_fingerprint   TEXT NOT NULL,
  options_fingerprint TEXT NOT NULL,
  resumable           INTEGER NOT NULL,
  left_out            INTEGER NOT NULL DEFAULT 0,
  owner_id            TEXT,
  heartbeat_ms        INTEGER NOT NULL,
  cancel_requested    INTEGER NOT NULL,
  created_at          TEXT NOT NULL,
  started_at          TEXT,
  ended_at            TEXT
);

-- Identities sort by time, so that each index gives its page newest first.
CREATE INDEX runs_by_status   ON runs (status, id);
CREATE INDEX runs_by_target   ON runs (target_name, id);
CREATE INDEX runs_by_who      ON runs (who, id);
CREATE INDEX runs_by_engine   ON runs (engine, id);
CREATE INDEX runs_by_strategy ON runs (strategy, id);
CREATE INDEX runs_by_table    ON runs (database_name, table_name, id);

CREATE TABLE run_steps (
  run_id  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  step    TEXT NOT NULL,
  ms      INTEGER NOT NULL,
  rows    INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  done    INTEGER NOT NULL,
  PRIMARY KEY (run_id, ordinal)
);

-- Written before an index is dropped, so that start-up recovery can build it again.
CREATE TABLE run_dropped_indexes (
  run_id        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  ordinal       INTEGER NOT NULL,
  database_name TEXT NOT NULL,
  table_name    TEXT NOT NULL,
  drop_sql      TEXT NOT NULL,
  rebuild_sql   TEXT NOT NULL,
  rebuilt       INTEGER NOT NULL,
  PRIMARY KEY (run_id, ordinal)
);
