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
    -- What was forgotten, as a salted hash: binds sources that come again by import or restore.
    id INTEGER PRIMARY KEY,
    space_id TEXT NOT NULL,
    kind TEXT NOT NULL,                 -- message, fact
    words INTEGER NOT NULL,             -- how many words were hashed; 0: a whole message
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX tombstones_by_space ON tombstones (space_id);
