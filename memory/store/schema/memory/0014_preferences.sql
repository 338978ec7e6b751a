-- What a space is set to by its members. NULL: as the operator's settings say.

ALTER TABLE profile ADD COLUMN language TEXT;           -- its code; NULL: none was chosen
ALTER TABLE profile ADD COLUMN report TEXT CHECK (report IN ('nightly', 'regressions', 'off'));
ALTER TABLE profile ADD COLUMN report_at TEXT;          -- a local time of day, "08:00"
ALTER TABLE profile ADD COLUMN probe_at TEXT;
ALTER TABLE profile ADD COLUMN tone TEXT;               -- how the assistant is to speak, in a member's words
ALTER TABLE profile ADD COLUMN assistant_name TEXT;
ALTER TABLE profile ADD COLUMN daily_usd REAL CHECK (daily_usd >= 0);
ALTER TABLE profile ADD COLUMN tools_on TEXT NOT NULL DEFAULT '[]';  -- names of tools that are off unless they stand here, JSON

CREATE TABLE past_zones (
    -- The zones that were left: what was said until then was meant by the clocks there.
    until TEXT PRIMARY KEY,
    zone TEXT NOT NULL
) STRICT;
