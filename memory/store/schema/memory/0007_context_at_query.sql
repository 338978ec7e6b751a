-- What stands around a segment is read when something is sought: its neighbours' words are no longer kept a second time.
DROP TRIGGER segment_terms_added;
DROP TRIGGER segment_terms_removed;
DROP TRIGGER segment_terms_changed;
DROP TABLE segments_fts;
ALTER TABLE segment_terms DROP COLUMN context;

CREATE VIRTUAL TABLE segments_fts USING fts5 (
    body, speaker, date,
    content = 'segment_terms', content_rowid = 'segment_id',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* S* P* C*'"
);
INSERT INTO segments_fts (segments_fts) VALUES ('rebuild');
CREATE TRIGGER segment_terms_added AFTER INSERT ON segment_terms BEGIN
    INSERT INTO segments_fts (rowid, body, speaker, date)
    VALUES (new.segment_id, new.body, new.speaker, new.date);
END;
CREATE TRIGGER segment_terms_removed AFTER DELETE ON segment_terms BEGIN
    INSERT INTO segments_fts (segments_fts, rowid, body, speaker, date)
    VALUES ('delete', old.segment_id, old.body, old.speaker, old.date);
END;
CREATE TRIGGER segment_terms_changed AFTER UPDATE ON segment_terms BEGIN
    INSERT INTO segments_fts (segments_fts, rowid, body, speaker, date)
    VALUES ('delete', old.segment_id, old.body, old.speaker, old.date);
    INSERT INTO segments_fts (rowid, body, speaker, date)
    VALUES (new.segment_id, new.body, new.speaker, new.date);
END;
