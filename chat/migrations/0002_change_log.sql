-- Changes of titles and agents move to the change log, and can be undone as before.
INSERT INTO memory_changeset
  (user_id, id, area, kind, subject, subject_id, others, batch_id, details, made_at, undone_at)
SELECT user_id, id, 'chat', CASE WHEN agent_id IS NULL THEN 'renamed' ELSE 'edited' END,
       CASE WHEN agent_id IS NULL THEN 'conversation' ELSE 'agent' END,
       coalesce(agent_id, conversation_id), '{}', id, '{}', at, undone_at
FROM chat_edit WHERE coalesce(agent_id, conversation_id) IS NOT NULL;

INSERT INTO memory_rowchange
  (user_id, id, change_set_id, position, "table", row_id, before, after, added)
SELECT user_id, gen_random_uuid(), id, 0,
       CASE WHEN agent_id IS NULL THEN 'chat.conversation' ELSE 'chat.agent' END,
       coalesce(agent_id, conversation_id), before, after, '{}'
FROM chat_edit WHERE coalesce(agent_id, conversation_id) IS NOT NULL;

-- Tables with checks still to come cannot be altered by what follows.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
