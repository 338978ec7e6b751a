-- What belongs to the whole installation (bot.db). No message text.

CREATE TABLE chats (
    -- A chat's space; two rows for one space after a group moved to a supergroup.
    chat_id INTEGER PRIMARY KEY,
    space_id TEXT NOT NULL,
    paused_at TEXT,                     -- the person blocked the bot: nothing is sent until they write again
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE dead_letters (
    -- Updates that could not be read: their ids only.
    source TEXT PRIMARY KEY,
    reason TEXT NOT NULL,               -- the name of an error class
    at TEXT NOT NULL
) STRICT;

CREATE TABLE tombstones (
    -- What was forgotten, as salted hashes: binds what comes again by import (message, fact) or in an older file
    -- (erased, struck, value: rows of it; space: all of it).
    id INTEGER PRIMARY KEY,
    space_id TEXT NOT NULL,
    kind TEXT NOT NULL,                 -- message, fact, erased, struck, value, space
    words INTEGER NOT NULL,             -- of a fact: how many words were hashed; else 0
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX tombstones_by_space ON tombstones (space_id);
