UPDATE memory_recalltrace SET source = 'mcp' WHERE without_reply;
UPDATE memory_recalltrace t SET source = 'openai'
FROM chat_message m
JOIN chat_knownhistory k ON k.user_id = m.user_id AND k.conversation_id = m.conversation_id
WHERE m.user_id = t.user_id AND m.trace_id = t.id;
