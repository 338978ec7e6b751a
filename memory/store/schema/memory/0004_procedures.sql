-- Procedures: ways of doing things that a member taught or approved; and the searches whose pages a member turns.

CREATE TABLE procedures (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE procedure_versions (
    -- What a procedure says, never changed once it is here: what a member approves is what was shown.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    procedure_id INTEGER NOT NULL REFERENCES procedures (id),
    version INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'superseded')),
    name TEXT NOT NULL,
    trigger TEXT NOT NULL,              -- in words: when it is wanted
    steps TEXT NOT NULL,                -- in order, a JSON list
    by TEXT,                            -- who taught or approved it
    by_id INTEGER,
    turn_id INTEGER REFERENCES turns (id),  -- in which the assistant proposed it; NULL: a member taught it
    created_at TEXT NOT NULL,
    UNIQUE (procedure_id, version)
) STRICT;
CREATE UNIQUE INDEX one_active_version ON procedure_versions (procedure_id) WHERE status = 'active';
CREATE UNIQUE INDEX one_pending_version ON procedure_versions (procedure_id) WHERE status = 'pending';
CREATE INDEX procedure_versions_by_turn ON procedure_versions (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX traces_of_procedures ON traces (ref, turn_id) WHERE layer = 'procedure';

CREATE TABLE recalls (
    -- What a question found when it was asked: its pages stay the same while memory grows. Gone with any forgetting.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question TEXT NOT NULL,
    found TEXT NOT NULL,                -- ids, scores and reasons in order, JSON; no text
    at TEXT NOT NULL
) STRICT;
