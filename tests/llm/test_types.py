import pytest

from llm.embedding_models import BGE_SMALL, remote_model


def test_calibrated_likeness_runs_from_unrelated_to_identical():
    assert BGE_SMALL.calibrated(BGE_SMALL.floor) == 0.0
    assert BGE_SMALL.calibrated(-1.0) == 0.0
    assert BGE_SMALL.calibrated(1.0) == 1.0
    assert BGE_SMALL.calibrated(1.0001) == 1.0
    assert BGE_SMALL.calibrated(0.725) == pytest.approx(0.5)


def test_a_question_is_measured_on_its_own_line():
    # Measured: most answers lie above .64, most strangers below .62.
    assert BGE_SMALL.calibrated_question(0.64) > 0.6
    assert BGE_SMALL.calibrated_question(0.60) < 0.6


def test_keys_tell_models_apart():
    small = remote_model("text-embedding-3-small")
    large = remote_model("text-embedding-3-large")
    assert small is not None
    assert large is not None
    assert len({BGE_SMALL.key, small.key, large.key}) == 3
