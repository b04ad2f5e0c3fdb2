"""Memory belongs to its user: keys, references, row-level security; drawers never change."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import references, row_security, user_in_key

CONTENT = (
    "palace",
    "wing",
    "wingname",
    "room",
    "closet",
    "drawer",
    "drawervector",
    "widevector",
    "drawerwords",
    "lexeme",
    "fact",
    "factsource",
    "entity",
    "entityname",
    "relation",
    "minedwindow",
    "tombstone",
    "memorypreferences",
    "activityevent",
    "recalltrace",
)

REFERENCES = (
    ("wingname", "wing_id", "wing"),
    ("room", "wing_id", "wing"),
    ("closet", "room_id", "room"),
    ("drawer", "wing_id", "wing"),
    ("drawer", "room_id", "room"),
    ("drawer", "closet_id", "closet"),
    ("drawervector", "drawer_id", "drawer"),
    ("widevector", "drawer_id", "drawer"),
    ("drawerwords", "id", "drawer"),
    ("factsource", "fact_id", "fact"),
    ("factsource", "drawer_id", "drawer"),
    ("entityname", "entity_id", "entity"),
    ("relation", "subject_id", "entity"),
    ("relation", "object_id", "entity"),
    ("relation", "drawer_id", "drawer"),
)

IMMUTABLE = """
CREATE FUNCTION memory_drawer_is_verbatim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a drawer is verbatim and never changes';
END $$;
CREATE TRIGGER drawer_is_verbatim
  BEFORE UPDATE OF content, content_hash, role, said_at,
                   pointer_wing, pointer_room, pointer_drawer ON memory_drawer
  FOR EACH ROW WHEN (
    (OLD.content, OLD.content_hash, OLD.role, OLD.said_at,
     OLD.pointer_wing, OLD.pointer_room, OLD.pointer_drawer)
    IS DISTINCT FROM
    (NEW.content, NEW.content_hash, NEW.role, NEW.said_at,
     NEW.pointer_wing, NEW.pointer_room, NEW.pointer_drawer))
  EXECUTE FUNCTION memory_drawer_is_verbatim();
"""
MUTABLE = """
DROP TRIGGER drawer_is_verbatim ON memory_drawer;
DROP FUNCTION memory_drawer_is_verbatim();
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0001_initial"), ("accounts", "0002_protection")]

    operations: ClassVar = [
        user_in_key("memory_miningprogress"),
        user_in_key("memory_usage"),
        *(
            references(f"memory_{table}", column, f"memory_{target}")
            for table, column, target in REFERENCES
        ),
        *(row_security(f"memory_{table}") for table in CONTENT),
        row_security("memory_miningprogress", operators=True),
        row_security("memory_usage", operators=True),
        migrations.RunSQL(IMMUTABLE, MUTABLE),
    ]
