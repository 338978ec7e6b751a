-- A shorter text beside a segment (never instead of it), for where a prompt names the segment. It is of exactly the
-- words that were hashed: when these change, it goes.
CREATE TABLE short_texts (
    segment_id INTEGER PRIMARY KEY REFERENCES segments (id) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;
CREATE TRIGGER short_texts_outdated AFTER UPDATE OF sha256 ON segments WHEN new.sha256 <> old.sha256 BEGIN
    DELETE FROM short_texts WHERE segment_id = new.id;
END;
