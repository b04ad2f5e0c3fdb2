"""What only looks like a fact of the writer in Chinese, and what looks like that and is one."""

import pytest

from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from memory.mining.screening import screen
from tests.memory.mining.chats import turn


def standing(words):
    return [
        each.fact.object
        for each in facts_of(turn(words), LANGUAGES)
        if not screen(each.fact).review
    ]


@pytest.mark.parametrize(
    "words",
    [
        "我老家在火星，每年春运飞船票特难抢",
        "我已经住在厕所里了，今天第七趟",
        "我們主管是客家人，超級節省",
        "我又不是北京人，哪懂什么豆汁",
        "我对上班过敏，一到周一就浑身难受",
        "真要在上海有套房，我早就不上班了，天天在家养花",
        "本来打算今年考研的，书都买了，后来想想还是算了",
        "我妈退休以后可忙了，每天早上去公园打太极",
        "以下是租客的自我介绍，单身，养了一只布偶",
        "新来的实习生挺有意思，说自己是内蒙古的，对羊肉过敏",
        "【招聘】我司位于成都高新区，诚聘会计一名",
        "幫我改文法：My name is Alan and I live in Taichung.",
    ],
)
def test_what_only_looks_like_a_fact_is_not_kept(words):
    assert standing(words) == []


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("以下是我的情况：我在深圳定居了", "深圳"),
        ("我喜欢图书馆", "图书馆"),
        ("我喜欢宇宙", "宇宙"),
        ("我喜欢躺着看书", "躺着看书"),
        ("我是护士，你是怎么看的", "护士"),
        ("本人INFP，容易想太多", "INFP"),
        ("以后回我都用繁体", "以后回我都用繁体"),
        ("坐标杭州，想去旅游", "杭州"),
    ],
)
def test_what_looks_alike_and_is_a_fact_is_kept(words, kept):
    assert kept in standing(words)
