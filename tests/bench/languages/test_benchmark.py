from bench.languages.benchmark import Answer, score
from bench.languages.stories import Story

TOLD = Story("said", "id", "asked")
UNTOLD = Story(asked="asked")


def test_hits_and_silence_are_counted_apart():
    answers = [
        Answer(TOLD, given=1, ranked=1, silent=False),
        Answer(TOLD, given=5, ranked=5, silent=False),
        Answer(TOLD, given=6, ranked=2, silent=False),
        Answer(TOLD, given=0, ranked=1, silent=True),
        Answer(UNTOLD, given=0, ranked=0, silent=True),
        Answer(UNTOLD, given=0, ranked=0, silent=False),
    ]
    assert score(answers) == {
        "top_5": 0.5,
        "top_1": 0.25,
        "ranked_top_5": 1.0,
        "ranked_top_1": 0.5,
        "wrongly_silent": 0.25,
        "rightly_silent": 0.5,
    }
