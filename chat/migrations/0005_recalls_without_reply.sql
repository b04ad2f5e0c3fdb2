UPDATE memory_recalltrace t SET without_reply = true
WHERE NOT EXISTS (SELECT FROM chat_message m WHERE m.user_id = t.user_id AND m.trace_id = t.id);
