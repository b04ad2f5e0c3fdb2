from api.problems import problem


def test_a_status_without_a_sentence_has_its_name() -> None:
    assert b'"detail": "I\'m a Teapot."' in problem(418).content
