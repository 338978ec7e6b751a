-- Approvals: calls of the assistant that wait for a member's yes, and what came of them.

CREATE TABLE approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,                 -- the tool
    args TEXT NOT NULL,                 -- its arguments, canonical JSON: what was shown, and what alone is run
    turn_id INTEGER NOT NULL REFERENCES turns (id),  -- the turn that asked
    call_id TEXT NOT NULL,              -- the provider's name for the call, unique within the turn
    by_id INTEGER,                      -- the member who alone may answer; NULL: whoever may write in the space's own chat
    state TEXT NOT NULL CHECK (state IN ('asked', 'approved', 'refused', 'expired')),
    asked_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,           -- from then on it counts as refused, whatever the state says
    outcome_turn_id INTEGER REFERENCES turns (id),  -- the turn in which the model was told; NULL: not yet
    UNIQUE (turn_id, call_id)
) STRICT;
CREATE INDEX approvals_open ON approvals (state) WHERE outcome_turn_id IS NULL;

-- Calls that a crash or /stop cut off and that may have happened: the same call is not run again unasked.
CREATE TABLE calls_in_doubt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    args TEXT NOT NULL,                 -- canonical JSON
    turn_id INTEGER NOT NULL REFERENCES turns (id),
    call_id TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (turn_id, call_id)
) STRICT;
