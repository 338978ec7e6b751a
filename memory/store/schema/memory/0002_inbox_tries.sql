-- An entry that cannot begin a turn must not hold up its space: its tries are counted, and the third failure makes it `dead`.
-- A dead entry keeps its body, for whoever looks into why.
ALTER TABLE inbox ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;  -- committed before each try; the first with the arrival
ALTER TABLE inbox ADD COLUMN error TEXT;                           -- of a dead entry: the name of an error class
