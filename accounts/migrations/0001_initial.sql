-- API tokens belong to their user. Staff may see and revoke them.

ALTER TABLE accounts_apitoken
  DROP CONSTRAINT accounts_apitoken_pkey,
  ADD CONSTRAINT accounts_apitoken_pkey PRIMARY KEY (user_id, id);

ALTER TABLE accounts_apitoken ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON accounts_apitoken
  USING (user_id = (SELECT NULLIF(current_setting('palace.user_id', true), '')::uuid)
    OR (SELECT current_setting('palace.operator', true) = 'on'))
  WITH CHECK (user_id = (SELECT NULLIF(current_setting('palace.user_id', true), '')::uuid)
    OR (SELECT current_setting('palace.operator', true) = 'on'));
