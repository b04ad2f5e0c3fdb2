"""The commonest statements about oneself in Chinese, simplified and traditional."""

import re

from memory.mining.rules.chinese import (
    aims,
    asides,
    belongings,
    daily,
    deeds,
    identity,
    introductions,
    livelihoods,
    origins,
    passages,
    passing,
    people,
    pursuits,
    tastes,
    tools,
    topical,
    work,
)
from memory.mining.rules.chinese.clauses import clauses
from memory.mining.rules.chinese.grammar import (
    END,
    FULL_NAME,
    ME,
    NAME,
    NICK_NAME,
    NOWHERE,
    STARTS,
    THING,
    TRADE,
    VERY,
    WORDS,
)
from memory.mining.rules.chinese.identity import NOT_FIRMS
from memory.mining.rules.table import Language, Rule, said
from memory.text import kinship

KIN = kinship.KIN["zh"]

RULES = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="as_is",
        confidence=0.9,
        pattern=said(rf"(?:{ME}(?:名)?叫|我的名字(?:是|叫))(?!做) ?{NAME}{END}"),
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
            rf"{ME}(?:住在|居住在|搬到了?|定居在|生活在)(?!哪|什么|一起|这|那|在|自己|同|他|她|{NOWHERE}|(?:房子|城|学校|家|宿舍|公司|外面|农村|乡下|酒店|隔壁|楼上|楼下)里?{END}|[一二三四五六七八九十\d]+[楼层])(?P<o>[^\s，。！？；、,.!?;了的这]{{1,16}}?)(?:这个(?:小区|地方|城市))?(?:这边|那边|了)?{END}"
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
            rf"(?:{ME}来自于?|我的(?:老家|家乡)(?:是|在)|我老家在)(?!哪|什么|一[个小片群]|{NOWHERE})(?P<o>[^\s，。！？；、,.!?;的]{{2,16}}?)(?:那边|这边|那里)?{END}"
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
        pattern=said(
            rf"{ME}(?:快要?|刚?满|刚过|才|虚岁|都)?(?<!快)(?<!快要)(?P<o>1?\d{{1,2}}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九])周?岁(?:了|啦|整)?(?={END[3:-1]}|{TRADE})"
        ),
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
        pattern=said(rf"{STARTS}我的?生日(?:是|在)(?P<o>(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号])"),
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
        pattern=said(
            rf"{ME}对(?!这|那|什么|你|他|上班|工作|加班|学习|早起|周一|星期一|开会|考试|数学|作业|运动|老板|领导|贫穷|爱情|恋爱|傻|蠢|努力)(?P<o>[^\s不，。！？；,.!?;的]{{1,12}}?)(?:严重|轻度|有点|比较|特别|很|都|会)*过敏(?!的|源|原|药)"
        ),
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
            rf"{ME}{VERY}(?<!不)(?:喜欢|热爱|爱吃|爱喝|爱看|爱听|爱玩|钟爱|痴迷于?|酷爱|偏爱|迷上了?|沉迷于?)(?!了|于|你|您|他|她|它|这|那|什么|上|过){THING}"
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
            rf"{ME}{VERY}(?:不(?:太|是很|怎么)?喜欢|讨厌|不爱吃|不爱喝|不爱看|不爱听|不爱玩|受不了|不太能吃|厌恶|反感|痛恨|烦死了?)(?!你|您|他|她|它|这|那|什么|自己){THING}"
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
        pattern=said(
            rf"{ME}最(?:喜欢|爱|中意|钟爱|欣赏|崇拜|偏爱|推崇)的(?P<r>(?!就|也|还|都|之一|[^，。]*可能)[^\s，。！？是]{{1,6}}?)(?:就|应该|还)?是(?!什么|哪|谁|那|这|在|和|跟|他|她)<cjk>"
        ),
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
            rf"{STARTS}(?:{ME}有(?:一|两|几)?[个位只条])?(?:我|咱)?(?:们)?(?:的|家)?(?:那|现任的?|新任的?|新来的|现在的)?(?P<r>{WORDS})(?:的?名字)?(?:叫做?|名叫|名字是|是(?={FULL_NAME}{END})){NAME}{END}"
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
            rf"{STARTS}(?P<o>{NICK_NAME}|[A-Z][A-Za-z'-]{{1,20}})是(?:我|咱)(?:们|家)?的?(?:亲|大|小|二|好|最好的)?(?P<r>{WORDS}){END}"
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
            rf"{ME}在(?!家|这|那|哪|晚上|外面|国外|(?:{NOT_FIRMS})(?:工作|上班))(?![^，。]*(?:找|开始|学习|从事|一份|兼职|享受|过渡))(?P<o>[^\s，。！？；,.!?;的（(]{{2,16}}?)(?<![里中上下])(?<!附近)(?:工作|上班|任职)(?!的|过|时|中|台|室|后|之)"
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
            rf"(?:{ME}是(?:一?[名个位])?|{STARTS}我的(?:职业|工作)是(?:一?[名个位])?)(?P<o>{TRADE}){END}"
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
        pattern=said(rf"{STARTS}我的?(?:目标|梦想|愿望)(?:就)?是(?!什么)(?P<o>[^\n，。！？]{{2,40}})"),
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
            r"(?:^|(?<=[，。,\s]))(?:(?:请|麻烦)(?:你)?(?:帮我)?记得(?!住|去|带|给|用|把)|(?:请|麻烦)?(?:你)?(?:帮我)?(?:记住(?!的|这[个一种]|了$)|记一下(?!啊|呀|笔记)|(?<!你)别忘了|不要忘记))[：:，, ]*(?!了吗|吗|带|要带|吃|喝|打|去|给|买|你|吧|哦|啊|呀)(?P<o>(?![^\n]{0,20}(?:什么|吗$))[^\n？]{3,300})"
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
    cue=re.compile(r"[\u3400-\u9fff]"),
    veto=re.compile(r"如果|假如|要是|假设|是否|没有|(?<!是)不(?!过|错)|别(?!忘)|可能|也许|他说|她说|他们说"),
    imagined=re.compile(
        r"假如|如果|要是|假设|想象|比如|例如|扮演|(?:他|她|朋友|老师|同事|人家)[说讲]|小说|电影里|书里|从没说过"
    ),
    stop=re.compile(
        r"[，。！？；,!?;~～…（(【]|——|但是?|因为|所以|不过|而且|并且|如果|可是|虽然|然后|于是|尤其|特别是|除了|即使|\s(?=[\u3400-\u9fff])|这(?:个|位|款|支|部)[\u3400-\u9fff]{1,4}$"
        r"|(?<=[\u3400-\u9fff])(?:了|啊|(?<![酒网])吧|呢|哦|呀|啦|嘛|哈|噢|喔|诶|哒|耶)+$"
    ),
    refused=re.compile(
        r"(?:(?:刚才|刚刚|上面|前面|上一|后面)(?:那|这|的|提)|躺着(?:把|就)|.*(?:拯救|统治|毁灭)[^，]{0,4}(?:地球|世界|宇宙|人类)|.*(?:版(?![图画权])本?|方案|回答|答案|建议|选项|写法|想法|主意)|第[一二三]|.*什么|.*来着|谁|哪|怎么|这|那|它|他|她|你|的|.*做的|了$|一起|吗|全部|不|被|如何|.*(?:谁|怎么|哪里|哪个|为什么|是不是|有没有|吗$)"
        r"|(?:其中|里面|上面|以上|上述|前者|后者|同样|任何|所有|一切|一些|有些|自己|别人|大家|人家|对方|跟你|和你|其他|别的|相同|同一|以前|过去|小时候)"
        r"|(?:看|听|吃|喝|玩|说|做|写|用|买|想|学|说话|聊天|东西|事情?|人|地方|时候|感觉|样子|个|老|工作|在)$)"
    ),
    rules=(
        *identity.RULES,
        *people.RULES,
        *tools.RULES,
        *passages.RULES,
        *daily.RULES,
        *pursuits.RULES,
        *RULES,
        *asides.RULES,
        *passing.RULES,
        *topical.RULES,
        *origins.RULES,
        *work.RULES,
        *belongings.RULES,
        *tastes.RULES,
        *deeds.RULES,
        *livelihoods.RULES,
        *introductions.RULES,
        *aims.RULES,
    ),
    kin=KIN,
    verbatim=True,
    clauses=clauses,
)
