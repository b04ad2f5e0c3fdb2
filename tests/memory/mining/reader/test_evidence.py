"""Evidence that the words around a value have to give."""

import pytest

from tests.memory.mining.reader.scripted import LIKELY, read


@pytest.mark.parametrize(
    ("text", "value", "predicate"),
    [
        ("Kimura will listen by video, at three in the morning", "Kimura", "parent_of"),
        ("And the concert is streamed from Kyoto, for once", "Kyoto", "friend_of"),
        ("Beatriz, as always", "Beatriz", "named"),
        ("Anna ist meine Chefin", "Anna", "named"),
        ("My mom is 55 and my dad is 58, so they travel.", "mom is 55 and my dad is 58, so", "child_of"),
        ("This is my dog", "This", "has_pet"),
        ("I am glad that your lovely dogs are well", "dogs", "has_pet"),
        ("I met Ana's son Tomás today", "Tomás", "parent_of"),
        ("My sister came, and her older son Tomás", "Tomás", "parent_of"),
        ("Ich traf ihre Schwester Inês", "Inês", "sibling_of"),
        ("我见到了她的儿子 小明", "小明", "parent_of"),
        ("I called my sister in Leeds", "Leeds", "lives_in"),
        ("Guests: Clara, my six pupils and their parents", "six pupils", "has_pet"),
        ("I start at the Tejo as a tutti cellist", "tutti cellist", "plays"),
        ("I auditioned for a cello seat", "cello", "plays"),
    ],
)
def test_values_that_are_not_introduced_or_belong_to_others_yield_no_fact(text, value, predicate):
    assert read(text, (value, predicate)) == []


@pytest.mark.parametrize(
    ("text", "value", "predicate"),
    [
        ("Let's visit grandma Rose on Sunday", "Rose", "grandchild_of"),
        ("That's aunt Clara at the door", "Clara", "relative_of"),
        ("Hab's meiner Schwester Anna erzählt", "Anna", "sibling_of"),
    ],
)
def test_contractions_before_a_relative_are_no_possessives(text, value, predicate):
    assert [fact.value for fact in read(text, (value, predicate))] == [value]


@pytest.mark.parametrize(
    ("text", "value", "predicate", "is_kept"),
    [
        ("The cello goes by taxi", "cello", "plays", False),
        ("The cello goes by taxi with me", "cello", "plays", True),
        ("The cello goes by taxi with me", "The cello goes", "plays", False),
        ("Das Cello fährt mit dem Taxi", "Cello", "plays", True),
        ("I paid for the pressing", "pressing", "owns", False),
        ("I paid for a press", "press", "owns", True),
        ("I wrote to Beatriz today", "Beatriz", "acquainted_with", False),
        ("I wrote to my teacher Beatriz", "Beatriz", "acquainted_with", True),
    ],
)
def test_likely_facts_are_kept_only_if_they_concern_the_user(text, value, predicate, is_kept):
    assert [fact.unsure for fact in read(text, (value, predicate), logit=LIKELY)] == [True] * is_kept


def test_an_implied_relationship_needs_more_confidence():
    [fact] = read("We are expecting Kimura any day now", ("Kimura", "parent_of"), logit=1.3)
    assert 0.77 < fact.confidence < 0.8
    assert fact.unsure


def test_a_relative_at_the_beginning_of_a_sentence_is_certain():
    for words in ("My sister Olga is in Kyiv.", "Meine Schwester Olga ist in Kyiv."):
        [fact] = read(words, ("Olga", "sibling_of"), logit=LIKELY)
        assert (fact.object, fact.unsure) == ("Olga", False)
    [other] = read("I wrote to my sister Olga.", ("Olga", "sibling_of"), logit=LIKELY)
    assert other.unsure


def test_players_and_pets_are_still_read():
    assert [fact.object for fact in read("I play whist", ("whist", "plays"))] == ["whist"]
    for pets in ("two dogs", "3 old ponies"):
        assert [fact.object for fact in read(f"I have {pets}", (pets, "has_pet"))] == [pets]


def test_a_sum_without_a_limit_is_certain_or_dropped():
    [fact] = read("My rent is 1,150 euros.", ("1,150 euros", "has_budget"))
    assert not fact.unsure
    assert read("My rent is 1,150 euros.", ("1,150 euros", "has_budget"), logit=1.2) == []


def test_a_person_may_be_introduced_in_another_sentence():
    words = "I have a boy and a girl. Kimura will listen by video."
    [fact] = read(words, ("Kimura", "parent_of"))
    assert (fact.object, fact.unsure) == ("Kimura", False)
    assert read(words, ("Kimura", "parent_of"), logit=1.2) == []


@pytest.mark.parametrize(
    ("words", "value", "predicate"),
    [
        ("Je me suis trompée, Nolwenn a 9 ans, pas 8.", "Nolwenn", "named"),
        ("Ich habe mich von Jürgen getrennt.", "Jürgen", "named"),
        ("Thanks, Melanie!", "Melanie", "named"),
        ("Je me suis disputée avec Karine.", "Karine", "engaged_to"),
        ("Ich habe mich mit Stefan gestritten.", "Stefan", "partner_of"),
        ("Mein Termin ist am 03.04.2027", "03.04.2027", "born_on"),
        ("Ich bin am 03.04.2027 geboren", "03.04.2027", "born_on"),
        ("果果是 2022年6月1号 出生的", "2022年6月1号", "born_on"),
        ("女儿叫果果, 2022年6月1号 出生的", "2022年6月1号", "born_on"),
        ("Mein Sohn ist am 5.3.2018 geboren.", "5.3.2018", "parent_of"),
        ("我爱吃虾, 果果 对牛奶过敏", "果果", "allergic_to"),
        ("Malo a 11 ans.", "11", "aged"),
        ("Meine Tochter ist Ärztin", "Ärztin", "works_as"),
        ("我老公是 老师", "老师", "works_as"),
        ("Le chien de ma mère, Filou, est là", "Filou", "child_of"),
        ("Der Hund meiner Mutter, Rex, ist da", "Rex", "has_pet"),
        ("J'ai un cheval à Betton.", "Betton", "lives_in"),
    ],
)
def test_facts_of_others_and_without_evidence_are_not_read(words, value, predicate):
    assert read(words, (value, predicate)) == []


@pytest.mark.parametrize(
    ("words", "value", "predicate", "statement"),
    [
        ("Je suis mariée avec Karine.", "Karine", "engaged_to", "The user is engaged to Karine."),
        ("Мужа зовут Ринат.", "Ринат", "grandparent_of", "Ринат is the user's husband."),
        ("I saw my roommate Kai", "Kai", "friend_of", "Kai is the user's roommate."),
        ("Mi marido lo dice", "marido", "married_to", "The user has a husband."),
        ("Je suis née le 2 février 1985 à", "2 février 1985 à", "born_on", "birthday is “2 février 1985”."),
        ("We moved ourselves to Naas", "Naas", "works_at", "The user lives in Naas."),
        ("I am a trainer in Davao", "Davao", "lives_in", "The user lives in Davao."),
        ("My son is 8 and I am a nurse", "nurse", "works_as", "The user works as a nurse."),
        ("J'ai une maison à Betton.", "Betton", "lives_in", "The user lives in Betton."),
    ],
)
def test_the_words_beside_a_value_decide_what_it_is(words, value, predicate, statement):
    [fact] = read(words, (value, predicate))
    assert fact.statement.endswith(statement)


@pytest.mark.parametrize(
    ("words", "value", "predicate", "ended"),
    [
        ("我对 虾不过敏, 对 螃蟹 过敏", "虾不过敏", "allergic_to", True),
        ("我对 虾不过敏, 对 螃蟹 过敏", "螃蟹", "allergic_to", False),
        ("I'm not allergic to nuts", "nuts", "allergic_to", True),
        ("I'm not allergic to milk but to nuts", "nuts", "allergic_to", False),
        ("Forget that I like olives.", "olives", "likes", True),
        ("Oublie que j'aime les olives.", "olives", "likes", True),
        ("忘了我喜欢 橄榄 吧", "橄榄", "likes", True),
        ("Forget it, I like olives.", "olives", "likes", False),
    ],
)
def test_denials_and_requests_to_forget_end_a_fact(words, value, predicate, ended):
    [fact] = read(words, (value, predicate))
    assert (fact.object, fact.ended) == (value.removesuffix("不过敏"), ended)
