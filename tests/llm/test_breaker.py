from llm.breaker import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock=clock, failures=3, rest_s=30)
    for _ in range(3):
        assert breaker.admits()
        breaker.failed()
    return breaker


def test_it_admits_calls_that_work():
    breaker = Breaker(clock=Clock())
    for _ in range(10):
        assert breaker.admits()
        breaker.succeeded()
    assert breaker.state == "closed"


def test_failures_in_between_successes_do_not_open_it():
    breaker = Breaker(clock=Clock(), failures=2)
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    assert breaker.admits()


def test_three_failures_in_a_row_open_it_for_the_rest():
    clock = Clock()
    breaker = opened(clock)
    assert breaker.state == "open"
    clock.now += 29.9
    assert not breaker.admits()


def test_after_the_rest_one_trial_is_admitted_and_its_success_closes():
    clock = Clock()
    breaker = opened(clock)
    clock.now += 30
    assert breaker.state == "half-open"
    assert breaker.admits()
    assert not breaker.admits()
    breaker.succeeded()
    assert breaker.admits()
    assert breaker.admits()


def test_a_failed_trial_starts_another_rest_at_once():
    clock = Clock()
    breaker = opened(clock)
    clock.now += 30
    assert breaker.admits()
    breaker.failed()
    clock.now += 29
    assert not breaker.admits()
    clock.now += 1
    assert breaker.admits()


def test_a_trial_that_never_reports_does_not_keep_it_shut():
    clock = Clock()
    breaker = opened(clock)
    clock.now += 30
    assert breaker.admits()
    clock.now += 30
    assert breaker.admits()
