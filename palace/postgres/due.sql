-- The users with due work: only their ids, for the scheduler, which asks as an operator.
--
-- Each query follows an index of what is waiting, so users with nothing to do cost nothing. It must not miss
-- anybody, and may name somebody who turns out to have nothing to do: what is due is decided when they are
-- visited. `moment` is the time before which the work became due, unless a query says otherwise. The planner
-- cannot know how few rows are waiting, hence the settings.
CREATE OR REPLACE FUNCTION public.palace_due(work text, moment timestamptz) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
SET search_path = public, pg_temp
SET plan_cache_mode = force_custom_plan SET jit = off SET max_parallel_workers_per_gather = 0
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF NOT palace_is_operator() THEN
    RAISE insufficient_privilege USING MESSAGE = 'only operators may ask who has due work';
  END IF;
  CASE work
  WHEN 'agents' THEN
    RETURN QUERY
    SELECT user_id FROM chat_agent WHERE deleted_at < moment;
  WHEN 'changes' THEN
    RETURN QUERY
    SELECT user_id FROM memory_changeset WHERE NOT expired AND made_at < moment;
  WHEN 'chats' THEN  -- to be mined, or mined to the end and not noted yet
    RETURN QUERY
    SELECT c.user_id FROM chat_conversation c
    LEFT JOIN memory_miningprogress p
      ON p.user_id = c.user_id AND p.source_kind = 'conversation' AND p.source_id = c.id
    LEFT JOIN chat_agent a ON a.user_id = c.user_id AND a.id = c.agent_id
    LEFT JOIN memory_memorypreferences s ON s.user_id = c.user_id
    WHERE c.last_sequence > c.settled_through AND c.deleted_at IS NULL AND NOT c.incognito AND c.mine
      AND (p.mined_through >= c.last_sequence
        OR coalesce(p.state NOT IN ('dead', 'discarded'), true) AND coalesce(a.mine, true)
          AND (coalesce(s.auto_mine, true) OR c.source = 'import' OR c.mine_requested_at >= c.last_message_at));
  WHEN 'deleted chats' THEN
    RETURN QUERY
    SELECT user_id FROM chat_conversation
    WHERE deleted_at < moment AND expired_at IS NULL;
  WHEN 'deliveries' THEN
    RETURN QUERY
    SELECT user_id FROM api_webhookdelivery WHERE next_at IS NULL AND occurred_at < moment;
  WHEN 'expired chats' THEN  -- `moment` is now
    RETURN QUERY
    SELECT s.user_id FROM memory_memorypreferences s
    WHERE s.retention_days > 0 AND EXISTS (
      SELECT FROM chat_conversation c
      WHERE c.user_id = s.user_id AND c.deleted_at IS NULL
        AND c.last_message_at < moment - make_interval(days => s.retention_days));
  WHEN 'files' THEN
    RETURN QUERY
    SELECT user_id FROM chat_importrun WHERE state IN ('checking', 'waiting', 'running', 'ready')
    UNION ALL
    SELECT user_id FROM chat_transfer WHERE path <> '';
  WHEN 'incognito' THEN
    RETURN QUERY
    SELECT user_id FROM chat_conversation WHERE incognito;
  WHEN 'memory' THEN
    RETURN QUERY
    SELECT user_id FROM memory_palace WHERE upkeep_at IS NULL
    UNION ALL
    SELECT user_id FROM memory_palace WHERE upkeep_at <= moment;
  WHEN 'old recalls' THEN  -- `moment` is now
    RETURN QUERY
    SELECT user_id FROM memory_recalltrace WHERE without_reply AND at < moment - interval '90 days'
    UNION ALL
    SELECT s.user_id FROM memory_memorypreferences s
    WHERE s.retention_days > 0 AND EXISTS (
      SELECT FROM memory_recalltrace t
      WHERE t.user_id = s.user_id AND t.without_reply
        AND t.at < moment - make_interval(days => s.retention_days));
  WHEN 'readings' THEN
    RETURN QUERY
    SELECT w.user_id FROM memory_minedwindow w
    JOIN chat_conversation c ON c.user_id = w.user_id AND c.id = w.source_id
    WHERE w.method = 'reader' AND (w.requested_at IS NOT NULL OR w.reason IN ('unavailable', 'budget'))
      AND coalesce(w.next_attempt_at <= moment, true)
      AND c.deleted_at IS NULL AND NOT c.incognito AND c.mine;
  WHEN 'recalls' THEN
    RETURN QUERY
    SELECT user_id FROM memory_recalltrace WHERE NOT facts_counted;
  WHEN 'trash' THEN
    RETURN QUERY
    SELECT user_id FROM memory_forgetting WHERE at < moment AND final_at IS NULL AND undone_at IS NULL
    UNION ALL
    SELECT user_id FROM memory_drawer WHERE deleted_at < moment
    UNION ALL
    SELECT user_id FROM memory_fact WHERE deleted_at < moment;
  WHEN 'webhooks' THEN  -- what happened since `moment`
    RETURN QUERY
    SELECT w.user_id FROM api_webhook w
    WHERE EXISTS (SELECT FROM api_webhookdelivery d WHERE d.user_id = w.user_id AND d.next_at IS NOT NULL)
      OR (SELECT max(e.at) FROM memory_activityevent e WHERE e.user_id = w.user_id) >= moment
      OR (SELECT max(greatest(f.at, f.final_at, f.undone_at)) FROM memory_forgetting f
          WHERE f.user_id = w.user_id) >= moment;
  END CASE;
END $$;

-- Have every memory looked at once more, because this version or its settings may be new.
CREATE OR REPLACE FUNCTION public.palace_request_upkeep() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT palace_is_operator() THEN
    RAISE insufficient_privilege USING MESSAGE = 'only operators may have every memory looked at';
  END IF;
  -- Whoever holds the lock of a palace has emptied `upkeep_at` already.
  UPDATE memory_palace SET upkeep_at = NULL WHERE user_id IN (
    SELECT user_id FROM memory_palace WHERE upkeep_at IS NOT NULL FOR UPDATE SKIP LOCKED);
END $$;
