-- Whether something of an ended run may still be on its target: it is swept later.
ALTER TABLE runs ADD COLUMN left_behind INTEGER NOT NULL DEFAULT 0;
