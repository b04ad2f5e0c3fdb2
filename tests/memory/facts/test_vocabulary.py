from memory.facts.vocabulary import KINDS, details_of, kind_of, kinds_matching

TYPES = {"semantic", "episodic", "procedural", "reflective"}
NATURES = {"factual", "preference", "behavioral", "episodic", "procedural"}
SECTIONS = {"profile", "preferences", "technical", "projects", "other"}


def test_kinds_and_the_names_of_each_vocabulary_match():
    details = [details_of(kind) for kind in KINDS]
    assert {each.memory_type for each in details} == TYPES
    assert {each.nature for each in details} == NATURES
    assert {each.section for each in details} == SECTIONS
    assert [each for each in details if not 0 < each.importance <= 1] == []
    for name in TYPES | NATURES | SECTIONS:
        kind = kind_of(name)
        found = details_of(kind)
        assert kind in kinds_matching(name)
        assert name in {kind, found.memory_type, found.nature, found.section}
    for kind in KINDS:
        assert (kind_of(kind), kinds_matching(kind)) == (kind, (kind,))
    assert kinds_matching("episodic") == ("experience", "event")
    assert set(kinds_matching("projects")) == {"goal", "project"}


def test_kind_names_ignore_case_and_spelling_variants_and_unknown_names_match_nothing():
    spelled = ("Behavioural", "behavior", "Successful Path", "PREFERENCES", "relation")
    kinds = ["behaviour", "behaviour", "successful_path", "preference", "relationship"]
    assert [kind_of(name) for name in spelled] == kinds
    assert (kind_of("nonsense"), kinds_matching("nonsense")) == (None, ())
    assert details_of("nonsense").memory_type == "semantic"
