"""Token counts, prices, and embedding models with their calibration."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.embedding_models import BGE_SMALL, remote_model
from llm.metering import Bill, Price, PriceList, TokenCounts, published_cost_usd
from llm.tokens import estimate_tokens, truncate_tokens, well_formed

MILLION = 1_000_000
OWN = PriceList({"gpt-4o-mini": Price(Decimal(2), Decimal(3)), "a/b": Price(Decimal(1), Decimal(0))})


def test_only_known_models_have_published_prices_and_others_may_be_free():
    for model in ("gpt-4o-mini", "openai/gpt-4o-mini", "anthropic/claude-haiku-4.5"):
        small, large = published_cost_usd(model, MILLION, 0), published_cost_usd(model, MILLION, MILLION)
        assert Decimal("0.05") < small < large
    assert [published_cost_usd(model, MILLION, 0) for model in ("", "/", "llama-at-home")] == [None] * 3
    prices = PriceList(unpublished=Decimal(0))
    assert (prices.is_free("llama-at-home"), prices.is_free("gpt-4o-mini")) == (True, False)
    assert not PriceList().is_free("llama-at-home")


def test_configured_prices_override_published_ones():
    assert OWN.cost_usd("openai/gpt-4o-mini", MILLION, 500_000) == Decimal("3.5")
    assert OWN.cost_usd("gpt-4o-mini@768", MILLION, 0) == 2
    assert OWN.cost_usd("a/b", 3, 9) == Decimal("0.000003")
    assert OWN.cost_usd("nobody/nothing", 1, 1) is None
    assert PriceList({"gpt-4o-mini": Price(Decimal(0), Decimal(0))}).is_free("gpt-4o-mini")


def test_bill_prefers_the_counts_of_the_endpoint():
    parts = [{"type": "text", "text": "four words are here"}, {"type": "image_url", "image_url": {}}]
    bill = Bill({"model": "a/b", "messages": [{"content": parts}, {"content": None}]}, OWN)
    counted = bill.usage(TokenCounts(prompt_tokens=MILLION, completion_tokens=7), "ignored")
    assert (counted.output_tokens, counted.cost_usd, counted.estimated) == (7, Decimal(1), False)
    estimated = bill.usage(TokenCounts(), "two words")
    assert estimated.estimated
    assert 3 <= estimated.input_tokens <= 6
    assert 1 <= estimated.output_tokens <= 4


ENGLISH = (
    "When we moved to Lisbon last spring, my sister found us a small flat above a bakery, and for "
    "months the smell of fresh bread woke us before the alarm did. "
)


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [
        # From about a token per word, with large vocabularies, to nearly one per letter.
        (ENGLISH, 33, 50),
        ("我上个星期搬到了里斯本，住在一家面包店楼上。", 14, 30),
        ("先週リスボンに引っ越して、パン屋の上に住んでいます。", 14, 34),
        ("지난주에 리스본으로 이사해서 빵집 위에 살고 있어요.", 12, 34),
        ("На прошлой неделе я переехала в Лиссабон и живу над пекарней.", 12, 36),
        ("انتقلت الأسبوع الماضي إلى لشبونة وأسكن فوق مخبز.", 10, 34),
        ("🎉🚀😀", 3, 9),
        ("1234567890", 3, 5),
        ("", 0, 0),
    ],
)
def test_estimates_are_plausible_in_every_script(text, fewest, most):
    assert fewest <= estimate_tokens(text) <= most


def test_truncation_ends_between_words_where_there_are_any():
    cut = truncate_tokens(ENGLISH, 10)
    assert ENGLISH[len(cut)] in " ,"
    assert 8 <= estimate_tokens(cut) <= 10
    assert truncate_tokens(ENGLISH, 1000) == ENGLISH
    assert 20 <= len(truncate_tokens("里" * 1000, 20)) <= 30
    assert 60 <= len(truncate_tokens("a" * 1000, 20)) <= 100
    assert well_formed("a\ud83d b 王敏 🎉 \x00") == "a? b 王敏 🎉 \x00", "only lone surrogates are replaced"


@given(st.text(), st.integers(min_value=-3, max_value=50))
def test_truncation_never_exceeds_its_limit(text, limit):
    cut = truncate_tokens(text, limit)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= max(0, limit)


@given(st.text(alphabet="aZé9\u0663 \t\n.-😀²") | st.text())
def test_latin_text_is_counted_the_same_beside_other_scripts(text):
    assert estimate_tokens(f"{text} 我") == estimate_tokens(text) + 1


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
        *((unknown, None, None) for unknown in ("", "my-model", "my-model@", "my-model@many", "my-model@0")),
    ],
)
def test_known_models(name, dimensions, search_dimensions):
    model = remote_model(name)
    if dimensions is None:
        assert model is None
    else:
        assert (model.name, model.dimensions, model.search_dimensions) == (
            name, dimensions, search_dimensions,
        )  # fmt: skip
        assert model.key != BGE_SMALL.key


@pytest.mark.parametrize(
    ("cosine", "similarity"), [(BGE_SMALL.floor, 0), (-1.0, 0), (1.0, 1), (1.0001, 1), (0.725, 0.5)]
)
def test_calibrated_similarity_runs_from_unrelated_to_identical(cosine, similarity):
    assert BGE_SMALL.calibrated(cosine) == pytest.approx(similarity)
    # Measured: most answers to questions lie above .64, most texts about somebody else below .62.
    assert BGE_SMALL.calibrated_question(0.64) > 0.6 > BGE_SMALL.calibrated_question(0.60)
