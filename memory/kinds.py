"""The kinds of facts, and what they are called in the other vocabularies the API speaks.

Each kind has a memory type (semantic, episodic, procedural, reflective) and a name in two older
vocabularies: the *nature* (factual, preference, behavioral, episodic, procedural) and the
*section* of a profile (profile, preferences, technical, projects, other).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind's names elsewhere, and how much such a fact usually matters (0 to 1)."""

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

# What a name of another vocabulary becomes when it is all that is known of a new fact.
_USUAL = {
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
_SPELLINGS = {
    "behavior": "behaviour",
    "behavioural": "behavioral",
    "successful path": "successful_path",
    "relation": "relationship",
}


def memory_type_of(kind: str) -> str:
    """semantic, episodic, procedural or reflective; semantic for a kind nobody knows."""
    return KINDS.get(kind, KINDS["other"]).memory_type


def nature_of(kind: str) -> str:
    """The kind as factual, preference, behavioral, episodic or procedural."""
    return KINDS.get(kind, KINDS["other"]).nature


def section_of(kind: str) -> str:
    """The kind as profile, preferences, technical, projects or other."""
    return KINDS.get(kind, KINDS["other"]).section


def importance_of(kind: str) -> float:
    """How much a fact of this kind usually matters, 0 to 1."""
    return KINDS.get(kind, KINDS["other"]).importance


def kind_of(name: str) -> str | None:
    """The kind to file a fact under that somebody calls by this name, in any vocabulary and
    spelling; None for a name of none. A kind's own name comes first."""
    plain = _plain(name)
    return plain if plain in KINDS else _USUAL.get(plain)


def kinds_called(name: str) -> tuple[str, ...]:
    """Every kind that somebody may mean by this name, in any vocabulary; empty for a name of
    none. "preference" is the kind, "episodic" is experiences and events."""
    plain = _plain(name)
    if plain in KINDS:
        return (plain,)
    return tuple(
        kind
        for kind, names in KINDS.items()
        if plain in (names.memory_type, names.nature, names.section)
    )


def _plain(name: str) -> str:
    plain = " ".join(name.casefold().replace("_", " ").split())
    spelled = _SPELLINGS.get(plain, plain)
    return spelled.replace(" ", "_")
