"""The local embedder with its real weights, which `make install` fetches."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from llm import weights
from llm.configuration import LlmConfiguration
from llm.errors import EmbedderUnavailable
from llm.local_embedder import LocalEmbedder, MultilingualEmbedder
from llm.weights import FILES, FOLDER
from memory.facts.similarity import differs_materially

HOME = LlmConfiguration.from_environment({"PALACE_HOME": os.environ.get("PALACE_HOME", "")}).models_home
PAIRS = json.loads(Path(__file__).with_name("statement_pairs.json").read_text())
TEXTS = [
    "My sister Ana moved to Lisbon in May.",
    "Ana, my sister, has lived in Lisbon since May.",
    "The invoice for the dishwasher is overdue.",
    "用户住在北京",
    "half an emoji \ud83d 😀🎉",
    "",
]

OTHERS = (
    *("Die Rechnung für die Spülmaschine ist überfällig.", "Счёт просрочен."),
    *("发票逾期了。", "請求書の期限", "الفاتورة"),
)


@pytest.fixture(scope="module")
def embedder():
    return LocalEmbedder(HOME, width=2)


@pytest.fixture(scope="module")
def multilingual():
    return MultilingualEmbedder(HOME, width=2)


@pytest.mark.parametrize("name", ["embedder", "multilingual"])
def test_vectors_have_unit_length_and_do_not_depend_on_the_batch(name, request):
    embedder = request.getfixturevalue(name)
    embeddings = embedder.embed_documents(TEXTS)
    assert embeddings.vectors.shape == (len(TEXTS), embedder.model.dimensions)
    assert embeddings.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(embeddings.vectors, axis=1), 1.0, atol=1e-5)
    for row, text in zip(embeddings.vectors, TEXTS, strict=True):
        np.testing.assert_array_equal(row, embedder.embed_documents([text]).vectors[0])
    assert embeddings.usage.input_tokens > 30
    assert embeddings.usage.cost_usd == 0
    assert embedder.embed_documents([]).vectors.shape == (0, 384)


def test_meaning_decides_similarity(embedder):
    said, paraphrase, other = embedder.embed_documents(TEXTS[:3]).vectors
    similarity = embedder.model.calibrated
    assert similarity(float(said @ paraphrase)) > 0.7
    assert similarity(float(said @ other)) < 0.4
    question = embedder.embed_query("Where does my sister live now?").vectors[0]
    assert embedder.model.calibrated_question(float(question @ said)) >= 0.6
    assert embedder.model.calibrated_question(float(question @ other)) < 0.6


@pytest.mark.parametrize(
    "said",
    [
        "Meine Schwester Ana ist im Mai nach Lissabon gezogen.",
        "Моя сестра Ана в мае переехала в Лиссабон.",
        "我姐姐安娜五月搬到里斯本了。",
        "妹のアナは五月にリスボンへ引っ越しました。",
        "انتقلت أختي آنا إلى لشبونة في مايو.",
    ],
)
def test_multilingual_model_finds_answers_in_other_languages(multilingual, said):
    answer, *rest = multilingual.embed_documents([said, *OTHERS]).vectors
    question = multilingual.embed_query("In which city does my sister live now?").vectors[0]
    assert float(question @ answer) > max(float(question @ other) for other in rest) + 0.1


def test_end_of_a_long_text_affects_its_vector(embedder):
    filler = "We talked about the weather and the garden. " * 80
    plain, ending = embedder.embed_documents([filler, filler + TEXTS[0] * 40]).vectors
    said = embedder.embed_documents(TEXTS[:1]).vectors[0]
    assert float(ending @ said) > float(plain @ said) + 0.05


def test_missing_and_damaged_weights_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path)
    missing, damaged = LocalEmbedder(tmp_path), LocalEmbedder(tmp_path)
    for each in (missing, MultilingualEmbedder(tmp_path)):
        assert each.probe().state == "down"
        with pytest.raises(EmbedderUnavailable, match=r"not installed; run `make install`"):
            each.embed_query("hello")
    shutil.copytree(HOME / FOLDER, tmp_path / FOLDER)
    assert missing.probe().state == "up", "installed meanwhile"
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(lambda _: missing.embed_query("hello").vectors[0], range(4))
    for other in others:
        np.testing.assert_array_equal(first, other)
    network = tmp_path / FOLDER / next(iter(FILES))
    content = network.read_bytes()
    network.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(EmbedderUnavailable, match="make install") as refusal:
        damaged.embed_documents(["hello"])
    assert refusal.value.permanent
    assert (damaged.probe().state, damaged.probe().words) == ("down", refusal.value.reason)


def test_runtime_telemetry_is_disabled():
    program = "import llm.local_embedder, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environment = {name: value for name, value in os.environ.items() if "TELEMETRY" not in name}
    command = [sys.executable, "-c", program]
    assert subprocess.check_output(command, env=environment, text=True).strip() == "1"


def share_above(embedder, pairs, line):
    vectors = embedder.embed_documents([text for pair in pairs for text in pair]).vectors
    cosines = (vectors[0::2] * vectors[1::2]).sum(axis=1)
    return float(np.mean([embedder.model.calibrated_statement(each) > line for each in cosines]))


def test_statement_similarities_match_their_calibration(embedder):
    confusable = [pair for pair in PAIRS["other"] if not differs_materially(*pair)]
    assert share_above(embedder, PAIRS["same"], 0.9) > 0.9
    assert share_above(embedder, confusable, 0.9) <= 1 / len(confusable) + 1e-9
    assert share_above(embedder, PAIRS["related"], 0.7) >= 0.5
    assert share_above(embedder, PAIRS["unrelated"], 0.7) == 0
