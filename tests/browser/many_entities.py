"""Adds many entities to a running site, through `manage.py shell`."""

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import OWNER, Entity, Relation
from tests.browser.site import Site
from tests.memory.palaces import file

CIRCLE = 20
KINDS = ("person", "place", "organisation", "project", "topic")
NAMES = ("Guest {}", "Guesthouse at the harbour {}", "里斯本港口的朋友{}", "Wim {}")


def add_entities_to_site(site: Site, email: str, count: int) -> None:
    """Add `count` entities to the palace of a user of a running site."""
    words = f"from tests.browser.many_entities import add_entities; add_entities({email!r}, {count})"
    site.manage("shell", "--no-imports", "-c", words)


def add_entities(email: str, count: int) -> None:
    """Add entities in circles of twenty around one of them, and connect every seventh with another circle.
    The last tenth are connected only with the owner."""
    user_id = User.objects.get(email=email).id
    with tenant(user_id):
        drawer = file(user_id, ["We all met at the harbour."])[0]
        owner = Entity(user_id=user_id, name=OWNER, type=OWNER)
        others = [
            Entity(user_id=user_id, name=NAMES[number % 4].format(number), type=KINDS[number % 5])
            for number in range(count)
        ]
        Entity.objects.bulk_create([owner, *others])
        joined = others[: count * 9 // 10]
        pairs = [(owner, each) for each in others[len(joined) :]]
        pairs += [(joined[number - number % CIRCLE], each) for number, each in enumerate(joined)]
        pairs += [(joined[number * 13 % len(joined)], each) for number, each in enumerate(joined[::7])]
        different = {(one.id, other.id): (one, other) for one, other in pairs if one != other}
        Relation.objects.bulk_create(
            Relation(
                user_id=user_id,
                subject=one,
                relation="acquainted_with",
                object=other,
                valid_from=drawer.said_at,
                confidence=0.9,
                drawer=drawer,
            )
            for one, other in different.values()
        )
