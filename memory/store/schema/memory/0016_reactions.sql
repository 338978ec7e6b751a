-- What members think of answers, as the reactions under them stand now: at most one of a member's to a message.

CREATE TABLE reactions (
    place TEXT NOT NULL,                -- the message of ours that bears it
    member_id INTEGER NOT NULL,
    turn_id INTEGER NOT NULL REFERENCES turns (id),  -- the turn whose answer the message is, or a part of
    emoji TEXT NOT NULL,                -- one of the chat service's signs
    at TEXT NOT NULL,
    is_told INTEGER NOT NULL DEFAULT 0, -- 1: the model knows of it
    PRIMARY KEY (place, member_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reactions_by_turn ON reactions (turn_id);
