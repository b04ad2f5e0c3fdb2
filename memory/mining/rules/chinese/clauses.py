"""Chinese sentences, in which "I" is said once and goes without saying from then on."""

import re
from collections.abc import Iterator
from dataclasses import replace

from memory.mining.rules.reading import Reading, as_said

_CLAUSE = re.compile(r"[^，,；;、。！!]+")
# The speaker, and not somebody of theirs ("我妈妈") or what they think of something.
_SPEAKER = re.compile(
    r"\s*(?:你好|您好|大家好|嗨|哈喽|其实|另外|对了|那个|嗯)*\s*(?:我(?:们)?(?=叫|是|姓|在|住|今年|现在|目前|有|没|不|喜欢|爱|最|很|特别|对|会|每|养|想(?!知道|问)|打算|计划|准备|平时|一直|从|来自|[\d一二三四五六七八九十]|也|还|的?(?:老家|生日|专业|名字)|用|讨厌|结婚|离婚|单身|未婚|已婚|退休|学|读|毕业|比较|经常|一般|正|预算)|本人|[\d一二三四五六七八九十]+岁)"
)
_GOES_ON = re.compile(
    r"\s*(?:今年|现在|目前|一直|平时|也|还|正在|每天|每周|周末|最近|打算|计划|准备|在(?!哪)|住|是|喜欢|爱|讨厌|不|对|会|有|没有?|养|想(?!知道|问|要一)|用|吃|结婚|单身|未婚|已婚|离异|退休|从事|做|毕业|学|专业|特别|最|很|超|叫|姓|来自|老家|身高|属)"
)


def clauses(stated: str) -> Iterator[Reading]:
    """The sentence as it was said, then each clause that goes on about the speaker with the "我"
    that goes without saying put before it."""
    whole = replace(as_said(stated), whole=False)
    yield whole
    speaker = False
    for clause in _CLAUSE.finditer(stated):
        if _SPEAKER.match(clause[0]):
            speaker = True
        elif speaker and _GOES_ON.match(clause[0]):
            yield whole.part(*clause.span()).headed("我")
        else:
            speaker = False
