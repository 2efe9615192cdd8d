-- What a resumed run has to know of its own past: the way it took, the tables it made.
ALTER TABLE runs ADD COLUMN state TEXT;
-- The journal in the form that recovery works with.
ALTER TABLE run_dropped_indexes ADD COLUMN plan TEXT NOT NULL DEFAULT '';
