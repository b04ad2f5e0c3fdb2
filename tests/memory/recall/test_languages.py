from dataclasses import replace

import pytest

from llm.embedding_models import BGE_SMALL, remote_model
from memory.recall.languages import trust_in_meaning


@pytest.mark.parametrize("question", ["Where is my bicycle?", "Bruno?", ""])
def test_an_english_model_is_trusted_with_english_and_with_names(question):
    assert trust_in_meaning(question, BGE_SMALL) == 1.0


def test_it_is_trusted_less_with_other_languages_and_least_in_other_scripts():
    german = trust_in_meaning("Wo ist mein Fahrrad?", BGE_SMALL)
    chinese = trust_in_meaning("我的自行车在哪里?", BGE_SMALL)
    assert 1.0 > german > chinese > 0.0


def test_a_model_of_many_languages_is_trusted_with_all():
    model = remote_model("bge-m3")
    assert model is not None
    assert trust_in_meaning("我的自行车在哪里?", model) == 1.0
    both = replace(BGE_SMALL, languages=("en", "zh"))
    assert trust_in_meaning("我的自行车在哪里?", both) == 1.0
