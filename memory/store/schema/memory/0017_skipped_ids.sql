-- Ids that no row was ever given here, from first to last: a restored file goes on behind those of the file that it
-- replaced, and what was taken in under its old ids leaves out those of what was forgotten there. A file gets the table
-- before its time when it takes the place of a later one, so it may be there.

CREATE TABLE IF NOT EXISTS skipped_ids (
    name TEXT NOT NULL,                 -- the table whose ids they are
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (name, first)
) STRICT, WITHOUT ROWID;
