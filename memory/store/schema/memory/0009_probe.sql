-- What examinations found, night by night. No text of a person but in probe_questions: facts are named by id.

CREATE TABLE probe_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    night TEXT,                         -- the local date it counts for; NULL: a member or the operator asked for it
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
    started_at TEXT NOT NULL,
    ended_at TEXT,
    ok INTEGER,                         -- 1 well, 0 not well, NULL not known
    is_whole INTEGER NOT NULL DEFAULT 1,  -- 0: some cases alone were examined
    has_model_arms INTEGER NOT NULL DEFAULT 0,
    recall_rate REAL,                   -- NULL: nothing was known
    prompt_size INTEGER,                -- tokens of a prompt, on average over the cases; NULL: none was assembled
    ledger_facts INTEGER NOT NULL DEFAULT 0,
    ledger_tokens INTEGER NOT NULL DEFAULT 0,
    usd REAL,                           -- NULL: a price was not known
    body TEXT,                          -- the run but for its results, JSON (memory.probe.findings.Run); NULL unless done
    error TEXT                          -- why it failed: the name of an error class
) STRICT;
CREATE UNIQUE INDEX one_probe_a_night ON probe_runs (night) WHERE night IS NOT NULL AND state = 'done';

CREATE TABLE probe_results (
    -- The results by case, of the newest runs: what was known last night, and when each was asked.
    run_id INTEGER NOT NULL REFERENCES probe_runs (id) ON DELETE CASCADE,
    ref TEXT NOT NULL,                  -- f12 or q12
    verdict TEXT NOT NULL,
    is_answered INTEGER NOT NULL,
    body TEXT NOT NULL,                 -- JSON (memory.probe.findings.CaseResult)
    PRIMARY KEY (run_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX probe_results_by_ref ON probe_results (ref, run_id);

CREATE TABLE probe_alarms (
    -- What was found amiss, from the night it was found to the night it was found well again.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ref TEXT NOT NULL,                  -- f12, q12, canary, or what the integrity check was about
    kind TEXT NOT NULL,                 -- lost, leak, stale, unaskable, canary, integrity
    layer TEXT NOT NULL,
    needs_answer INTEGER NOT NULL,      -- 1: an answer showed it, so only an answer can show that it is well again
    raised_run INTEGER NOT NULL REFERENCES probe_runs (id),
    raised_at TEXT NOT NULL,
    news_run INTEGER NOT NULL REFERENCES probe_runs (id),  -- raised it, or found it in another layer
    cleared_run INTEGER REFERENCES probe_runs (id),
    cleared_at TEXT,
    dismissed_at TEXT                   -- the member has seen it and wants no more of it
) STRICT;
CREATE UNIQUE INDEX one_open_alarm ON probe_alarms (ref) WHERE cleared_run IS NULL;

CREATE TABLE probe_questions (
    -- What a member wants to be asked every night, beside the facts of the ledger.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    patterns TEXT NOT NULL,             -- as in facts
    fact_id INTEGER REFERENCES facts (id),  -- the fact that says it; NULL: it stands in the talk alone
    author_id INTEGER,
    created_at TEXT NOT NULL
) STRICT;
