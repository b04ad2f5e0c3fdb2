import pytest

from tests.cases import NoCases, cases, json_cases


@pytest.mark.parametrize("rest", ["", "\n# one\na\n\n# empty\n", "\n# empty\n\n# one\na\n"])
def test_a_heading_without_cases_is_an_error(tmp_path, rest):
    (tmp_path / "words.txt").write_text(f"# About\n{rest}")
    with pytest.raises(NoCases):
        cases(str(tmp_path / "test_words.py"), "words.txt")


def test_an_empty_file_of_json_cases_is_an_error(tmp_path):
    (tmp_path / "words.jsonl").touch()
    with pytest.raises(NoCases):
        json_cases(str(tmp_path / "test_words.py"), "words.jsonl")
