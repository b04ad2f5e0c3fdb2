"""Fills a palace with one of everything that the API names by an id."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from accounts.models import User
from memory import erasure
from memory.aaak import Tags
from memory.arranging import marking
from memory.graph import editing
from memory.models import Closet, Drawer, EntityName, Fact, Room, Wing
from memory.review import decisions
from tests.memory.palaces import Spot, file, learn, relate

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Furniture:
    """The ids, by the names that parameters of the API have."""

    ids: dict[str, UUID]

    def __getitem__(self, name: str) -> UUID:
        return self.ids[name]


def furnish(owner: User) -> Furniture:
    """One of everything; runs as its owner."""
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
    (thrown,) = file(owner.id, ["What was thrown away."], Spot(wing="Attic"))
    (other,) = file(owner.id, ["Bees need water in August."], Spot("Bees", room="Summer"))
    (beside,) = file(
        owner.id, ["A second loaf."], Spot(closet="Loaves", source_id=drawers[0].source_id)
    )
    change = marking.mark(owner.id, [other.id], "pinned", on=True, now=NOW)
    assert change.edit
    waiting = learn(drawers[2], "too hot", "Has a hot oven.", review_reason="Unsure.")
    once = learn(drawers[2], "at first", "Has an oven that cools.", review_reason="Unsure.")
    decisions.approve(owner.id, [once.id], NOW)
    second = learn(drawers[2], "oven", "Has an oven.")
    decision = decisions.end(owner.id, second.id, NOW, NOW)
    edit = editing.add_name(owner.id, relation.subject_id, "Nessa", NOW)
    deletion = erasure.delete(owner.id, "drawer", thrown.id, NOW)
    return Furniture(
        {
            "wing_id": Wing.objects.get(name="Bakery").id,
            "room_id": Room.objects.get(id=drawers[0].room_id).id,
            "closet_id": Closet.objects.get(id=drawers[0].closet_id).id,
            "drawer_id": Drawer.objects.get(id=drawers[0].id).id,
            "fact_id": Fact.objects.get(id=fact.id).id,
            "entity_id": relation.subject_id,
            "deletion_id": deletion.id,
            "waiting_fact_id": waiting.id,
            "approved_fact_id": once.id,
            "other_fact_id": second.id,
            "decision_id": decision.event_id,
            "edit_id": edit.id,
            "name_id": EntityName.objects.get(name="Nessa").id,
            "other_entity_id": relation.object_id,
            "other_wing_id": other.wing_id,
            "other_room_id": other.room_id,
            "other_closet_id": beside.closet_id,
            "change_id": change.edit.batch_id,
        }
    )
