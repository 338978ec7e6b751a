-- What a day, a month or a turn cost is added up before each call of a model.

CREATE INDEX usage_by_time ON usage (at);
CREATE INDEX usage_by_turn ON usage (turn_id) WHERE turn_id IS NOT NULL;
