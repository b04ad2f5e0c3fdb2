from collections.abc import Iterator
from typing import Any

from memory.mining.prompts import Answer, answer_schema


def objects_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    yield from schema["$defs"].values()


def test_every_object_is_strict():
    """The rules of strict structured output: all keys required, none besides, no defaults."""
    for item in objects_in(answer_schema()):
        if item.get("type") != "object":
            continue
        assert item["additionalProperties"] is False
        assert set(item["required"]) == set(item["properties"])
        assert all("default" not in field for field in item["properties"].values())


def test_the_schema_names_the_kinds_the_model_may_use():
    fact = answer_schema()["$defs"]["AnsweredFact"]["properties"]
    assert "preference" in fact["kind"]["enum"]
    assert set(fact["source"]["enum"]) == {"stated", "inferred"}


def test_an_empty_answer_is_an_answer():
    empty = {"wing": {"kind": "topic", "name": "Tea"}, "turns": [], "facts": []}
    assert Answer.model_validate(empty | {"entities": [], "relations": []}).facts == []
