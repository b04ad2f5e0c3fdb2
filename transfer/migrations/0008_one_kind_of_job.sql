DELETE FROM chat_transfer WHERE dropped_at IS NOT NULL;
UPDATE chat_transfer SET path = user_id || '/transfers/' || path WHERE path <> '';
UPDATE chat_importrun SET path = '' WHERE state IN ('done', 'failed', 'cancelled');
