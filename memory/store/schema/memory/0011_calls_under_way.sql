-- Calls that reach beyond the program and have no result yet: after a crash, each may have happened.
CREATE TABLE calls_under_way (
    turn_id INTEGER NOT NULL REFERENCES turns (id),
    call_id TEXT NOT NULL,              -- the provider's name for the call, unique within the turn
    PRIMARY KEY (turn_id, call_id)
) STRICT, WITHOUT ROWID;
