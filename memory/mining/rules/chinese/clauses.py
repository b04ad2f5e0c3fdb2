"""Chinese sentences: which clauses state something, whom each is about, and the "I" that is said
once and goes without saying from then on."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from memory.mining.rules.chinese.grammar import FULL_NAME, ME, PEOPLE, WORDS
from memory.mining.rules.chinese.scripts import simplified
from memory.mining.rules.reading import Reading, as_said

Subject = Literal["unsaid", "speaker", "other"]

_CLAUSE = re.compile(r"[^，,；;。！!]+")
_SPEAKER = re.compile(
    rf"\s*(?:{ME}|本人|(?:现在|家里|就)*只?剩[一两三几]|我(?:的|家|们?的)?(?:老家|祖籍|家乡|名字|生日|专业|职业|工作|爱好|身高|体重|血型|预算|目标|梦想|愿望|习惯|家(?:住|在)|最(?:喜欢|爱)的)|[\d一二三四五六七八九十]+岁)"
)
_GOES_ON = re.compile(
    r"\s*(?:[可但却又]|但是?|可是|不过|其实|偏偏|反而|倒)*(?:今年|现在|目前|一直|平时|也|还|正在|每天|每周|周末|最近|打算|计划|准备|在(?!哪)|住|是|喜欢|爱|讨厌|不|对|会|有|没有?|养|想(?!知道|问|要一)|用|吃|结婚|单身|未婚|已婚|离异|退休|从事|做|毕业|学|专业|特别|最|很|超|姓|来自|老家|身高|属|就|偏偏|只|曾|[当做去学练养]过|出生|生在|擅长|精通|周末|常年|从小|户口|天天|平常|一般|通常|更|开的|用的|骑的|笔记本|系统)"
)
_OTHER = re.compile(
    rf"\s*(?:而且|但是?|不过|然后|所以|因为|听说|据说|其实|不像)?(?:(?:我|咱)(?:们|家)?(?:的)?(?:那|有)?(?:[一两二三几]?[个位只条些])?(?:大|小|二|现任的?|新任的?|新来的|现在的)?|家里(?:那|的)?[只条个]?|有[一个位]*)?"
    rf"(?:(?:{WORDS})(?!类|粮|节|会)|{PEOPLE}|{FULL_NAME}(?=是|爱|喜欢|在|今年|住|有|生|当|做|会|得了|来自|毕业)|[这那][部本家位集首篇](?![^，]*我)|他|她|它|人家|别人|有人|对方|客户|同学|网友|楼[上下]|隔壁|对门|对面|新来的|(?:我|咱)们?的?(?:班长|班主任|[组队店科处]长|主管|总监|合伙人|司机|保姆|教练)|老[爸妈弟妹姐哥公婆爹头]|男友|女友|前任|学生(?![，。]|$)|亲戚|爸妈|父母|岳母|岳父|婆婆|公公|媳妇|大爷|大妈|主角|女主|男主|主人公|作者|你|您)"
)
# Words of somebody else's mind or mouth, wishes, questions, and what is long past: nothing of
# them is stated.
_UNSTATED = re.compile(
    r"就好了|该多好|多好啊|才怪|(?:的时候|那会儿|那年|时候|那时|之后|以后|之前|以前|那天|期间)$|希望(?!能?别|你)|但愿|恨不得|巴不得|幻想|梦[见到]|假装|装作|好像|似乎|差点|险些|应该是|恐怕|也许|或许|说不定|未必|以为"
    r"|(?<![没管论])什么(?!都|也)|怎么(?!都|也)|怎样|如何|哪[里儿个些种]|谁(?!都|也)|多少|是不是|有没有|能不能|要不要|会不会|该不该|可不可以|好不好|难道|为何|吗\s*$|呢\s*$|么\s*$|啥(?!都)|咋|几[个点岁号]"
    r"|没说过|不代表|不等于|不是说|谁说|哪有|从没|小时候|(?<![汪姓叫])曾经?(?!祖|孙)|以前|从前|当[年时](?!学[^过了会]|[念读])|那时|本想|原本|本来(?:想|打算|计划|要|准备)|说自己是|[他她们家妈爸友师婆公](?:说|以为|觉得|认为|问|希望|要求|建议)(?!话)|听(?:他|她|人)|告诉我"
)
# Whatever comes after a condition holds only under it.
_IMAGINED = re.compile(
    r"的话|真要|要真|真能|若真|倘若|若是|假如|如果|要是(?!命)|假设|假使|万一|除非|(?:我们|咱们?|咱俩)(?:来|一起|就)*演|演一[段场出]|(?:^|你|我们|咱们?|咱俩|一起|接下来)(?:来|就|都)*假装(?:你|我|自己|咱)|[扮饰]演|角色设定|要不是|就当我|设想|话说从前|翻译|润色"
)
_AFTER_ALL = re.compile(r"\s*(?:但|不过|可是|其实|然而|实际上)")
_NAMED = re.compile(r"\s*(?:它|他|她)?(?:小名|大名|名字)?(?:叫|名叫|姓|单名)(?!我)")
_OF_THEM = re.compile(
    r".*(?:知道|听说|看到|看见|觉得|认为|发现|记得|了解|路过|经过|去过|想起|提到)[^，]*(?:他|她|它|那[个家位]|这[个家位])|.*的(?:那|这)?[个位只条家款][\u3400-\u9fff]+$|.*我(?:知道|了解|熟)$"
)
# Somebody new is spoken of: what follows is about them.
_INTRODUCES = re.compile(
    rf"(?:有|认识|遇到|碰到|交)了?(?:[一两几]?[个位])?[\u3400-\u9fff]{{0,3}}(?:{WORDS}|男友|女友|同学|客户|亲戚)$"
)
_PRESENTS = re.compile(
    r"\s*(?:(?:我|咱)们(?!都|全|俩|两|三|家|一)|(?:我|咱)(?:的|家的?)(?![真本大小英中网外艺笔昵微老家姓名I]))[\u3400-\u9fff]{1,8}?(?:姓|名叫|叫做?)(?!我)[\u3400-\u9fff]{1,5}\s*$"
)
# Orders and notes are read as they stand, whatever they speak of.
_ORDER = re.compile(
    r"记住|记得|记着|记下|记一|记好|别忘|不要忘|备忘|备注|存一下|提醒自己|(?<![\u3400-\u9fff])(?:请|你|您|那|麻烦|拜托)?(?:以后|今后|往后)|从现在起|从今|一律|统统|永远|始终|每次都|别给我|不要用"
)


def clauses(stated: str) -> Iterator[Reading]:
    """What is stated, in stretches as long as possible, then each clause that goes on about the
    speaker with the "我" that goes without saying put before it."""
    stated = simplified(stated)
    whole = replace(as_said(stated), whole=False)
    if _ORDER.search(stated):
        yield whole
        return
    told = tuple(_told(stated))
    for begin, end in _stretches(stated, [span for span, _ in told]):
        yield whole.part(begin, end)
    for span, goes_on in told:
        if goes_on and _GOES_ON.match(stated, *span):
            yield whole.part(*span).headed("我")


def _told(stated: str) -> Iterator[tuple[tuple[int, int], bool]]:
    """The place of each clause that states something about the speaker or theirs, and whether it
    leaves out the speaker named before."""
    subject: Subject = "unsaid"
    imagined = False
    for clause in _CLAUSE.finditer(stated):
        imagined = _is_imagined(clause[0], imagined)
        before, subject = subject, _subject(clause[0], subject)
        named = bool(_SPEAKER.match(clause[0]) or _OTHER.match(clause[0]) or _NAMED.match(clause[0]))
        if not imagined and not _UNSTATED.search(clause[0]) and (subject != "other" or named):
            left_out = before == subject == "speaker" and not _SPEAKER.match(clause[0])
            yield clause.span(), left_out
        if _INTRODUCES.search(clause[0]) or _PRESENTS.match(clause[0]):
            subject = "other"


def _is_imagined(clause: str, before: bool) -> bool:
    return bool(_IMAGINED.search(clause)) or (before and not _AFTER_ALL.match(clause))


def _subject(clause: str, before: Subject) -> Subject:
    if _SPEAKER.match(clause):
        return "other" if _OF_THEM.match(clause) else "speaker"
    return "other" if _OTHER.match(clause) else before


def _stretches(stated: str, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Neighbouring clauses joined, with the comma between them and the mark after the last."""
    begin, end = -1, -1
    for start, stop in spans:
        if begin >= 0 and start - end <= 1:
            end = stop
            continue
        if begin >= 0:
            yield begin, min(end + 1, len(stated))
        begin, end = start, stop
    if begin >= 0:
        yield begin, min(end + 1, len(stated))
