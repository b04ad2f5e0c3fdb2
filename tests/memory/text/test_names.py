import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.names import LONGEST_SLUG, normalise_name, slugify


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Kitchen Garden", "kitchen-garden"),
        ("  São Paulo -- 2024! ", "são-paulo-2024"),
        ("王敏", "王敏"),
        ("東京 旅行", "東京-旅行"),
        ("Ёлка и Кот", "ёлка-и-кот"),
        ("مشروع البيت", "مشروع-البيت"),
        ("हिन्दी कक्षा", "हिन्दी-कक्षा"),
        ("ภาษาไทย", "ภาษาไทย"),
        ("한국어", "한국어"),
        ("ＦＵＬＬ　Ｗｉｄｔｈ", "full-width"),
        ("Straße", "strasse"),
        ("🐱 cats", "cats"),
        ("1️⃣ first", "1-first"),
        ("😀", "u-1f600"),
        ("❤️", "u-2764"),
        ("!!!", "u-21-21-21"),
        ("", "unnamed"),
        (" \n", "unnamed"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("Disney+", "disney-plus"),
    ],
)
def test_slugs(name, slug):
    assert slugify(name) == slug


@pytest.mark.parametrize(
    "names",
    [
        ("C", "C++", "C#"),
        ("😀", "😁", "👍"),
        ("...", "???", "--"),
        ("x" * 100 + "a", "x" * 100 + "b"),
        ("王敏", "王民"),
    ],
)
def test_different_names_stay_apart(names):
    assert len({slugify(name) for name in names}) == len(names)


def test_composed_and_decomposed_letters_are_the_same_name():
    assert slugify("Cafe\u0301") == slugify("CAFÉ")


@given(st.text())
def test_every_name_has_a_short_stable_slug_without_anything_odd(name):
    slug = slugify(name)
    assert 1 <= len(slug) <= LONGEST_SLUG
    assert slug == slugify(name)
    assert not set(slug) & set(" /?#&%\\\"'<>\n\x00")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "anna"),
        ("Anna's", "Anna"),
        ("Anna’s", "Anna"),
        ("  New   York\n", "new york"),
        ("“The Nightingale”", "the nightingale"),
        ("«Мир»", "мир"),
        ("「東京」", "東京"),
        ("James'", "James"),
        ("Ｔｏｋｙｏ", "Tokyo"),
        ("STRASSE", "Straße"),
    ],
)
def test_names_of_one_entity_are_equal(one, other):
    assert normalise_name(one) == normalise_name(other) != ""


@pytest.mark.parametrize(("one", "other"), [("Anna", "Anne"), ("Ross", "Ros"), ("O'Brien", "Brien")])
def test_names_of_two_entities_are_not(one, other):
    assert normalise_name(one) != normalise_name(other)


def test_nothing_is_left_of_mere_quotation_marks():
    assert normalise_name("“”") == ""
