from hypothesis import given
from hypothesis import strategies as st

from memory.models import Fact
from memory.projections.prose import MOST_WORDS, compose, count_words


def fact(predicate: str, thing: str, statement: str, kind: str = "identity", **given: object):
    fields = {"key": predicate, "value": thing} | given
    return Fact(kind=kind, predicate=predicate, object=thing, statement=statement, **fields)


NAME = fact("named", "Priya", "The user's name is Priya.")


def test_without_facts_there_is_nothing_to_say():
    assert compose(()) == ()


def test_single_values_share_a_sentence_and_the_name_stands_for_the_user():
    told = compose(
        [
            NAME,
            fact("works_as", "data engineer", "The user's occupation is data engineer."),
            fact("works_at", "Roche", "The user works at Roche."),
            fact("lives_in", "Zürich", "The user lives in Zürich."),
            fact("aged", "34", "The user is 34 years old."),
        ]
    )
    assert told == (
        "Priya lives in Zürich, works as a data engineer and works at Roche. Priya is 34 years old.",
    )


def test_each_part_of_a_life_has_its_paragraph():
    told = compose(
        [
            NAME,
            fact("lives_in", "Zürich", "The user lives in Zürich."),
            fact("married_to", "Tom", "Tom is the user's husband.", "relationship"),
            fact("likes", "jazz", "The user likes jazz.", "preference"),
            fact("likes", "香菜", "The user likes 香菜.", "preference"),
            fact("allergic_to", "penicillin", "The user is allergic to penicillin."),
            fact("wants", "run a marathon", "The user wants this: run a marathon.", "goal"),
        ]
    )
    assert told == (
        "Priya lives in Zürich.",
        "Tom is Priya's husband.",
        "Priya is allergic to penicillin. Priya likes jazz and 香菜.",
        "Priya wants this: run a marathon.",
    )


def test_somebody_without_a_name_is_the_user():
    assert compose([fact("lives_in", "东京", "The user lives in 东京.")]) == ("The user lives in 东京.",)


def test_a_statement_about_somebody_else_is_never_put_into_the_users_mouth():
    told = compose([NAME, fact("lives_in", "Porto", "Ines lives in Porto.")])
    assert told == ("Ines lives in Porto.",)


def test_words_in_the_first_person_are_told_by_their_statement():
    said = "coffee before I play"
    told = compose([fact("likes", said, "The user likes coffee before they play.", "preference")])
    assert told == ("The user likes coffee before they play.",)


def test_what_the_statement_does_not_bear_out_is_told_by_the_statement():
    def told(statement: str) -> tuple[str, ...]:
        return compose([NAME, fact("dislikes", "jazz", statement, "preference")])

    assert told("The user dislikes jazz.") == ("Priya dislikes jazz.",)
    assert told("The user likes jazz.") == ("Priya likes jazz.",)
    assert told("The user no longer dislikes jazz.") == ("Priya no longer dislikes jazz.",)
    assert told("The user dislikes opera.") == ("Priya dislikes opera.",)


def test_occupations_get_their_article():
    def work(job: str) -> str:
        return compose([fact("works_as", job, f"The user works as {job}.")])[0]

    assert work("engineer") == "The user works as an engineer."
    assert work("a baker") == "The user works as a baker."
    assert work("工程师") == "The user works as 工程师."


def test_long_lists_are_cut_with_a_word():
    likes = [fact("likes", f"thing{n}", f"The user likes thing{n}.", "preference") for n in range(9)]
    assert compose(likes)[0].endswith("thing6, thing7 and other things.")


def test_never_more_words_than_allowed_whatever_comes():
    many = [fact(f"p{n}", "x", f"The user {'says much ' * 20}in case {n}.", "goal") for n in range(60)]
    told = compose([NAME, *many])
    assert 300 < count_words(" ".join(told)) <= MOST_WORDS


def test_words_are_counted_in_any_script():
    assert count_words("Priya lives in Zürich.") == 4
    assert count_words("我住在北京市") == 3
    assert count_words("Я живу в Казани 🙂") == 4


@given(
    st.lists(
        st.builds(
            fact,
            st.sampled_from(["named", "likes", "lives_in", "wants", "works_as"]),
            st.text(max_size=30),
            st.text(min_size=1, max_size=60),
            st.sampled_from(["identity", "preference", "goal", "relationship", "other"]),
        ),
        max_size=12,
    )
)
def test_any_facts_make_at_most_four_paragraphs(facts):
    told = compose(facts)
    assert len(told) <= 4
    assert count_words(" ".join(told)) <= MOST_WORDS
