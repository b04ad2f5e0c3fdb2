import pytest

from llm.embedding_models import remote_model


@pytest.mark.parametrize(
    ("name", "dimensions", "search_dimensions"),
    [
        ("text-embedding-3-small", 1536, 512),
        ("openai/text-embedding-3-small", 1536, 512),
        ("text-embedding-3-large", 3072, 512),
        ("nomic-embed-text:latest", 768, 512),
        ("bge-m3", 1024, 1024),
        ("my-model@640", 640, 640),
        ("org/my-model:v2@4096", 4096, 512),
    ],
)
def test_what_is_known_of_a_model(name, dimensions, search_dimensions):
    model = remote_model(name)
    assert model is not None
    assert model.name == name
    assert model.dimensions == dimensions
    assert model.search_dimensions == search_dimensions


@pytest.mark.parametrize("name", ["", "my-model", "my-model@", "my-model@many", "my-model@0"])
def test_what_is_not_known_is_none(name):
    assert remote_model(name) is None
