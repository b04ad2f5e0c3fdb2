import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.tokens import estimate_tokens, truncate_tokens, well_formed

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
    assert ENGLISH.startswith(cut)
    assert ENGLISH[len(cut)] in " ,"
    assert 8 <= estimate_tokens(cut) <= 10
    assert truncate_tokens(ENGLISH, 1000) == ENGLISH
    assert 20 <= len(truncate_tokens("里" * 1000, 20)) <= 30
    assert 60 <= len(truncate_tokens("a" * 1000, 20)) <= 100


@given(st.text(), st.integers(min_value=-3, max_value=50))
def test_truncation_keeps_its_limit_for_any_text(text, limit):
    cut = truncate_tokens(text, limit)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= max(0, limit)


@given(st.text(alphabet="aZé9\u0663 \t\n.-😀²") | st.text())
def test_text_of_latin_letters_is_counted_as_beside_other_scripts(text):
    assert estimate_tokens(f"{text} 我") == estimate_tokens(text) + 1


def test_only_lone_surrogates_are_replaced():
    assert well_formed("a\ud83d b") == "a? b"
    assert well_formed("王敏 🎉 \x00") == "王敏 🎉 \x00"
