"""The commonest statements about oneself in Chinese, simplified and traditional."""

import re

from memory.mining.rules.chinese import asides, daily, identity, people, pursuits
from memory.mining.rules.chinese.clauses import clauses
from memory.mining.rules.chinese.identity import NOT_FIRMS
from memory.mining.rules.chinese.kin import KIN, SURNAMES
from memory.mining.rules.table import Language, Rule, said

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_END = r"(?=[\s，。！？；、,.!?;]|$)"
_CJK_NAME = r"(?P<o>[\u3400-\u9fff·]{2,8}?|[A-Za-z][\w -]{1,20})"
_WE = r"(?:我们|我)(?:现在|目前|一直|也|还|就|平时|最|真的|非常|很|特别|比较|都|家|平常|其实|从小|以前)*"

RULES = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            rf"(?:我叫|我的名字(?:是|叫)|我名叫|本人叫)(?!什么|啥|做|你|他|她|人|上|了) ?{_CJK_NAME}{_END}"
        ),
        yes=(
            ("我叫王小明。", "王小明"),
            ("你好，我的名字是李雷", "李雷"),
            ("我叫 Anna，住在上海", "Anna"),
        ),
        no=("我叫什么名字？", "我叫你别走。", "他叫王小明。", "如果我叫王五，怎么办？"),
    ),
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            rf"{_WE}(?:住在|居住在|搬到了?|定居在|生活在)(?!哪|什么|一起|这|那)(?P<o>[^\s，。！？；、,.!?;了的这]{{1,16}}){_END}"
        ),
        yes=(
            ("我住在北京。", "北京"),
            ("我现在住在上海浦东，你呢？", "上海浦东"),
            ("我搬到深圳", "深圳"),
        ),
        no=("我住在哪里？", "我不住在北京。", "她住在北京。", "如果我住在巴黎，会怎样？"),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="as_is",
        pattern=said(
            rf"(?:我来自|我的(?:老家|家乡)(?:是|在)|我老家在)(?!哪|什么)(?P<o>[^\s，。！？；、,.!?;的]{{1,16}}){_END}"
        ),
        yes=(("我来自四川成都。", "四川成都"), ("我的老家在河南", "河南")),
        no=("他来自四川。",),
    ),
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=said(r"我(?:今年|已经)*(?P<o>1?\d{1,2}|[一二三四五六七八九十]{1,3})岁"),
        yes=(("我今年30岁。", "30"), ("我三十五岁了", "三十五")),
        no=("我儿子5岁。",),
    ),
    Rule(
        kind="identity",
        key="birthday",
        predicate="born_on",
        statement="The user's birthday is {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(r"我的?生日(?:是|在)(?P<o>(?:\d{4}年)?\d{1,2}月\d{1,2}[日号])"),
        yes=(("我的生日是5月3日。", "5月3日"),),
        no=("我妈妈的生日是5月3日。", "我的生日是什么时候？"),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        shape="as_is",
        many=True,
        confidence=0.9,
        pattern=said(r"我对(?P<o>[^\s不，。！？；,.!?;]{1,12})过敏"),
        yes=(("我对花生过敏。", "花生"),),
        no=("我对花生不过敏。", "我对什么过敏？"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        shape="as_is",
        many=True,
        confidence=0.8,
        pattern=said(
            rf"{_WE}(?:喜欢|热爱|爱吃|爱喝|爱看|爱听|钟爱)(?!的|你|他|她|它|这|那|什么|上了)(?P<o>[^\s，。！？；,.!?;]{{1,24}})"
        ),
        yes=(("我喜欢爬山和爵士乐。", "爬山|爵士乐"), ("我很喜欢吃辣的火锅", "吃辣的火锅")),
        no=("我不喜欢香菜。", "我喜欢你。", "我喜欢什么？", "他喜欢爬山。", "我喜欢的颜色是蓝色"),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        shape="as_is",
        many=True,
        confidence=0.8,
        pattern=said(
            rf"{_WE}(?:不(?:太|是很)?喜欢|讨厌|不爱吃|不爱喝|受不了|不太能吃)(?!的|你|他|她|它|这|那|什么)(?P<o>[^\s，。！？；,.!?;]{{1,24}})"
        ),
        yes=(("我不喜欢香菜。", "香菜"), ("我讨厌下雨天", "下雨天")),
        no=("我讨厌这个。", "我喜欢香菜。"),
    ),
    Rule(
        kind="preference",
        key="favourite_{r}",
        predicate="favourite_{r}",
        statement="The user's favourite {r} is {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(r"我最(?:喜欢|爱)的(?P<r>[^\s，。！？是]{1,6})是(?!什么|哪|谁)<cjk>"),
        yes=(("我最喜欢的颜色是深绿色。", "深绿色"),),
        no=("我最喜欢的颜色是什么？",),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            rf"我(?:的|家)?(?:那)?(?P<r>{_WORDS})(?:的?名字)?(?:叫做?|名叫|名字是|是(?=[{SURNAMES}][\u3400-\u9fff]{{1,2}}{_END}))(?!什么|谁|哪|一|个|做|在|不|我|他|她){_CJK_NAME}{_END}"
        ),
        yes=(
            ("我老婆叫王敏。", "王敏"),
            ("我的妹妹叫李娜，她在北京", "李娜"),
            ("我的狗叫旺财", "旺财"),
        ),
        no=("我老婆叫什么？", "她妹妹叫李娜。", "我妹妹是一名医生。", "我的下属是天津人。"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            rf"(?:^|(?<=[，。；、,;\s]))(?P<o>(?!题目|主题|标题|对方|旁边|后面|前面)[^\W\da-zA-Z_的这那她他谁是我你它]{{2,4}}|[A-Za-z][\w -]{{1,20}})是我的?(?P<r>{_WORDS}){_END}"
        ),
        yes=(("王敏是我老婆。", "王敏"), ("李娜是我的妹妹", "李娜")),
        no=("这是我老婆。", "谁是我老板？", "她是我妹妹。"),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(
            rf"{_WE}(?:在(?!家|这|那|哪|晚上|外面|国外|(?:{NOT_FIRMS})(?:工作|上班))(?P<o>[^\s，。！？；,.!?;]{{2,16}}?)(?:工作|上班|任职))"
        ),
        yes=(("我在谷歌工作。", "谷歌"), ("我现在在北京大学任职", "北京大学")),
        no=("我在家工作。", "我不在谷歌工作。", "他在谷歌工作。"),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        shape="as_is",
        pattern=said(
            rf"(?:我是一?[名个位]|我的(?:职业|工作)是(?:一?[名个位])?|我是)(?!什么|谁|做|不|很|哪)(?P<o>[^\s，。！？；,.!?;我他她的]{{0,8}}(?:师|生|员|工|家|警察|司机|教授|经理|护士|程序员|老板|主管|医生|律师|会计|演员|记者|农民|军人|法官|学者|顾问|总监)){_END}"
        ),
        yes=(("我是一名软件工程师。", "软件工程师"), ("我的职业是护士", "护士")),
        no=("我是北京人。", "我不是医生。", "我爸爸是医生。"),
    ),
    Rule(
        kind="goal",
        key="goal_{slug}",
        predicate="wants",
        statement="The user wants this: {object}.",
        shape="as_is",
        confidence=0.75,
        pattern=said(r"我的(?:目标|梦想|愿望)是(?!什么)(?P<o>[^\n。！？]{2,40})"),
        yes=(("我的目标是跑完马拉松。", "跑完马拉松"),),
        no=("我的目标是什么？",),
    ),
    Rule(
        kind="other",
        key="remember_{slug}",
        predicate="asked_to_remember",
        value="{said}",
        statement="The user asked to remember: “{said}”.",
        shape="clause",
        confidence=0.9,
        pattern=said(
            r"(?:^|(?<=[，。,\s]))(?:请|麻烦)?(?:你)?(?:帮我)?(?:记住|(?<!你)记得|记一下|别忘了|不要忘记)[：:，,]?(?!了吗|吗|带|要带|吃|喝)(?P<o>(?![^\n]{0,20}(?:什么|吗$))[^\n？]{3,300})"
        ),
        yes=(
            ("请记住：备用钥匙在花盆下面。", "备用钥匙在花盆下面"),
            ("记住我的会议改到周五", "我的会议改到周五"),
        ),
        no=("你记得那部电影吗？", "我记得那天下雨。"),
    ),
)

CHINESE = Language(
    code="zh",
    cue=re.compile(
        r"我|本人|坐标|老家|人在|年生|入职|当|儿子|女儿|闺女|对象|室友|家里|粉|不吃|往后|一律|统统|备忘|备注|记着|记下|预算|目标|讨厌|喜欢|每天|每周|以后|今后|最近|记住|记得|记一下|别忘|不要忘"
    ),
    veto=re.compile(
        r"如果|假如|要是|假设|是否|没有|(?<!是)不(?!过|错)|别(?!忘)|可能|也许|他说|她说|他们说"
    ),
    imagined=re.compile(
        r"假如|如果|要是|假设|想象|比如|例如|扮演|(?:他|她|朋友|老师|同事|人家)[说讲]|小说|电影里|书里|从没说过"
    ),
    stop=re.compile(r"[，。！？；,!?;]|但是?|因为|所以|不过|而且|并且|如果|……"),
    refused=re.compile(
        r"(?:.*(?:版本?|方案|回答|答案|建议|选项|写法|想法|主意)|第[一二三]|.*什么|.*来着|谁|哪|怎么|这|那|它|他|她|你|的$|了$|一起|吗|这是|全部|不)"
    ),
    rules=(*identity.RULES, *people.RULES, *daily.RULES, *pursuits.RULES, *RULES, *asides.RULES),
    kin=KIN,
    clauses=clauses,
)
