-- How far a run was at some moments: the chart of its throughput.
ALTER TABLE runs ADD COLUMN curve TEXT;
