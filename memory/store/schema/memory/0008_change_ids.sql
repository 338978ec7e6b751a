-- A button long in the chat names a change by its id: no id is given twice, not even once its fact is forgotten.
DROP TRIGGER fact_changes_forgotten;
DROP INDEX fact_changes_by_fact;
ALTER TABLE fact_changes RENAME TO fact_changes_before;
CREATE TABLE fact_changes (
    -- What can be undone; gone with a fact that is forgotten.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    fact_id INTEGER NOT NULL REFERENCES facts (id),
    message_id INTEGER REFERENCES messages (id),  -- its word on the fact's subject made the change
    before TEXT,                        -- or: columns of the fact were set; what they held, JSON
    at TEXT NOT NULL,
    undone_at TEXT
) STRICT;
INSERT INTO fact_changes SELECT id, fact_id, message_id, before, at, undone_at FROM fact_changes_before;
DROP TABLE fact_changes_before;
CREATE INDEX fact_changes_by_fact ON fact_changes (fact_id);
CREATE TRIGGER fact_changes_forgotten AFTER UPDATE OF status ON facts WHEN new.status = 'forgotten' BEGIN
    DELETE FROM fact_changes WHERE fact_id = new.id;
END;
