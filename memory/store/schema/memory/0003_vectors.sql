-- What segments mean, as vectors, and which segments still need one. Both follow the index by triggers: what enters it is due, and what
-- leaves it (forgotten, edited, cut anew) takes with it, in the same transaction, every vector that was made from its words.

ALTER TABLE profile ADD COLUMN embedder TEXT;                       -- whose vectors are in this file; NULL: none yet
-- Random, renewed with each write to the vectors: a cache compares it (a counter would repeat after a rollback).
ALTER TABLE profile ADD COLUMN vectors_epoch BLOB NOT NULL DEFAULT x'';

CREATE TABLE vectors (
    segment_id INTEGER PRIMARY KEY REFERENCES segments (id) ON DELETE CASCADE,
    text_sha256 BLOB NOT NULL,          -- of what was embedded: the segment's words and those of its sources
    vector BLOB NOT NULL                -- a signed byte for each number: a direction, not a length; empty: the embedder refused it
) STRICT;

CREATE TABLE vector_sources (
    -- Whose words are in a segment's vector besides its own.
    source_id INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    segment_id INTEGER NOT NULL REFERENCES vectors (segment_id) ON DELETE CASCADE,
    PRIMARY KEY (source_id, segment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_sources_by_segment ON vector_sources (segment_id);

CREATE TABLE vectors_due (
    -- Segments without a vector of their present words. What was said here comes before what was imported.
    is_imported INTEGER NOT NULL,
    segment_id INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    PRIMARY KEY (is_imported, segment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vectors_due_by_segment ON vectors_due (segment_id);
INSERT INTO vectors_due (is_imported, segment_id)
SELECT m.session_id IS NULL, s.id FROM segment_terms t JOIN segments s ON s.id = t.segment_id
JOIN messages m ON m.id = s.message_id;

CREATE TRIGGER segment_terms_due AFTER INSERT ON segment_terms BEGIN
    INSERT OR IGNORE INTO vectors_due (is_imported, segment_id)
    SELECT m.session_id IS NULL, s.id FROM segments s JOIN messages m ON m.id = s.message_id WHERE s.id = new.segment_id;
END;
CREATE TRIGGER segment_terms_unembedded AFTER DELETE ON segment_terms BEGIN
    DELETE FROM vectors_due WHERE segment_id = old.segment_id;
    DELETE FROM vectors WHERE segment_id = old.segment_id
        OR segment_id IN (SELECT segment_id FROM vector_sources WHERE source_id = old.segment_id);
END;
CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    DELETE FROM vectors_due WHERE segment_id = new.segment_id;
    UPDATE profile SET vectors_epoch = randomblob(16);
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    INSERT OR IGNORE INTO vectors_due (is_imported, segment_id)
    SELECT m.session_id IS NULL, s.id FROM segment_terms t JOIN segments s ON s.id = t.segment_id
    JOIN messages m ON m.id = s.message_id WHERE t.segment_id = old.segment_id;
    UPDATE profile SET vectors_epoch = randomblob(16);
END;
