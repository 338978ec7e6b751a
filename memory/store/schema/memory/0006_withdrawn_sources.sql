-- A statement that was taken back stays known where it only said a fact again, as it does where it is a fact's own row:
-- reading the message once more must not bring it in, and taking an edit back must.
ALTER TABLE fact_sources ADD COLUMN withdrawn_at TEXT;
ALTER TABLE fact_sources ADD COLUMN withdrawn_by INTEGER REFERENCES messages (id);  -- the edit that took it back
