"""Create one row of every kind that the API identifies by an id."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.tokens import issue_token
from chat.agents import create_agent, remove_agent
from chat.conversations import Choices, NewMessage, append, start
from chat.retention import remove
from chat.titles import rename
from memory.aaak import Tags
from memory.changes.activity import record
from memory.consolidation import application
from memory.consolidation.planning import plan
from memory.facts import corrections
from memory.facts.review import decisions
from memory.forgetting import trash
from memory.graph import editing
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Drawer,
    EntityName,
    Fact,
    ProfileText,
    RecallTrace,
    Skill,
)
from memory.organize import arranging
from memory.preferences import change_preferences
from memory.projections.corrections import write_own_words
from memory.projections.insights import insights
from memory.projections.skills import Wording, write_text
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallRequest
from tests.memory.palaces import Spot, file, learn, relate
from transfer.models import ImportedChat, ImportRun, Transfer
from transfer.transfers import process_transfer, request_export

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Furniture:
    """The ids by the names of the API's parameters, and the files on disk."""

    ids: dict[str, Any]
    files: dict[Path, bytes] = field(default_factory=dict)

    def restore_files(self) -> None:
        """Write the files again: a rollback does not restore them."""
        for path, content in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def furnish(owner: User) -> Furniture:
    """Create one row of every kind, with the owner as tenant."""
    drawers = file(
        owner.id,
        [
            "I feed my rye starter every morning at seven.",
            "My sister Ines gave it to me in Porto.",
            "The oven is always too hot at first.",
        ],
        tags=Tags(people=("Ines",), places=("Porto",)),
    )
    fact = learn(drawers[0], "rye starter every morning", "Feeds a rye starter every morning.")
    relation = relate(drawers[1], "Ines", "friend_of", "Jonas")
    (deleted,) = file(owner.id, ["What was thrown away."], Spot(wing="Attic"))
    (other,) = file(owner.id, ["Bees need water in August."], Spot("Bees", room="Summer"))
    (beside,) = file(owner.id, ["A second loaf."], Spot(closet="Loaves", source_id=drawers[0].source_id))
    change = arranging.mark(owner.id, other.id, "pinned", on=True, now=NOW)
    assert change
    in_review = learn(drawers[2], "too hot", "Has a hot oven.", review_reason="Unsure.")
    approved = learn(drawers[2], "at first", "Has an oven that cools.", review_reason="Unsure.")
    decisions.approve(owner.id, [approved.id], NOW)
    second = learn(drawers[2], "oven", "Has an oven.")
    decision = decisions.end(owner.id, second.id, NOW, NOW)
    edit = editing.add_name(owner.id, relation.subject_id, "Nessa", NOW)
    agent = create_agent(owner.id, {"name": "Cook"})
    deleted_agent = create_agent(owner.id, {"name": "Waiter"})
    remove_agent(deleted_agent, timezone.now())
    write_own_words(owner.id, "I bake.", NOW)
    skill = Skill.objects.create(user_id=owner.id, digest=b"s" * 32, fact_id=fact.id)
    write_text(skill, Wording("Bake", "Slowly"), 1, NOW)
    learn(drawers[0], "rye", "Tends to rise early.", kind="insight")
    event, reading = _events(owner, drawers[2])
    deletion = trash.delete(owner.id, "drawer", deleted.id, NOW)
    settings_change = change_preferences(owner.id, {"top_k": 9}, NOW)
    assert settings_change
    export = request_export(owner.id, timezone.now())
    process_transfer(owner.id, export.id, timezone.now)
    issue_token(owner.id, "Another", NOW)
    ids = {
        "wing_id": drawers[0].wing_id,
        "room_id": drawers[0].room_id,
        "closet_id": drawers[0].closet_id,
        "pointer": str(drawers[0].pointer),
        "drawer_id": drawers[0].id,
        "fact_id": fact.id,
        "entity_id": relation.subject_id,
        "deletion_id": deletion.id,
        "waiting_fact_id": in_review.id,
        "approved_fact_id": approved.id,
        "other_fact_id": second.id,
        "decision_id": decision.event_id,
        "edit_id": edit.id,
        "alias_id": EntityName.objects.get(name="Nessa").id,
        "other_entity_id": relation.object_id,
        **_chats(owner),
        "agent_id": agent.id,
        "deleted_agent_id": deleted_agent.id,
        "text_id": ProfileText.objects.get().id,
        "skill_id": skill.id,
        "insight_id": insights(owner.id).items[0].id,
        "event_id": event.id,
        "reextraction_id": reading.id,
        "settings_event_id": settings_change.id,
        **_consolidation(owner, fact),
        "export_id": export.id,
        "token_id": ApiToken.objects.get(name="Another").id,
        **_transfers(owner),
        **_recall(owner, drawers[0], wrong=beside),
        "other_wing_id": other.wing_id,
        "other_room_id": other.room_id,
        "other_closet_id": beside.closet_id,
        "change_id": change.batch_id,
    }
    return Furniture(ids, {export.file: export.file.read_bytes()})


def _events(owner: User, drawer: Drawer) -> Iterator[ActivityEvent]:
    """A mining run that filed a drawer, and a re-extraction that changed nothing."""
    mined = {"drawers": [str(drawer.id)], "facts": [], "refused": []}
    yield record(owner.id, ActivityEvent.Kind.MINED, mined, NOW, subject_id=uuid4())
    nothing: dict[str, Any] = {"facts": [], "evidence": [], "replaced": [], "window": str(uuid4())}
    yield record(owner.id, ActivityEvent.Kind.REEXTRACTED, nothing, NOW, subject_id=uuid4())


def _consolidation(owner: User, fact: Fact) -> dict[str, Any]:
    """A consolidation run that archived a fact, and a plan for another."""
    old = timezone.now() - timedelta(days=900)
    Fact.objects.filter(id=fact.id).update(valid_from=old, recorded_at=old)
    run = application.store_plan(owner.id, plan(owner.id, timezone.now()))
    application.apply(owner.id, run.id, run.digest, timezone.now())
    changes = ChangeSet.objects.filter(batch_id=run.id)
    archived = Fact.objects.filter(archived_at__isnull=False).first()
    assert archived
    planned = application.store_plan(owner.id, plan(owner.id, timezone.now()))
    return {
        "run_id": run.id,
        "planned_run_id": planned.id,
        "planned_digest": planned.digest,
        "run_change_id": changes.order_by("id")[0].id,
        "archived_fact_id": archived.id,
    }


def _transfers(owner: User) -> dict[str, Any]:
    """An import of a chat and a restore, both of which wait for confirmation."""
    bringing = ImportRun.objects.create(user_id=owner.id, state=ImportRun.State.READY, path="none")
    chat = {"external_id": "c", "title": "Flour", "messages": 2, "last_said_at": NOW}
    ImportedChat.objects.create(user_id=owner.id, run_id=bringing.id, **chat)
    ready = {"direction": Transfer.Direction.RESTORE, "state": Transfer.State.READY}
    back = Transfer.objects.create(user_id=owner.id, expires_at=timezone.now() + timedelta(days=1), **ready)
    return {"import_id": bringing.id, "restore_id": back.id}


def _recall(owner: User, drawer: Drawer, wrong: Drawer) -> dict[str, Any]:
    """A recall with a drawer, and a correction of another drawer."""
    found = recall(RecallRequest(owner.id, "What about my rye starter?", timezone.now()))
    hits = [hit_as_json(hit) for hit in found.hits]
    trace = RecallTrace.objects.create(
        user_id=owner.id, trace=trace_as_json(found.trace), hits=hits, at=timezone.now()
    )
    assert str(drawer.id) in {hit["drawer_id"] for hit in hits}
    correction = corrections.correct_drawer(owner.id, wrong.id, "Not so.", timezone.now())
    return {"trace_id": trace.id, "correction_id": correction.event_id}


def _chats(owner: User) -> dict[str, Any]:
    """A chat and a deleted chat."""
    chat = start(owner.id, Choices(), NOW)
    append(chat, NewMessage("user", "Hello"), NOW)
    edit = rename(chat, "Greetings", NOW)
    assert edit
    deleted = start(owner.id, Choices(), NOW)
    append(deleted, NewMessage("user", "Good night"), NOW)
    remove(deleted, NOW, forget_too=False)
    return {"conversation_id": chat.id, "deleted_chat_id": deleted.id, "chat_edit_id": edit.id}
