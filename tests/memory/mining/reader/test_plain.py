import pytest

from memory.mining.reader.plain import statements


def found(text: str) -> list[tuple[str, str]]:
    return [(one.predicate, text[slice(*one.place)]) for one in statements(text)]


@pytest.mark.parametrize(
    ("words", "predicate", "value"),
    [
        ("I live in Leeds.", "lives_in", "Leeds"),
        ("Hi, we now live in New York, so any park will do.", "lives_in", "New York"),
        ("ich wohne in Bad Homburg und suche Rat", "lives_in", "Bad Homburg"),
        ("Vivo en La Paz.", "lives_in", "La Paz"),
        ("J'habite à Lyon depuis 2010.", "lives_in", "Lyon"),
        ("Я живу в Казани.", "lives_in", "Казани"),
        ("我现在住在上海。", "lives_in", "上海"),
        ("My name is Ann Lee.", "named", "Ann Lee"),
        ("I work at Roche.", "works_at", "Roche"),
        ("I used to work at Opel until 2019.", "worked_at", "Opel"),
        ("I work as a night nurse.", "works_as", "night nurse"),
        ("I love green tea and cake", "likes", "green tea"),
        ("I can't stand coriander.", "dislikes", "coriander"),
        ("I'm allergic to wasp stings.", "allergic_to", "wasp stings"),
        ("My favourite film is Ponyo.", "favourite", "Ponyo"),
        ("From now on, answer in Spanish.", "instructs", "answer in Spanish"),
        ("I use Postgres 16.", "uses", "Postgres 16"),
        ("My sister is Anna.", "sibling_of", "Anna"),
        ("Tom Baker is my husband.", "married_to", "Tom Baker"),
        ("my dog Rex, a beagle, is ill", "has_pet", "Rex"),
        ("We're engaged!", "has_marital_status", "engaged"),
        ("I've been a vegetarian since May.", "follows_diet", "vegetarian"),
        ("That was a slip, my birthday is 15 May 1992.", "born_on", "15 May 1992"),
        ("Nice to meet you; I live in Leeds", "lives_in", "Leeds"),
    ],
)
def test_plain_statements_say_what_they_say(words, predicate, value):
    assert found(words)[0] == (predicate, value)


@pytest.mark.parametrize(
    "words",
    [
        "Should I live in Leeds?",
        "If I live in Leeds, what then.",
        "People say I live in Leeds.",
        "He told me: I live in Leeds.",
        "I live in hope.",
        "I love it when you do that thing with the commas in long sentences",
        "My sister lives in Rome.",
        "I would use Postgres.",
        "",
    ],
)
def test_others_are_left_to_the_network(words):
    assert found(words) == []
