"""The vocabulary of facts: keys, predicates and kinds, each thing under one name however it is called.

A kind also has a memory type (semantic, episodic, procedural, reflective) and a name in two older
vocabularies that the API speaks: its *nature* (factual, preference, behavioral, episodic, procedural) and
its *section* of a profile (profile, preferences, technical, projects, other).
"""

import re
from dataclasses import dataclass

KEY_LENGTH = 60

_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: whether a new object ends the old one, the type of entity its object is, and the key that
    its facts have whatever key a model uses.

    The type is "" if the object is a phrase rather than a node of the graph.
    """

    single_valued: bool = False
    entity: str = ""
    key: str = ""


PREDICATES: dict[str, Predicate] = {
    "named": Predicate(single_valued=True, key="name"),
    "nickname": Predicate(single_valued=True, key="nickname"),
    "aged": Predicate(single_valued=True, key="age"),
    "born_on": Predicate(single_valued=True, key="birthday"),
    "born_in": Predicate(single_valued=True, entity="place", key="birthplace"),
    "comes_from": Predicate(single_valued=True, entity="place", key="hometown"),
    "has_nationality": Predicate(),
    "lives_in": Predicate(single_valued=True, entity="place", key="home_city"),
    "lived_in": Predicate(entity="place"),
    "grew_up_in": Predicate(single_valued=True, entity="place"),
    "has_visited": Predicate(entity="place"),
    "travels_to": Predicate(entity="place"),
    "allergic_to": Predicate(),
    "has_condition": Predicate(),
    "has_marital_status": Predicate(single_valued=True, key="marital_status"),
    "follows_diet": Predicate(single_valued=True, key="diet"),
    "works_at": Predicate(single_valued=True, entity="organisation", key="employer"),
    "worked_at": Predicate(entity="organisation"),
    "works_as": Predicate(single_valued=True, key="occupation"),
    "studies_at": Predicate(single_valued=True, entity="organisation", key="university"),
    "graduated_from": Predicate(entity="organisation"),
    "studies": Predicate(entity="topic"),
    "speaks": Predicate(entity="topic"),
    "plays": Predicate(entity="topic"),
    "likes": Predicate(entity="topic"),
    "dislikes": Predicate(entity="topic"),
    "prefers": Predicate(entity="topic"),
    "uses": Predicate(entity="thing"),
    "works_on": Predicate(entity="project"),
    "married_to": Predicate(single_valued=True, entity="person", key="spouse"),
    "engaged_to": Predicate(single_valued=True, entity="person", key="fiance"),
    "partner_of": Predicate(single_valued=True, entity="person", key="partner"),
    "sibling_of": Predicate(entity="person"),
    "child_of": Predicate(entity="person"),
    "parent_of": Predicate(entity="person"),
    "grandchild_of": Predicate(entity="person"),
    "grandparent_of": Predicate(entity="person"),
    "relative_of": Predicate(entity="person"),
    "friend_of": Predicate(entity="person"),
    "colleague_of": Predicate(entity="person"),
    "reports_to": Predicate(single_valued=True, entity="person"),
    "manages": Predicate(entity="person"),
    "acquainted_with": Predicate(entity="person"),
    "has_pet": Predicate(entity="animal"),
}

CANONICAL_KEYS = (
    "name",
    "nickname",
    "age",
    "birthday",
    "birthplace",
    "nationality",
    "home_city",
    "hometown",
    "marital_status",
    "spouse",
    "partner",
    "employer",
    "former_employer",
    "occupation",
    "university",
    "diet",
    "favourite_colour",
    "favourite_food",
    "operating_system",
    "editor",
    "budget",
)

_KEY_SYNONYMS = {
    "full_name": "name",
    "first_name": "name",
    "user_name": "name",
    "date_of_birth": "birthday",
    "birth_date": "birthday",
    "birthdate": "birthday",
    "place_of_birth": "birthplace",
    "residence": "home_city",
    "city": "home_city",
    "location": "home_city",
    "current_city": "home_city",
    "city_of_residence": "home_city",
    "home_location": "home_city",
    "lives_in": "home_city",
    "wife": "spouse",
    "husband": "spouse",
    "wife_name": "spouse",
    "husband_name": "spouse",
    "spouse_name": "spouse",
    "married_to": "spouse",
    "boyfriend": "partner",
    "girlfriend": "partner",
    "partner_name": "partner",
    "company": "employer",
    "workplace": "employer",
    "works_at": "employer",
    "current_employer": "employer",
    "previous_employer": "former_employer",
    "job": "occupation",
    "job_title": "occupation",
    "profession": "occupation",
    "works_as": "occupation",
    "school": "university",
    "dietary_preference": "diet",
    "dietary_restriction": "diet",
    "favorite_color": "favourite_colour",
    "os": "operating_system",
    "text_editor": "editor",
    "code_editor": "editor",
}

_PREDICATE_SYNONYMS = {
    "works_for": "works_at",
    "employed_by": "works_at",
    "employed_at": "works_at",
    "resides_in": "lives_in",
    "living_in": "lives_in",
    "spouse_of": "married_to",
    "wife_of": "married_to",
    "husband_of": "married_to",
    "is_married_to": "married_to",
    "brother_of": "sibling_of",
    "sister_of": "sibling_of",
    "son_of": "child_of",
    "daughter_of": "child_of",
    "mother_of": "parent_of",
    "father_of": "parent_of",
    "owns_pet": "has_pet",
    "loves": "likes",
    "enjoys": "likes",
    "hates": "dislikes",
}


def slug(text: str) -> str:
    """`text` in lower case with underscores between words; letters of every script are kept."""
    return _NOT_WORD.sub("_", text.casefold()).strip("_")[:KEY_LENGTH].strip("_")


def canonical_key(key: str) -> str:
    """The key a fact is stored under; merges known synonyms and American spelling."""
    found = slug(key).replace("favorite", "favourite").replace("color", "colour")
    return _KEY_SYNONYMS.get(found, _KEY_SYNONYMS.get(slug(key), found))


def canonical_predicate(predicate: str) -> str:
    """The predicate or relation in snake_case; merges known synonyms."""
    found = slug(predicate)
    return _PREDICATE_SYNONYMS.get(found, found)


def key_of(predicate: str, key: str) -> str:
    """The key of a fact: the predicate's own if it can have only one object, else `key`."""
    known = PREDICATES.get(predicate)
    return known.key if known and known.key else key


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind's names in other vocabularies, and the usual importance of such a fact (0 to 1)."""

    memory_type: str
    nature: str
    section: str
    importance: float


KINDS: dict[str, Kind] = {
    "identity": Kind("semantic", "factual", "profile", 0.8),
    "preference": Kind("semantic", "preference", "preferences", 0.5),
    "relationship": Kind("semantic", "factual", "profile", 0.7),
    "experience": Kind("episodic", "episodic", "other", 0.4),
    "skill": Kind("procedural", "procedural", "profile", 0.5),
    "goal": Kind("semantic", "factual", "projects", 0.6),
    "constraint": Kind("semantic", "factual", "profile", 0.9),
    "event": Kind("episodic", "episodic", "other", 0.5),
    "behaviour": Kind("reflective", "behavioral", "profile", 0.4),
    "technical": Kind("semantic", "factual", "technical", 0.4),
    "project": Kind("semantic", "factual", "projects", 0.5),
    "instruction": Kind("procedural", "procedural", "preferences", 0.8),
    "successful_path": Kind("procedural", "procedural", "technical", 0.5),
    "insight": Kind("reflective", "behavioral", "other", 0.4),
    "other": Kind("semantic", "factual", "other", 0.3),
}

# The kind of a new fact if only a name in another vocabulary is known.
_USUAL_KIND = {
    "factual": "other",
    "behavioral": "behaviour",
    "episodic": "experience",
    "procedural": "successful_path",
    "profile": "identity",
    "preferences": "preference",
    "projects": "project",
    "semantic": "other",
    "reflective": "insight",
}
_KIND_SPELLINGS = {
    "behavior": "behaviour",
    "behavioural": "behavioral",
    "successful path": "successful_path",
    "relation": "relationship",
}


def memory_type_of(kind: str) -> str:
    """semantic, episodic, procedural or reflective; semantic for an unknown kind."""
    return KINDS.get(kind, KINDS["other"]).memory_type


def nature_of(kind: str) -> str:
    """The kind as factual, preference, behavioral, episodic or procedural."""
    return KINDS.get(kind, KINDS["other"]).nature


def section_of(kind: str) -> str:
    """The kind as profile, preferences, technical, projects or other."""
    return KINDS.get(kind, KINDS["other"]).section


def importance_of(kind: str) -> float:
    """The usual importance of a fact of this kind, 0 to 1."""
    return KINDS.get(kind, KINDS["other"]).importance


def kind_of(name: str) -> str | None:
    """The kind with this name, in any vocabulary and spelling; None for an unknown name.

    A kind's own name comes first.
    """
    plain = _plain_kind(name)
    return plain if plain in KINDS else _USUAL_KIND.get(plain)


def kinds_called(name: str) -> tuple[str, ...]:
    """Every kind that this name may mean, in any vocabulary; empty for an unknown name.

    "preference" is the kind, "episodic" is experiences and events.
    """
    plain = _plain_kind(name)
    if plain in KINDS:
        return (plain,)
    return tuple(
        kind for kind, names in KINDS.items() if plain in (names.memory_type, names.nature, names.section)
    )


def _plain_kind(name: str) -> str:
    plain = " ".join(name.casefold().replace("_", " ").split())
    spelled = _KIND_SPELLINGS.get(plain, plain)
    return spelled.replace(" ", "_")
