"""The local embedder with its real weights, which `make install` puts under PALACE_HOME."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from llm.configuration import LlmConfiguration
from llm.errors import EmbedderUnavailable
from llm.local_embedder import LocalEmbedder
from llm.weights import FILES, FOLDER
from memory.facts.wording import tells_apart
from tests.llm import statement_pairs

HOME = LlmConfiguration.from_environment(
    {"PALACE_HOME": os.environ.get("PALACE_HOME", "")}
).models_home
TEXTS = [
    "My sister Ana moved to Lisbon in May.",
    "Ana, my sister, has lived in Lisbon since May.",
    "The invoice for the dishwasher is overdue.",
    "用户住在北京",
    "😀🎉",
    "",
]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder(HOME, width=2)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A models folder whose network has one changed byte at its end."""
    folder = tmp_path / FOLDER
    shutil.copytree(HOME / FOLDER, folder)
    with (folder / FILES[0].name).open("r+b") as network:
        network.seek(-1, os.SEEK_END)
        last = network.read(1)
        network.seek(-1, os.SEEK_END)
        network.write(bytes([last[0] ^ 1]))
    return tmp_path


def test_vectors_have_their_shape_and_unit_length(embedder):
    embeddings = embedder.embed_documents(TEXTS)
    assert embeddings.vectors.shape == (len(TEXTS), embedder.model.dimensions)
    assert embeddings.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(embeddings.vectors, axis=1), 1.0, atol=1e-5)
    assert embeddings.usage.input_tokens > 30
    assert embeddings.usage.cost_usd == 0


def test_a_text_has_the_same_vector_alone_and_in_a_list(embedder):
    together = embedder.embed_documents(TEXTS).vectors
    for row, text in zip(together, TEXTS, strict=True):
        np.testing.assert_array_equal(row, embedder.embed_documents([text]).vectors[0])


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed_documents([]).vectors.shape == (0, 384)


def test_a_paraphrase_is_nearer_than_something_else(embedder):
    said, paraphrase, other = embedder.embed_documents(TEXTS[:3]).vectors
    likeness = embedder.model.calibrated
    assert likeness(float(said @ paraphrase)) > 0.7
    assert likeness(float(said @ other)) < 0.4


def test_a_question_finds_its_answer_on_the_calibrated_line(embedder):
    said, _, other = embedder.embed_documents(TEXTS[:3]).vectors
    question = embedder.embed_query("Where does my sister live now?").vectors[0]
    assert embedder.model.calibrated_question(float(question @ said)) >= 0.6
    assert embedder.model.calibrated_question(float(question @ other)) < 0.6


def test_a_question_is_not_embedded_like_a_document(embedder):
    text = "Where does Ana live?"
    question, document = embedder.embed_query(text), embedder.embed_documents([text])
    assert float(question.vectors[0] @ document.vectors[0]) < 0.99


def test_the_end_of_a_long_text_is_read_too(embedder):
    filler = "We talked about the weather and the garden. " * 80
    plain, ending = embedder.embed_documents(
        [filler, filler + "My sister Ana moved to Lisbon in May. " * 40]
    ).vectors
    said = embedder.embed_documents([TEXTS[0]]).vectors[0]
    assert float(ending @ said) > float(plain @ said) + 0.05


def test_a_lone_surrogate_is_no_obstacle(embedder):
    assert embedder.embed_query("half an emoji \ud83d").vectors.shape == (1, 384)


def test_threads_that_come_first_together_share_one_load():
    fresh = LocalEmbedder(HOME, width=1)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: fresh.embed_query("hello").vectors[0], range(4)))
    for row in rows[1:]:
        np.testing.assert_array_equal(row, rows[0])


def test_changed_weights_are_refused_with_advice(damaged):
    embedder = LocalEmbedder(damaged)
    with pytest.raises(EmbedderUnavailable, match="make install") as refusal:
        embedder.embed_documents(["hello"])
    assert refusal.value.permanent
    assert refusal.value.reason == embedder.probe().words
    assert embedder.probe().state == "down"


def test_missing_weights_are_refused_and_taken_up_once_they_are_there(tmp_path):
    embedder = LocalEmbedder(tmp_path)
    with pytest.raises(EmbedderUnavailable, match="not installed"):
        embedder.embed_query("hello")
    shutil.copytree(HOME / FOLDER, tmp_path / FOLDER)
    assert embedder.probe().state == "up"
    assert embedder.embed_query("hello").vectors.shape == (1, 384)


def test_the_runtime_is_told_to_keep_no_telemetry():
    program = "import llm.local_embedder, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environment = {name: value for name, value in os.environ.items() if "TELEMETRY" not in name}
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environment, check=True, text=True
    )
    assert told.stdout.strip() == "1"


def share_above(embedder: LocalEmbedder, pairs, line: float) -> float:
    vectors = embedder.embed_documents([text for pair in pairs for text in pair]).vectors
    cosines = (vectors[0::2] * vectors[1::2]).sum(axis=1)
    return float(np.mean([embedder.model.calibrated_statement(each) > line for each in cosines]))


def test_statements_stand_where_they_were_measured(embedder: LocalEmbedder):
    same = statement_pairs.SAME + statement_pairs.LATER_SAME
    others = statement_pairs.OTHER + statement_pairs.LATER_OTHER
    told = [pair for pair in others if not tells_apart(*pair)]
    assert share_above(embedder, same, 0.9) > 0.9
    assert share_above(embedder, told, 0.9) <= 1 / len(told) + 1e-9
    assert share_above(embedder, statement_pairs.RELATED, 0.7) >= 0.5
    assert share_above(embedder, statement_pairs.UNRELATED, 0.7) == 0


def test_tokens_have_the_words_they_belong_to(embedder: LocalEmbedder) -> None:
    text = "Ana's greyhound hates thunderstorms."
    (tokens,) = embedder.embed_tokens([text]).texts
    words = list(dict.fromkeys(text[start:end] for start, end in tokens.words))
    assert words == ["Ana", "'", "s", "greyhound", "hates", "thunderstorms", "."]
    assert tokens.vectors.shape == (len(tokens.words), 384)
    assert np.allclose(np.linalg.norm(tokens.vectors, axis=1), 1.0, atol=1e-5)


def test_a_text_without_words_has_no_tokens(embedder: LocalEmbedder) -> None:
    (tokens,) = embedder.embed_tokens([""]).texts
    assert tokens.words == ()
    assert len(tokens.vectors) == 0
