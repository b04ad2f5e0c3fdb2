import pytest

from memory.mining.rules.chinese.clauses import clauses


def read(sentence: str) -> list[str]:
    return [reading.text for reading in clauses(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("我叫王敏，住在苏州。", ["我叫王敏，住在苏州。", "我住在苏州"]),
        ("我的下属他是哈尔滨人，老家在黑龙江。", ["我的下属他是哈尔滨人，"]),
        ("如果我住在海边，我每天都会去游泳", []),
        ("以前我不吃辣，现在无辣不欢", ["现在无辣不欢"]),
        ("我有个女友，是个艺术家", ["我有个女友，"]),
        ("我刚才路过的那个公园，叫荔枝公园。", ["我刚才路过的那个公园，叫荔枝公园。"]),
        ("我對貓毛過敏", ["我对猫毛过敏"]),
        ("我们小区保安姓赵，最爱下棋", ["我们小区保安姓赵，"]),
        ("我们都姓李，最爱下棋", ["我们都姓李，最爱下棋", "我最爱下棋"]),
        ("我想学画画。咱们演一段，我是诸葛亮", ["我想学画画。"]),
        ("我最爱的作家是汪曾祺", ["我最爱的作家是汪曾祺"]),
        ("以后如果我忘了，提醒我", ["以后如果我忘了，提醒我"]),
    ],
)
def test_only_what_is_stated_of_the_speaker_is_read(sentence, expected):
    assert read(sentence) == expected
