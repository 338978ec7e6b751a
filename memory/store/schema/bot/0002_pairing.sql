-- Whom the operator admits besides those of the settings. Ids, codes, languages, states and times; no name.

CREATE TABLE admission_requests (
    -- Somebody asks to be served: a person by /start, a group by the operator who brought the bot there.
    id INTEGER PRIMARY KEY,
    chat_id INTEGER NOT NULL,
    code TEXT,                          -- what the person was told; NULL for a group
    answers INTEGER NOT NULL,           -- how often they were told
    language TEXT,                      -- of the ones there are, the one their chat program speaks; NULL for none
    at TEXT NOT NULL
) STRICT;
CREATE INDEX admission_requests_by_chat ON admission_requests (chat_id);

CREATE TABLE admissions (
    -- What the operator decided.
    chat_id INTEGER PRIMARY KEY,
    state TEXT NOT NULL,                -- admitted, refused, removed
    language TEXT,                      -- that of the request
    at TEXT NOT NULL,
    settled_at TEXT                     -- when what follows was done (welcomed, left, closed); NULL until then
) STRICT;
