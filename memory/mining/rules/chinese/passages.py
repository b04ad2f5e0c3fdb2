"""Passages of a life, in Chinese: what is studied now, posts that were left, operations, journeys, and what
is given up or not borne."""

from memory.mining.rules import templates
from memory.mining.rules.chinese.deeds import DID
from memory.mining.rules.chinese.grammar import END, HOMELAND, ME, NUMBER, THING, VERY
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import Template

VISITED = Template("experience", "visited_{slug}", "has_visited", "The user has been to {object}.", "as_is")

_GRADE = r"(?:大[一二三四五]|研[一二三]|博[一二三]|本科|硕士?|博士?|研究生|大学|大专)"
_ONCE = rf"(?:去年|前年|大前年|上周|上个?月|今年|年初|年前|最近|刚刚?|才|{NUMBER}年前|(?:19|20)?\d{{2}}年|{NUMBER}月(?:份|初|底)?)*"
_ABROAD = rf"(?:{HOMELAND}|巴黎|伦敦|纽约|首尔|悉尼|曼谷|冰岛|柏林|希腊|埃及|不丹|尼泊尔|北极|南极)"

RULES: tuple[Rule, ...] = (
    templates.STUDIES.rule(
        rf"{ME}(?:在)?(?:读|念|上){_GRADE}(?:了)?[，,](?:学|读|念|修)的(?:专业)?(?:是)?(?!什么|哪)(?P<o>[\u3400-\u9fffA-Za-z]{{2,10}}?)(?:专业)?{END}",
        (("我在读大三，学的是土木", "土木"), ("我读研二，学的计算机", "计算机")),
        ("他在读大三，学的是土木", "我大学毕业了，学的是法语", "我在读大三，学的是什么？"),
    ),
    templates.WORKED.rule(
        rf"{ME}{_ONCE}从(?!来|没|不|这|那|你|小|头|新|今|家|学校)(?P<o>[\u3400-\u9fffA-Za-z]{{2,10}}?)(?:离职|辞职|裸辞)(?:了|出来(?:了)?)?{END}",
        (("我上个月刚从腾讯离职", "腾讯"),),
        ("他上个月刚从腾讯离职", "我想从腾讯离职", "我没从腾讯离职", "我从来不辞职"),
    ),
    DID.rule(
        rf"{ME}{_ONCE}(?P<o>(?:做|动)过(?:一次|两次)?(?!什么|哪)[\u3400-\u9fff]{{1,8}}手术){END}",
        (("我前年做过阑尾手术", "做过阑尾手术"),),
        ("他前年做过阑尾手术", "我没做过手术", "我做过什么手术？"),
    ),
    VISITED.rule(
        rf"{ME}{_ONCE}(?:(?:跟|和|带着?)(?!谁)[\u3400-\u9fff]{{1,4}})?(?:一起)?去过(?:{NUMBER}[次趟回])?(?P<o>{_ABROAD})(?:{NUMBER}[次趟回]|旅[行游]|玩)?(?:了)?{END}",
        (("我去过西藏两次", "西藏"), ("我去年和老婆去过冰岛", "冰岛")),
        ("他去过西藏两次", "我还没去过西藏", "我知道他去过西藏", "我去过哪些国家？"),
    ),
    templates.DISLIKES.rule(
        rf"{ME}最(?:讨厌|不喜欢|受不了|怕)的[\u3400-\u9fff]{{1,6}}?(?:就)?是(?!什么|哪|谁|那|这|他|她|你|和|跟){THING}",
        (("我最讨厌的蔬菜是苦瓜", "苦瓜"),),
        ("他最讨厌的蔬菜是苦瓜", "我最讨厌的蔬菜是什么？", "我最讨厌的是你"),
    ),
    templates.AVOIDS.rule(
        rf"{ME}{VERY}(?:吃|喝|闻|沾)不[了得](?P<o>(?!什么|这|那|你|多少|太多|苦(?!瓜)|亏|兜)[\u3400-\u9fff]{{1,6}}?)(?:的)?{END}",
        (("我吃不了辣", "辣"), ("我从小就闻不得烟味", "烟味")),
        ("他吃不了辣", "我吃不了这么多", "我吃不了苦", "我吃不了亏", "我吃不了什么？"),
    ),
    templates.AVOIDS.rule(
        rf"{ME}(?:正在|正|在)戒(?P<o>糖|酒|咖啡|奶茶|碳水|甜食|零食|主食|油炸|辣|饮料){END}",
        (("我在戒糖", "糖"),),
        ("他在戒糖", "我没在戒糖", "我在戒糖期间能吃水果吗？"),
    ),
)
