"""SQL over a row `t` that says which rows belong to a wing, and what is written of some columns."""

NOBODY = "00000000-0000-0000-0000-000000000000"
"""Stands for the account itself wherever a kept row names it."""

ITS_DRAWER = """EXISTS (
  SELECT 1 FROM memory_drawer other
  WHERE other.user_id = t.user_id AND other.id = t.drawer_id AND other.wing_id = %(wing)s)"""

ITS_ROOM = """EXISTS (
  SELECT 1 FROM memory_room other
  WHERE other.user_id = t.user_id AND other.id = t.room_id AND other.wing_id = %(wing)s)"""

ROOM_THAT_TOOK_ITS_PLACE = """(
  SELECT other.id FROM memory_room other
  WHERE other.user_id = t.user_id AND other.id = t.merged_into_id AND other.wing_id = %(wing)s)"""

CLOSET_THAT_TOOK_ITS_PLACE = """(
  SELECT other.id FROM memory_closet other
  JOIN memory_room room ON room.user_id = other.user_id AND room.id = other.room_id
  WHERE other.user_id = t.user_id AND other.id = t.merged_into_id AND room.wing_id = %(wing)s)"""

ITS_DELETION = """EXISTS (
  SELECT 1 FROM memory_drawer other
  WHERE other.user_id = t.user_id AND other.deletion_id = t.deletion_id
    AND other.wing_id = %(wing)s)"""

NOT_INCOGNITO = """EXISTS (
  SELECT 1 FROM chat_conversation other
  WHERE other.user_id = t.user_id AND other.id = t.conversation_id AND NOT other.incognito)"""

ENTITY_IN_WING = """EXISTS (
  SELECT 1 FROM memory_relationsource said
  JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
  WHERE said.user_id = t.user_id AND t.id IN (said.subject_id, said.object_id)
    AND other.wing_id = %(wing)s)"""

ENTITY_OF_NAME_IN_WING = """EXISTS (
  SELECT 1 FROM memory_relationsource said
  JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
  WHERE said.user_id = t.user_id AND t.entity_id IN (said.subject_id, said.object_id)
    AND other.wing_id = %(wing)s)"""

RELATION_IN_WING = """EXISTS (
  SELECT 1 FROM memory_relationsource said
  JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
  WHERE said.user_id = t.user_id AND said.edge_id = t.id AND other.wing_id = %(wing)s)"""

FIRST_WORDS_IN_WING = """coalesce(
  (SELECT other.id FROM memory_drawer other
   WHERE other.user_id = t.user_id AND other.id = t.drawer_id AND other.wing_id = %(wing)s),
  (SELECT said.drawer_id FROM memory_relationsource said
   JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
   WHERE said.user_id = t.user_id AND said.edge_id = t.id AND other.wing_id = %(wing)s
   ORDER BY said.at, said.id LIMIT 1))"""

FACT_IN_WING = """EXISTS (
  SELECT 1 FROM memory_factsource said
  JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
  WHERE said.user_id = t.user_id AND said.fact_id = t.id AND other.wing_id = %(wing)s)"""

ITS_FACT = """EXISTS (
  SELECT 1 FROM memory_factsource said
  JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
  WHERE said.user_id = t.user_id AND said.fact_id = t.fact_id AND other.wing_id = %(wing)s)"""

BOTH_FACTS = """2 = (
  SELECT count(DISTINCT said.fact_id) FROM memory_factsource said
  JOIN memory_drawer other ON other.user_id = said.user_id AND other.id = said.drawer_id
  WHERE said.user_id = t.user_id AND said.fact_id IN (t.fact_id, t.other_id)
    AND other.wing_id = %(wing)s)"""

# Agents are known by name and beginning: operators see them by id, which must be one person's only.
AGENT = """(
  SELECT md5(concat_ws('/', t.created_at, t.name, count(twin.id)))::uuid FROM chat_agent twin
  WHERE twin.user_id = t.user_id AND twin.name = t.name AND twin.created_at = t.created_at
    AND twin.id < t.id)"""

AGENT_OF_CONVERSATION = """(
  SELECT md5(concat_ws('/', agent.created_at, agent.name, (
    SELECT count(*) FROM chat_agent twin
    WHERE twin.user_id = agent.user_id AND twin.name = agent.name
      AND twin.created_at = agent.created_at AND twin.id < agent.id)))::uuid
  FROM chat_agent agent WHERE agent.user_id = t.user_id AND agent.id = t.agent_id)"""

BEFORE_WITHOUT_OWNER = f"replace(t.before::text, t.user_id::text, '{NOBODY}')::jsonb"

AFTER_WITHOUT_OWNER = f"replace(t.after::text, t.user_id::text, '{NOBODY}')::jsonb"

OF_A_CHANGE = """EXISTS (
  SELECT 1 FROM memory_changeset one
  WHERE one.user_id = t.user_id AND one.id = t.change_set_id AND one.made_at IS NOT NULL)"""
