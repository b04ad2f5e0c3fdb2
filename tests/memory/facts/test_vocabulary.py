from memory.facts.vocabulary import (
    KINDS,
    details_of,
    kind_of,
    kinds_matching,
)

TYPES = {"semantic", "episodic", "procedural", "reflective"}
NATURES = {"factual", "preference", "behavioral", "episodic", "procedural"}
SECTIONS = {"profile", "preferences", "technical", "projects", "other"}


def test_every_kind_maps_to_each_vocabulary():
    assert {details_of(kind).memory_type for kind in KINDS} == TYPES
    assert {details_of(kind).nature for kind in KINDS} == NATURES
    assert {details_of(kind).section for kind in KINDS} == SECTIONS
    assert all(0 < details_of(kind).importance <= 1 for kind in KINDS)


def test_every_vocabulary_name_resolves_to_matching_kinds():
    for name in TYPES | NATURES | SECTIONS:
        kind = kind_of(name)
        assert kind in KINDS
        assert name in {kind, details_of(kind).memory_type, details_of(kind).nature, details_of(kind).section}
        assert kind in kinds_matching(name)
    for kind in KINDS:
        assert kind_of(kind) == kind
        assert kinds_matching(kind) == (kind,)
    assert kinds_matching("episodic") == ("experience", "event")
    assert set(kinds_matching("projects")) == {"goal", "project"}


def test_kind_names_ignore_case_and_spelling_variants_and_unknown_names_match_nothing():
    spelled = ("Behavioural", "behavior", "Successful Path", "PREFERENCES", "relation")
    kinds = ["behaviour", "behaviour", "successful_path", "preference", "relationship"]
    assert [kind_of(name) for name in spelled] == kinds
    assert kind_of("nonsense") is None
    assert kinds_matching("nonsense") == ()
    assert details_of("nonsense").memory_type == "semantic"
