from hypothesis import given
from hypothesis import strategies as st

from memory.text.names import MAX_SLUG_LENGTH, normalise_name, slugify

SLUGS = {
    "Kitchen Garden": "kitchen-garden",
    "  São Paulo -- 2024! ": "são-paulo-2024",
    "王敏": "王敏",
    "東京 旅行": "東京-旅行",
    "Ёлка и Кот": "ёлка-и-кот",
    "مشروع البيت": "مشروع-البيت",
    "हिन्दी कक्षा": "हिन्दी-कक्षा",
    "ＦＵＬＬ　Ｗｉｄｔｈ": "full-width",
    "Straße": "strasse",
    "🐱 cats": "cats",
    "1️⃣ first": "1-first",
    "😀": "u-1f600",
    "❤️": "u-2764",
    "!!!": "u-21-21-21",
    " \n": "unnamed",
    "C++": "c-plus-plus",
    "C#": "c-sharp",
    "Disney+": "disney-plus",
    "Cafe\u0301": slugify("CAFÉ"),
}


def test_slugs_of_any_script():
    assert {name: slugify(name) for name in SLUGS} == SLUGS


def test_different_names_have_different_slugs():
    long = "x" * 100
    alike = [("C", "C++", "C#"), ("😀", "😁", "👍"), ("...", "???", "--"), (f"{long}a", f"{long}b")]
    for names in (*alike, ("王敏", "王民")):
        assert len({slugify(name) for name in names}) == len(names)


@given(st.text())
def test_every_name_has_a_short_stable_slug_without_special_characters(name):
    slug = slugify(name)
    assert 1 <= len(slug) <= MAX_SLUG_LENGTH
    assert slug == slugify(name)
    assert not set(slug) & set(" /?#&%\\\"'<>\n\x00")


def test_normalised_names_are_equal_for_variants_and_different_for_other_names():
    for one, other in (
        *(("Anna", "anna"), ("Anna's", "Anna"), ("Anna’s", "Anna"), ("James'", "James")),
        *(("  New   York\n", "new york"), ("“The Nightingale”", "the nightingale"), ("«Мир»", "мир")),
        *(("「東京」", "東京"), ("Ｔｏｋｙｏ", "Tokyo"), ("STRASSE", "Straße")),
    ):
        assert normalise_name(one) == normalise_name(other) != ""
    for one, other in (("Anna", "Anne"), ("Ross", "Ros"), ("O'Brien", "Brien")):
        assert normalise_name(one) != normalise_name(other)
    assert normalise_name("“”") == ""
