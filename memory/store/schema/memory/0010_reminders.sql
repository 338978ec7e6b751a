-- Reminders: what a member is told at a time of theirs. Rows are kept once they are done or deleted, so that this can be taken back.

CREATE TABLE reminders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'rung', 'done', 'deleted')),
    wall TEXT,                          -- the local wall time of the next regular time, "2027-03-02T09:00:00"; NULL: a moment fixed for good
    repeats TEXT,                       -- the rule, JSON (memory.store.recurrence); NULL: once
    next_at TEXT,                       -- when it is sent next; NULL unless it waits
    is_snoozed INTEGER NOT NULL DEFAULT 0,  -- 1: next_at was put off by the member and is not that of `wall`
    zone TEXT NOT NULL,                 -- the zone in which next_at was worked out from `wall`
    sent_key TEXT,                      -- the key of its newest message in the outbox, which knows whether it arrived
    sent_due TEXT,                      -- the time that message was due; NULL: it never rang
    version INTEGER NOT NULL DEFAULT 1, -- counts changes: a button that takes one back is for that change alone
    was TEXT,                           -- what the newest change took the place of, JSON of columns; NULL: nothing can be taken back
    by TEXT,                            -- who asked for it
    by_id INTEGER,
    chat_id INTEGER,                    -- where they asked, and are told; NULL: the space's own chat
    thread_id INTEGER,
    turn_id INTEGER REFERENCES turns (id),          -- the turn in which the assistant set it; NULL: set by command
    changed_turn_id INTEGER REFERENCES turns (id),  -- the turn in which it last changed it
    created_at TEXT NOT NULL,
    CHECK ((state = 'waiting') = (next_at IS NOT NULL))
) STRICT;
CREATE INDEX reminders_ahead ON reminders (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX reminders_by_turn ON reminders (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX reminders_by_change ON reminders (changed_turn_id) WHERE changed_turn_id IS NOT NULL;
