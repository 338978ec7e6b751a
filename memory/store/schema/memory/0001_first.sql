-- One memory (spaces/<id>/memory.db). Times are UTC ISO 8601 with microseconds ("2027-03-02T09:00:00.000000+00:00"), so that
-- text order is time order. Every column that holds a person's text is declared in memory/store/private.py. Where an id can be shown to
-- a member or is held while something is under way, it is AUTOINCREMENT: never used again, not even once all is erased.

CREATE TABLE profile (
    -- One row: what this space is. `epoch` is random and renewed by each write to the index: a cache compares it.
    only INTEGER PRIMARY KEY CHECK (only = 1),
    space_id TEXT NOT NULL,
    zone TEXT NOT NULL,
    epoch BLOB NOT NULL,
    created_at TEXT NOT NULL,
    forgotten_at TEXT                   -- the newest tombstone whose rows are gone from this file; NULL: none was set
) STRICT;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    started_at TEXT NOT NULL,
    ended_at TEXT                       -- NULL: the session goes on (at most one)
) STRICT;
CREATE UNIQUE INDEX one_open_session ON sessions ((1)) WHERE ended_at IS NULL;

CREATE TABLE turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'stopped')),
    attempts INTEGER NOT NULL DEFAULT 1,  -- committed before each resume; the third failure ends the turn
    started_at TEXT NOT NULL,
    ended_at TEXT,
    model TEXT,                         -- the model that gave the last answer
    prompt_tokens INTEGER,              -- of the last request of the turn
    block TEXT,                         -- the memory block, kept only while the turn runs: the same over steps and resumes
    error TEXT                          -- why it failed: one word, most often the name of an error class
) STRICT;
CREATE UNIQUE INDEX one_running_turn ON turns ((1)) WHERE state = 'running';

CREATE TABLE messages (
    -- The transcript, append-only. An edit is a new row whose `replaces` names the first version.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER REFERENCES sessions (id),  -- NULL: imported, never part of a tail
    turn_id INTEGER REFERENCES turns (id),        -- NULL: imported, or the program's own
    replaces INTEGER REFERENCES messages (id),
    role TEXT NOT NULL CHECK (role IN ('user', 'model', 'tool', 'notice')),
    origin TEXT NOT NULL,
    author TEXT,
    author_id INTEGER,
    at TEXT NOT NULL,                   -- when it was said
    stored_at TEXT NOT NULL,
    source TEXT UNIQUE,                 -- NULL: made by the program
    ref TEXT,                           -- the name an import gave it
    place TEXT,                         -- where the member sees it: tg:<chat id>:<message id>
    text TEXT NOT NULL,                 -- the visible words; what segments are cut from
    body TEXT NOT NULL,                 -- the parts, JSON
    body_version TEXT NOT NULL          -- the version of the part model that wrote `body`
) STRICT;
CREATE INDEX messages_by_turn ON messages (turn_id, id);
CREATE INDEX messages_by_session ON messages (session_id, id);
CREATE INDEX messages_by_time ON messages (at);
CREATE INDEX messages_by_place ON messages (place) WHERE place IS NOT NULL;
CREATE INDEX messages_by_replaced ON messages (replaces) WHERE replaces IS NOT NULL;

CREATE TABLE usage (
    -- One row a model call, also of background work (turn_id NULL).
    id INTEGER PRIMARY KEY,
    turn_id INTEGER REFERENCES turns (id),
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    thought_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    tool_tokens INTEGER NOT NULL,
    is_estimate INTEGER NOT NULL,
    estimated_prompt_tokens INTEGER,    -- our own estimate of the same prompt, to compare the two
    at TEXT NOT NULL
) STRICT;

CREATE TABLE traces (
    -- What the prompt of a turn was built from. No text: ids and tokens.
    turn_id INTEGER NOT NULL REFERENCES turns (id),
    ordinal INTEGER NOT NULL,
    layer TEXT NOT NULL,
    ref TEXT NOT NULL,                  -- f12, s12, h12, m12, or the name of a fixed part
    tokens INTEGER NOT NULL,
    PRIMARY KEY (turn_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,                 -- message, edit, command, press
    state TEXT NOT NULL CHECK (state IN ('new', 'taken', 'done', 'dead')),
    body TEXT,                          -- the redacted entry, JSON; NULL once it is done (the transcript has it then)
    turn_id INTEGER REFERENCES turns (id),
    received_at TEXT NOT NULL
) STRICT;
CREATE INDEX inbox_waiting ON inbox (id) WHERE state IN ('new', 'taken');

CREATE TABLE outbox (
    -- One row a message to the member. Committed before it is sent, `sent` once the other side named it.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,           -- turn:…, receipt:…, job:…, answer:…, notice:…: the same thing is queued once
    turn_id INTEGER REFERENCES turns (id),
    state TEXT NOT NULL CHECK (state IN ('streaming', 'waiting', 'sending', 'sent', 'dropped')),
    body TEXT NOT NULL,                 -- text, entities, buttons, chat, thread, reply target: JSON
    is_silent INTEGER NOT NULL DEFAULT 0,
    place TEXT,                         -- tg:<chat id>:<message id> once known; of a new form from the start
    attempts INTEGER NOT NULL DEFAULT 0,  -- copies that may have arrived
    not_before TEXT,
    created_at TEXT NOT NULL,
    sent_at TEXT,
    error TEXT
) STRICT;
CREATE INDEX outbox_waiting ON outbox (id) WHERE state IN ('streaming', 'waiting', 'sending');
CREATE INDEX outbox_by_place ON outbox (place) WHERE place IS NOT NULL;

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,           -- the same work is queued once
    state TEXT NOT NULL CHECK (state IN ('ready', 'done', 'failed')),
    priority INTEGER NOT NULL DEFAULT 0,  -- 0 live, 1 imported
    payload TEXT NOT NULL,              -- ids and counts only, JSON
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before TEXT,                    -- a cool-down that survives restarts
    created_at TEXT NOT NULL,
    ended_at TEXT,
    error TEXT                          -- the name of an error class
) STRICT;
CREATE INDEX jobs_ready ON jobs (priority, id) WHERE state = 'ready';

CREATE TABLE media (
    sha256 TEXT PRIMARY KEY,            -- also the name of the file in media/
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE facts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('deadline', 'decision', 'constraint', 'entity', 'user_attribute')),
    subject TEXT NOT NULL,
    subject_key TEXT NOT NULL,          -- the subject normalised: one active value each
    value TEXT NOT NULL,
    value_key TEXT NOT NULL,            -- what makes two wordings the same value
    due TEXT,                           -- a deadline's moment (UTC) where it is known: orders and expires it
    quote TEXT NOT NULL,
    question TEXT NOT NULL,
    patterns TEXT NOT NULL,             -- regular expressions that match the value in an answer, JSON
    critical INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    private INTEGER NOT NULL DEFAULT 0,  -- a secret the member wanted kept: nothing but their own prompts and lists
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'retracted', 'forgotten', 'pending')),
    since TEXT NOT NULL,                -- the time of the source message: decides which value is current
    until TEXT,                         -- the time of the source message that ended it
    replaces INTEGER REFERENCES facts (id),
    by TEXT,                            -- who said it
    message_id INTEGER REFERENCES messages (id),  -- NULL: the source was forgotten
    withdrawn_at TEXT,                  -- the statement itself was taken back (by an edit, by undo): not in the history
    withdrawn_by INTEGER REFERENCES messages (id),  -- the edit that took it back
    created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_active_value ON facts (subject_key) WHERE status = 'active';
CREATE INDEX facts_by_message ON facts (message_id);
CREATE INDEX facts_by_subject ON facts (subject_key, since);
CREATE INDEX facts_by_time ON facts (since) WHERE status = 'active';
CREATE INDEX facts_by_replaced ON facts (replaces) WHERE replaces IS NOT NULL;

CREATE TABLE fact_sources (
    -- Further messages in which a fact was stated again.
    fact_id INTEGER NOT NULL REFERENCES facts (id),
    message_id INTEGER NOT NULL REFERENCES messages (id),
    quote TEXT NOT NULL,
    PRIMARY KEY (fact_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_sources_by_message ON fact_sources (message_id);

CREATE TABLE fact_retractions (
    -- "That is no longer so": ends what was current about a subject then, however late it is learned.
    id INTEGER PRIMARY KEY,
    subject_key TEXT NOT NULL,
    at TEXT NOT NULL,                   -- the time of the message that says so
    message_id INTEGER REFERENCES messages (id),
    withdrawn_at TEXT,                  -- as of a fact: it counts no longer
    withdrawn_by INTEGER REFERENCES messages (id)
) STRICT;
CREATE INDEX fact_retractions_by_subject ON fact_retractions (subject_key, at);
CREATE INDEX fact_retractions_by_message ON fact_retractions (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE fact_changes (
    -- What can be undone; gone with a fact that is forgotten.
    id INTEGER PRIMARY KEY,
    fact_id INTEGER NOT NULL REFERENCES facts (id),
    message_id INTEGER REFERENCES messages (id),  -- its word on the fact's subject made the change
    before TEXT,                        -- or: columns of the fact were set; what they held, JSON
    at TEXT NOT NULL,
    undone_at TEXT
) STRICT;
CREATE INDEX fact_changes_by_fact ON fact_changes (fact_id);
CREATE TRIGGER fact_changes_forgotten AFTER UPDATE OF status ON facts WHEN new.status = 'forgotten' BEGIN
    DELETE FROM fact_changes WHERE fact_id = new.id;
END;

CREATE TABLE fact_terms (
    -- The words by which an active fact is found; gone the moment it is not active or its words change.
    term TEXT NOT NULL,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (term, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_terms_by_fact ON fact_terms (fact_id);
CREATE TRIGGER fact_terms_outdated AFTER UPDATE OF status, subject, value, quote ON facts BEGIN
    DELETE FROM fact_terms WHERE fact_id = new.id AND (
        new.status <> 'active' OR old.subject <> new.subject OR old.value <> new.value OR old.quote <> new.quote
    );
END;

CREATE TABLE segments (
    -- A stretch of messages.text, cut once. `sha256` is of exactly that stretch. An id is never used again.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL REFERENCES messages (id),
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    reason TEXT,                        -- why the hash was renewed: forgotten
    UNIQUE (message_id, ordinal)
) STRICT;
CREATE INDEX segments_by_hash ON segments (sha256);

CREATE TABLE segment_terms (
    -- The derived text exactly as it was indexed, by which version of the normaliser.
    segment_id INTEGER PRIMARY KEY REFERENCES segments (id),
    body TEXT NOT NULL,
    speaker TEXT NOT NULL,
    context TEXT NOT NULL,
    date TEXT NOT NULL,
    normaliser INTEGER NOT NULL
) STRICT;
-- Terms come folded and stemmed: only the spaces between them count here.
CREATE VIRTUAL TABLE segments_fts USING fts5 (
    body, speaker, context, date,
    content = 'segment_terms', content_rowid = 'segment_id',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* S* P* C*'"
);
CREATE TRIGGER segment_terms_added AFTER INSERT ON segment_terms BEGIN
    INSERT INTO segments_fts (rowid, body, speaker, context, date)
    VALUES (new.segment_id, new.body, new.speaker, new.context, new.date);
END;
CREATE TRIGGER segment_terms_removed AFTER DELETE ON segment_terms BEGIN
    INSERT INTO segments_fts (segments_fts, rowid, body, speaker, context, date)
    VALUES ('delete', old.segment_id, old.body, old.speaker, old.context, old.date);
END;
CREATE TRIGGER segment_terms_changed AFTER UPDATE ON segment_terms BEGIN
    INSERT INTO segments_fts (segments_fts, rowid, body, speaker, context, date)
    VALUES ('delete', old.segment_id, old.body, old.speaker, old.context, old.date);
    INSERT INTO segments_fts (rowid, body, speaker, context, date)
    VALUES (new.segment_id, new.body, new.speaker, new.context, new.date);
END;

CREATE TABLE handoffs (
    -- The short text that stands for a window which left the prompt. Covers messages first..last of its session.
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,           -- from the window's content: the same window is never handed off twice
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    first_message_id INTEGER NOT NULL,
    last_message_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('summary', 'excerpt')),
    window_chars INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX handoffs_by_session ON handoffs (session_id, last_message_id);

CREATE TABLE manifest (
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id),
    segment_id INTEGER NOT NULL REFERENCES segments (id),
    sha256 TEXT NOT NULL,
    route TEXT NOT NULL CHECK (route IN ('KEEP', 'DROP', 'COMPRESS')),
    PRIMARY KEY (handoff_id, segment_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pinned_lines (
    -- Values that recall could not find again when the window left: they stay in the prompt.
    id INTEGER PRIMARY KEY,
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id),
    segment_id INTEGER NOT NULL REFERENCES segments (id),
    text TEXT NOT NULL
) STRICT;

CREATE TABLE overfull (
    -- Sessions whose prompt is over the threshold and cannot be shortened: the member was told once.
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id),
    at TEXT NOT NULL
) STRICT;

CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    day TEXT NOT NULL,                  -- the local date, YYYY-MM-DD
    at TEXT NOT NULL,
    handoff_id INTEGER REFERENCES handoffs (id),
    text TEXT NOT NULL
) STRICT;
CREATE INDEX journal_by_day ON journal (day, id);
