-- People, how they get in, and what they did. Secrets are kept as hashes only.

-- Names are never changed and never given again: runs and files know their person by name.
CREATE TABLE people (
  id         TEXT PRIMARY KEY NOT NULL,
  name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role       TEXT NOT NULL,
  -- Argon2id; none until an invitation was used.
  password   TEXT,
  disabled   INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
);

-- One at a time for each person; used ones are gone.
CREATE TABLE invitations (
  person_id  TEXT PRIMARY KEY NOT NULL REFERENCES people (id),
  hash       BLOB NOT NULL UNIQUE,
  expires_ms INTEGER NOT NULL
);

CREATE TABLE sessions (
  hash       BLOB PRIMARY KEY NOT NULL,
  person_id  TEXT NOT NULL REFERENCES people (id),
  expires_ms INTEGER NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person_id);

CREATE TABLE tokens (
  id         TEXT PRIMARY KEY NOT NULL,
  hash       BLOB NOT NULL UNIQUE,
  person_id  TEXT NOT NULL REFERENCES people (id),
  name       TEXT NOT NULL,
  role       TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
);
CREATE INDEX tokens_by_person ON tokens (person_id);

CREATE TABLE audit (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      TEXT NOT NULL,
  who     TEXT NOT NULL,
  address TEXT NOT NULL,
  action  TEXT NOT NULL,
  thing   TEXT NOT NULL,
  outcome TEXT NOT NULL
);
CREATE INDEX audit_by_who    ON audit (who, id);
CREATE INDEX audit_by_action ON audit (action, id);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is only added to'); END;
