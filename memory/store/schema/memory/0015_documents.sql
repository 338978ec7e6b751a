-- Files that members handed over, as far as they are not in the transcript: which they were and how reading them went. Their words are
-- messages of origin 'document' and of no session, one a page or part, whose `source` is document:<id>:<number>; their bytes are in files/.

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT UNIQUE,                 -- of the bytes; NULL: words of it were forgotten, so that no file is this one any more
    kind TEXT,                          -- pdf, word, sheets, html, text; NULL: it cannot be read
    pages INTEGER NOT NULL,             -- 0: none are counted in its kind
    parts INTEGER NOT NULL,             -- what can be asked for by number
    chars INTEGER NOT NULL,
    trouble TEXT,                       -- what stood in the way of reading all of it
    read_at TEXT,                       -- NULL: its pages are not all stored yet
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE handed_over (
    -- The same file may come more than once.
    source TEXT PRIMARY KEY,            -- which file of which entry: <source of the entry>/<number>
    document_id INTEGER NOT NULL REFERENCES documents (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX handed_over_by_document ON handed_over (document_id);
