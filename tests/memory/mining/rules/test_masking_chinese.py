import pytest

from memory.mining.rules.masking import spoken


@pytest.mark.parametrize(
    "handed_over",
    [
        "小红书上看到一条：我今年33，裸辞",
        "简历范文：姓名王伟，现居合肥",
        "以下是邮件原文：您好，我住在北京",
        "帮我分类：我很喜欢这款耳机",
        "我妈说：我住在北京",
        "有网友提问：我对花生过敏，能吃吗",
        "替男主角想段自白，大意是我是个孤儿",
        "润色一下：“本人性格开朗”",
    ],
)
def test_a_text_of_somebody_else_is_blanked_behind_its_colon(handed_over):
    told = ("33", "合肥", "北京", "耳机", "花生", "孤儿", "开朗")
    assert any(word in handed_over for word in told)
    assert not any(word in spoken(handed_over) for word in told)


@pytest.mark.parametrize(
    "own",
    [
        "我的简历：三年销售经验，现居合肥",
        "请记住：我家备用钥匙在鞋柜第二层",
        "我的情况是这样：我今年33，在北京",
        "说一下背景：我在写小说，讲渔村的",
    ],
)
def test_what_the_speaker_tells_of_themselves_stays(own):
    assert spoken(own) == own
