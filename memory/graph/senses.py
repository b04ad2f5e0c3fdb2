"""Tells things of different nature apart that share a name.

A person, an animal and a place or organisation are never one: Paris who called is not Paris by
the Seine. Places, organisations and projects are often hard to tell apart, so they share a sense.
Of a thing or a topic nothing is known that would speak against any of them.
"""

UNKNOWN = ""

_SENSES = {
    "user": "person",
    "person": "person",
    "animal": "animal",
    "place": "site",
    "organisation": "site",
    "project": "site",
}


def sense_of(type_: str) -> str:
    """The sense of an entity type: person, animal, site, or empty when it says too little."""
    return _SENSES.get(type_, UNKNOWN)
