"""The vocabulary of facts: canonical keys, predicates and kinds, and their synonyms.

A kind also has a memory type (semantic, episodic, procedural, reflective) and a name in two older
vocabularies that the API speaks: its *nature* (factual, preference, behavioral, episodic, procedural) and
its *section* of a profile (profile, preferences, technical, projects, other).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

KEY_LENGTH = 60

_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: whether a new object ends the old one, the entity type of its object, and the key that its
    facts have, whatever key a model uses.

    The type is empty if the object is a phrase rather than a node of the graph.
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

# Canonical keys with their synonyms.
_KEYS = {
    "name": "full_name first_name user_name",
    "nickname": "",
    "age": "",
    "birthday": "date_of_birth birth_date birthdate",
    "birthplace": "place_of_birth",
    "nationality": "",
    "home_city": "residence city location current_city city_of_residence home_location lives_in",
    "hometown": "",
    "marital_status": "",
    "spouse": "wife husband wife_name husband_name spouse_name married_to",
    "partner": "boyfriend girlfriend partner_name",
    "employer": "company workplace works_at current_employer",
    "former_employer": "previous_employer",
    "occupation": "job job_title profession works_as",
    "university": "school",
    "diet": "dietary_preference dietary_restriction",
    "favourite_colour": "favorite_color",
    "favourite_food": "",
    "operating_system": "os",
    "editor": "text_editor code_editor",
    "budget": "",
}
CANONICAL_KEYS = tuple(_KEYS)
# Synonyms of predicates.
_PREDICATE_NAMES = {
    "works_at": "works_for employed_by employed_at",
    "lives_in": "resides_in living_in",
    "married_to": "spouse_of wife_of husband_of is_married_to",
    "sibling_of": "brother_of sister_of",
    "child_of": "son_of daughter_of",
    "parent_of": "mother_of father_of",
    "has_pet": "owns_pet",
    "likes": "loves enjoys",
    "dislikes": "hates",
}


def _by_synonym(names: Mapping[str, str]) -> dict[str, str]:
    return {synonym: name for name, synonyms in names.items() for synonym in synonyms.split()}


_KEY_SYNONYMS, _PREDICATE_SYNONYMS = _by_synonym(_KEYS), _by_synonym(_PREDICATE_NAMES)


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

# The default kind for names in other vocabularies.
_DEFAULT_KIND = {
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
    """The memory type of a kind; semantic for an unknown one."""
    return KINDS.get(kind, KINDS["other"]).memory_type


def nature_of(kind: str) -> str:
    """The nature of a kind: factual, preference, behavioral, episodic or procedural."""
    return KINDS.get(kind, KINDS["other"]).nature


def section_of(kind: str) -> str:
    """The section of a kind: profile, preferences, technical, projects or other."""
    return KINDS.get(kind, KINDS["other"]).section


def importance_of(kind: str) -> float:
    """The usual importance of a fact of this kind, 0 to 1."""
    return KINDS.get(kind, KINDS["other"]).importance


def kind_of(name: str) -> str | None:
    """The kind with this name, in any vocabulary and spelling, or None.

    Names of kinds take precedence.
    """
    plain = _plain_kind(name)
    return plain if plain in KINDS else _DEFAULT_KIND.get(plain)


def kinds_matching(name: str) -> tuple[str, ...]:
    """All kinds that this name may mean, in any vocabulary; empty for an unknown name.

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
