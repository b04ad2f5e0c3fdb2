-- Tenancy of the tables of the API.

-- Tables without anybody's words: staff may see them, so Django's admin needs a single-column key. The
-- database keys them by (user_id, id) all the same.
ALTER TABLE api_keptanswer
  DROP CONSTRAINT api_keptanswer_pkey,
  ADD CONSTRAINT api_keptanswer_pkey PRIMARY KEY (user_id, id);

-- Foreign keys repeat the user, so that no row can refer to another person's.
ALTER TABLE api_storedresponse ADD CONSTRAINT api_storedresponse_conversation_id_fk
  FOREIGN KEY (user_id, conversation_id) REFERENCES chat_conversation (user_id, id)
  ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE api_webhookdelivery ADD CONSTRAINT api_webhookdelivery_webhook_id_fk
  FOREIGN KEY (user_id, webhook_id) REFERENCES api_webhook (user_id, id)
  ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

-- A session reads and writes the rows of its tenant; without a tenant it sees none.
DO $$
DECLARE
  own CONSTANT text := $own$user_id = (SELECT NULLIF(current_setting('palace.user_id', true), '')::uuid)$own$;
  staff CONSTANT text := own || $staff$ OR (SELECT current_setting('palace.operator', true) = 'on')$staff$;
  name text;
  visible text;
BEGIN
  FOR name, visible IN VALUES
    ('api_keptanswer', staff),
    ('api_storedresponse', own),
    ('api_webhook', own),
    ('api_webhookdelivery', own)
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (%s) WITH CHECK (%s)', name, visible, visible);
  END LOOP;
END $$;
