-- Of several default agents of a user, the oldest stays one.
UPDATE chat_agent AS agent
SET is_default = false
WHERE is_default
  AND EXISTS (
    SELECT FROM chat_agent AS older
    WHERE older.user_id = agent.user_id AND older.is_default AND older.id < agent.id
  );

-- The index cannot be made while checks are still to come.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;

CREATE UNIQUE INDEX IF NOT EXISTS one_default_agent ON chat_agent (user_id) WHERE is_default;
