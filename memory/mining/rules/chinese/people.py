"""The people and animals around the user, in Chinese."""

from memory.mining.rules import templates
from memory.mining.rules.chinese.grammar import END, ME, NAME, WORDS
from memory.mining.rules.table import Rule

_COUNT = r"[一二三四五六七八九十两几\d]+"
_PEOPLE = r"(?:哥哥?|姐姐?|弟弟?|妹妹?|孩子|儿子|女儿|双胞胎|闺女|娃|小孩|宝宝|猫|狗|兔子|乌龟|仓鼠)"

RULES: tuple[Rule, ...] = (
    templates.RELATION.rule(
        rf"我(?:们)?(?:的|家)?(?:最好的)?(?:大|小|二)?(?P<r>{WORDS})(?:的)?(?:小名|大名|名字|全名|外号)?(?:叫做?|名叫|是叫|唤作){NAME}(?:的)?{END}",
        (
            ("我儿子小名叫豆豆", "豆豆"),
            ("我们老板叫刘总", "刘总"),
            ("我妈叫周桂芳", "周桂芳"),
            ("我最好的朋友叫小雨", "小雨"),
        ),
        ("我妈叫我回家", "他儿子叫豆豆", "我儿子叫什么？"),
    ),
    templates.RELATION.rule(
        rf"我(?:们)?(?:的|家)?(?P<r>{WORDS})姓(?P<o>[\u3400-\u9fff]){END}",
        (("我先生姓陈", "陈"),),
        ("他先生姓陈", "我老公姓什么？"),
    ),
    templates.RELATION.rule(
        rf"我(?:们)?家?(?:里)?(?:有|养了?)(?:一)?[只条个匹]?(?:[\u3400-\u9fff]{{0,3}})?(?P<r>狗狗|狗子|猫咪|小狗|小猫|狗|猫|金毛|柯基|泰迪|哈士奇|橘猫|布偶|仓鼠|兔子|鹦鹉|乌龟)[，,]?(?:名字|它)?(?:叫|名叫)(?!什么){NAME}{END}",
        (("我家有只猫，叫年糕", "年糕"), ("我养了一只金毛，名叫可乐", "可乐")),
        ("他家有只猫，叫年糕", "我家有只猫，叫什么好？"),
    ),
    templates.FAMILY.rule(
        rf"{ME}(?:家)?(?:里)?(?:还|只)?有(?:了)?(?P<o>{_COUNT}[个只条对](?:亲|双胞胎)?{_PEOPLE}(?:[和、]{_COUNT}[个只条对]{_PEOPLE})*){END}",
        (
            ("我有一个哥哥和一个妹妹", "一个哥哥和一个妹妹"),
            ("我有两个孩子", "两个孩子"),
        ),
        ("他有两个孩子", "我没有孩子", "我有两个问题"),
    ),
)
