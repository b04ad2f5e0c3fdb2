import pytest

from bench.progress import Progress


@pytest.mark.parametrize(
    ("seconds", "left"), [(10.0, "about 20 s"), (600.0, "about 20 min"), (7200.0, "about 4.0 h")]
)
def test_it_says_how_far_it_is_and_how_long_the_rest_takes(seconds, left):
    told = []
    times = iter((5.0, 5.0 + seconds))
    progress = Progress(told.append, "question", 5, 2, clock=lambda: next(times))
    progress.step("3 chats")
    assert told == [f"question 3 of 5, {left} left (3 chats)"]
