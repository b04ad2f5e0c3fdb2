import pytest

from llm.embedding_models import BGE_SMALL, remote_model


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
def test_known_models(name, dimensions, search_dimensions):
    model = remote_model(name)
    assert model is not None
    assert (model.name, model.dimensions, model.search_dimensions) == (name, dimensions, search_dimensions)
    assert model.key != BGE_SMALL.key
    unknown = ("", "my-model", "my-model@", "my-model@many", "my-model@0")
    assert [remote_model(each) for each in unknown] == [None] * 5


@pytest.mark.parametrize(
    ("cosine", "similarity"), [(BGE_SMALL.floor, 0), (-1.0, 0), (1.0, 1), (1.0001, 1), (0.725, 0.5)]
)
def test_calibrated_similarity_runs_from_unrelated_to_identical(cosine, similarity):
    assert BGE_SMALL.calibrated(cosine) == pytest.approx(similarity)


def test_questions_have_a_line_of_their_own():
    # Measured: most answers lie above .64, most texts about somebody else below .62.
    assert BGE_SMALL.calibrated_question(0.64) > 0.6 > BGE_SMALL.calibrated_question(0.60)
