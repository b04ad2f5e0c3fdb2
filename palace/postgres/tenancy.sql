-- Whose rows a session may see. The application says it in the setting `palace.scope`, which any SQL can
-- change, and signs it for this one backend with a key that only the owner of the tables can read. What
-- is not signed counts for nothing.
--
-- A scope is `tenant:USER`, `operator:USER` (staff; USER may be missing) or `visitor:` (nobody has signed
-- in yet).

CREATE SCHEMA IF NOT EXISTS palace_tenancy;
REVOKE ALL ON SCHEMA palace_tenancy FROM PUBLIC;

-- The key in the two padded forms that HMAC-SHA256 hashes, and the digest of the policies in force.
CREATE TABLE IF NOT EXISTS palace_tenancy.key (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  inner_pad bytea NOT NULL,
  outer_pad bytea NOT NULL,
  policies text NOT NULL DEFAULT ''
);
REVOKE ALL ON palace_tenancy.key FROM PUBLIC;

-- The scope of this session if its signature is genuine, otherwise the empty string.
CREATE OR REPLACE FUNCTION public.palace_scope() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  said CONSTANT text := coalesce(current_setting('palace.scope', true), '');
  scope CONSTANT text := split_part(said, ' ', 1);
  signed CONSTANT bytea := convert_to(pg_backend_pid()::text || ' ' || scope, 'UTF8');
BEGIN
  IF said <> '' AND EXISTS (
    SELECT FROM palace_tenancy.key k
    WHERE encode(sha256(k.outer_pad || sha256(k.inner_pad || signed)), 'hex') = split_part(said, ' ', 2)
  ) THEN
    RETURN scope;
  END IF;
  RETURN '';
END $$;

-- The bodies below are parsed when they are made, so no search_path of a caller changes their meaning.

-- The user whose own rows may be seen.
CREATE OR REPLACE FUNCTION public.palace_tenant() RETURNS uuid
LANGUAGE sql STABLE PARALLEL RESTRICTED
RETURN nullif(split_part(public.palace_scope(), ':', 2), '')::uuid;

-- Whether staff work in the admin: operational rows of everybody may be seen.
CREATE OR REPLACE FUNCTION public.palace_is_operator() RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED
RETURN starts_with(public.palace_scope(), 'operator:');

-- Whether accounts may be seen: to sign somebody in, or to administer them.
CREATE OR REPLACE FUNCTION public.palace_sees_accounts() RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED
RETURN public.palace_scope() <> '' AND NOT starts_with(public.palace_scope(), 'tenant:');

-- Refuses a change in any scope but the kinds that the trigger names, except to the owner of the table.
CREATE OR REPLACE FUNCTION public.palace_only_in() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF split_part(public.palace_scope(), ':', 1) <> ALL (TG_ARGV) AND NOT EXISTS (
    SELECT FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
    WHERE c.oid = TG_RELID AND r.rolname = current_user
  ) THEN
    RAISE insufficient_privilege USING MESSAGE = 'this scope may not change ' || TG_TABLE_NAME;
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;
