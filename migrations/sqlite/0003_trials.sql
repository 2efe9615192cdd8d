-- Trials: ways to load raced on a sample in scratch tables of a target. Each load of one is a run
-- that the history leaves out and the estimate learns from.
CREATE TABLE trials (
  id            TEXT PRIMARY KEY NOT NULL,
  who           TEXT NOT NULL,
  -- `race` or `ladder`.
  kind          TEXT NOT NULL,
  status        TEXT NOT NULL,
  target_name   TEXT NOT NULL,
  target_id     TEXT,
  server        TEXT NOT NULL,
  database_name TEXT NOT NULL,
  what          TEXT NOT NULL,
  -- The loads so far, and what they say.
  results       TEXT NOT NULL,
  error         TEXT,
  -- What is needed to find its scratch tables again after a crash; the password sealed apart.
  input         TEXT NOT NULL,
  secret        BLOB,
  owner_id      TEXT,
  elapsed_ms    INTEGER NOT NULL,
  created_at    TEXT NOT NULL
);
CREATE INDEX trials_by_target ON trials (target_name, id);

ALTER TABLE runs ADD COLUMN trial_id TEXT;
CREATE INDEX runs_learnt_from ON runs (target_name, status, left_out, id);
