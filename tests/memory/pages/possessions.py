"""One thing of each kind that somebody can own, made for the fences."""

from uuid import uuid4

from django.utils import timezone

from memory.consolidation.application import consolidate
from memory.facts.review.decisions import approve
from memory.forgetting.trash import delete
from memory.graph.editing import set_detail
from memory.models import ActivityEvent, ChangeSet, Closet, Drawer, MiningProgress, OwnWords, Skill
from memory.organize.naming import rename
from memory.organize.places import Target
from memory.preferences import change_with_event
from memory.projections.insights import insights
from memory.projections.skills import Wording, write_text
from tests.memory.palaces import MONDAY, learn, relate


def _skill(drawer: Drawer) -> Skill:
    skill = Skill.objects.create(user_id=drawer.user_id, digest=b"x")
    skill.sources.create(user_id=drawer.user_id, drawer_id=drawer.id)
    write_text(skill, Wording("Bake", "With heat."), 1, MONDAY)
    return skill


def _left_unremembered(drawer: Drawer) -> MiningProgress:
    return MiningProgress.objects.create(
        user_id=drawer.user_id,
        source_kind="conversation",
        source_id=uuid4(),
        state=MiningProgress.State.DISCARDED,
    )


def _settings_changed(drawer: Drawer) -> ActivityEvent:
    event = change_with_event(drawer.user_id, {"review_threshold": 0.4}, MONDAY)
    assert event is not None
    return event


def possessions(bread: list[Drawer]) -> dict[str, object]:
    """Ids by the name they have in addresses, made around three drawers of one person."""
    drawer, second, third = bread
    learn(second, "me", "Tends to bake.", kind="insight")
    fact = learn(second, "gave it to me", "Was given the starter.", review_reason="Unsure.")
    other = learn(second, "Porto", "Was in Porto.", review_reason="Unsure.")
    decision = approve(drawer.user_id, [other.id], MONDAY)
    deletion = delete(drawer.user_id, "drawer", third.id, MONDAY)
    event = ActivityEvent.objects.create(
        user_id=drawer.user_id,
        kind=ActivityEvent.Kind.MINED,
        details={"drawers": [str(drawer.id)], "facts": [], "relations": [], "refused": []},
    )
    words = OwnWords.objects.create(user_id=drawer.user_id, text="I bake.")
    Closet.objects.create(
        user_id=drawer.user_id, room_id=drawer.room_id, name="X", slug="x", created_at=MONDAY
    )
    consolidate(drawer.user_id, timezone.now())
    change = ChangeSet.objects.get(area="consolidation")
    skill = _skill(drawer)
    now = timezone.now()
    edit = rename(drawer.user_id, Target("room", drawer.room_id), "Loaves", now)
    rui = relate(drawer, "Rui", "knows", "Inês").subject
    set_detail(drawer.user_id, rui.id, ("birthday", "4 May"), MONDAY)
    return {
        "wing_id": drawer.wing_id,
        "room_id": drawer.room_id,
        "closet_id": drawer.closet_id,
        "drawer_id": drawer.id,
        "wing": drawer.pointer_wing,
        "room": drawer.pointer_room,
        "drawer": drawer.pointer_drawer,
        "deletion_id": deletion.id,
        "fact_id": fact.id,
        "decision_id": decision.event_id,
        "event_id": event.id,
        "words_id": words.id,
        "run_id": change.batch_id,
        "change_id": change.id,
        "skill_id": skill.id,
        "insight_id": insights(drawer.user_id).items[0].id,
        "entity_id": rui.id,
        "name_id": rui.names.get().id,
        "edit_id": ChangeSet.objects.get(subject_id=rui.id).id,
        "number": 1,
        "scope": "room",
        "place_id": drawer.room_id,
        "batch_id": edit.batch_id,
        "progress_id": _left_unremembered(drawer).id,
        "settings_id": _settings_changed(drawer).id,
    }
