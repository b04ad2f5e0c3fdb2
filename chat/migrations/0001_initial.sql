-- Tenancy of the ledger.

-- Tables without anybody's words: staff may see them, so Django's admin needs a single-column key. The
-- database keys them by (user_id, id) all the same.
ALTER TABLE chat_agent
  DROP CONSTRAINT chat_agent_pkey,
  ADD CONSTRAINT chat_agent_pkey PRIMARY KEY (user_id, id);
ALTER TABLE chat_importrun
  DROP CONSTRAINT chat_importrun_pkey,
  ADD CONSTRAINT chat_importrun_pkey PRIMARY KEY (user_id, id);
ALTER TABLE chat_toolrefusal
  DROP CONSTRAINT chat_toolrefusal_pkey,
  ADD CONSTRAINT chat_toolrefusal_pkey PRIMARY KEY (user_id, id);
ALTER TABLE chat_transfer
  DROP CONSTRAINT chat_transfer_pkey,
  ADD CONSTRAINT chat_transfer_pkey PRIMARY KEY (user_id, id);

-- Foreign keys repeat the user, so that no row can refer to another person's.
DO $$
DECLARE
  source text;
  source_column text;
  target text;
  on_delete text;
BEGIN
  FOR source, source_column, target, on_delete IN VALUES
    ('chat_conversation', 'agent_id', 'chat_agent', 'NO ACTION'),
    ('chat_message', 'conversation_id', 'chat_conversation', 'CASCADE'),
    ('chat_generation', 'conversation_id', 'chat_conversation', 'CASCADE'),
    ('chat_chatstate', 'conversation_id', 'chat_conversation', 'CASCADE'),
    ('chat_openincognito', 'conversation_id', 'chat_conversation', 'CASCADE'),
    ('chat_edit', 'conversation_id', 'chat_conversation', 'CASCADE'),
    ('chat_edit', 'agent_id', 'chat_agent', 'CASCADE'),
    ('chat_refusedentry', 'run_id', 'chat_importrun', 'CASCADE')
  LOOP
    EXECUTE format(
      'ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (user_id, %I) REFERENCES %I (user_id, id) '
      'ON DELETE %s DEFERRABLE INITIALLY DEFERRED',
      source, source || '_' || source_column || '_fk', source_column, target, on_delete);
  END LOOP;
END $$;

-- A session reads and writes the rows of its tenant; without a tenant it sees none.
DO $$
DECLARE
  own CONSTANT text := $own$user_id = (SELECT NULLIF(current_setting('palace.user_id', true), '')::uuid)$own$;
  staff CONSTANT text := own || $staff$ OR (SELECT current_setting('palace.operator', true) = 'on')$staff$;
  name text;
  visible text;
BEGIN
  FOR name, visible IN VALUES
    ('chat_agent', staff),
    ('chat_importrun', staff),
    ('chat_toolrefusal', staff),
    ('chat_transfer', staff),
    ('chat_conversation', own),
    ('chat_message', own),
    ('chat_generation', own),
    ('chat_refusedentry', own),
    ('chat_knownhistory', own),
    ('chat_chatstate', own),
    ('chat_openincognito', own),
    ('chat_edit', own)
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (%s) WITH CHECK (%s)', name, visible, visible);
  END LOOP;
END $$;
