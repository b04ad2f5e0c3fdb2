from bench.journal import Journal


def test_the_last_row_of_a_question_counts(tmp_path):
    journal = Journal(tmp_path / "rows.jsonl")
    assert journal.rows() == {}
    for value in (1, 2):
        journal.add({"question_id": "q", "value": value})
    assert journal.rows() == {"q": {"question_id": "q", "value": 2}}


def test_a_line_torn_by_a_kill_is_taken_off_before_the_next_is_written(tmp_path):
    path = tmp_path / "rows.jsonl"
    journal = Journal(path)
    journal.add({"question_id": "q"})
    with path.open("a") as file:
        file.write('{"question_id": "torn')
    assert list(journal.rows()) == ["q"]
    journal.add({"question_id": "r"})
    assert list(journal.rows()) == ["q", "r"]
