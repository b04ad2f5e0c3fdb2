"""Rewrite: turn a message into a query."""

import re
from itertools import islice

from memory.recall.query_extraction import PERSONAL, focus
from memory.recall.types import Query, RecallRequest
from memory.text import tokenization
from memory.text.dates import read_time
from memory.text.patterns import AFTER_WORD, compile_pattern, compile_words
from memory.text.secrets import blank_secrets
from memory.text.stemming import search_terms
from memory.text.stop_words import COMMON_WORDS

EARLIER_TURNS = 3
EARLIER_TERMS = 8

_MAX_VAGUE_LENGTH = 60
_MAX_VAGUE_UNSPACED_LENGTH = 10
_MAX_DENSE_TERM_LENGTH = 40

ABOUT_ASSISTANT_PATTERN = (
    r"\b(?:did|have|had|were) (?:you|u)\b.{0,24}\b(?:suggest|recommend|tell|told|say|said|mention|"
    r"give|gave|given|advise|propose|describe|share|write|written|wrote|explain|list|provide|call|"
    r"referring|show|shown|come up)",
    r"\b(?:you|u)(?:'d|'ve| had| have| also| just| once| previously| earlier|"
    r" specifically| already| originally)* (?:suggested|recommended|told|said|mentioned|gave|"
    r"provided|advised|wrote|explained|listed|created|made|proposed|described|shared|referred|"
    r"were referring|showed|"
    r"drafted|came up with|pointed out|promised|put together)\b",
    r"\bremind me (?:of|what|which|who|how|where|when|about|again)\b(?!.{0,12}\b(?:my|i)\b)",
    r"\bour (?:last|previous|earlier|past) (?:chat|talk|conversation|discussion|session|game)s?\b",
    r"\b(?:hast|hattest) du\b.{0,60}\b(?:gesagt|empfohlen|vorgeschlagen|erwähnt|geraten|genannt|"
    r"erklärt|geschrieben)\b|\b(?:haben|hatten) sie mir\b",
    r"\b(?:dijiste|recomendaste|sugeriste|mencionaste|aconsejaste|propusiste|explicaste)\b",
    r"\b(?:m'as|m'avez|as-tu|avez-vous|tu as|vous avez)\b.{0,40}\b(?:dit|recommandée?s?|"
    r"conseillée?s?|suggérée?s?|proposée?s?|mentionnée?s?|expliquée?s?)\b",
    r"\b(?:hai|avevi|avete)\b.{0,20}\b(?:detto|consigliat\w|suggerit\w|raccomandat\w|propost\w|"
    r"menzionat\w)\b",
    r"\b(?:disseste|recomendaste|você (?:me )?(?:disse|recomendou|sugeriu|mencionou|"
    r"indicou|falou))\b",
    r"\b(?:ты|вы)\b.{0,30}\b(?:сказал\w*|говорил\w*|советовал\w*|посоветовал\w*|рекомендовал\w*|"
    r"порекомендовал\w*|предложил\w*|предлагал\w*|упоминал\w*|упомянул\w*)\b",
    r"(?<![跟和对给向])[你您](?:之前|上次|刚才|曾经?|以前|昨天|给我|跟我|向我|都|还|是)*(?:说|推荐|建议|提到|提|告诉|介绍|写|列)"
    r"[我给]{0,2}(?:过|的|了)|[你您](?:之前|上次|刚才|曾经?|以前)",
    r"(?:言って|勧めて|薦めて|おすすめして|推薦して|提案して|教えて|書いて)(?:くれた|くださった|いた|た)|"
    r"(?:言った|勧めた|提案した|おすすめした)",
    r"(?:추천|제안|말|이야기|얘기|언급|설명)(?:해|했|하셨|하신|해\s?준|해\s?줬|해\s?주신)(?:던|어|나|었|니|지|\s|준|줬|주|$)",
    r"(?:قلت|اقترحت|نصحت|أوصيت|ذكرت|أخبرتني|نصحتني)",
)

# Openings that continue what was said before.
_FOLLOW_UP_WORDS = (
    r"and|but|what about|how about|what else|anything else|any others?|or|then|so|go on|"
    r"tell me more|more|continue|und|aber|was ist mit|wie ist es mit|mehr|weiter|y|pero|qué tal|"
    r"más|et|mais|plus|e|ma|altro|mas|а|и|но|ещё|еще|что насчёт|а что|그럼|그리고|و|وماذا"
)
_POINTING_BACK_WORDS = (
    r"it|its|that|this|these|those|they|them|their|he|him|his|she|her|hers|one|ones|there|"
    r"the (?:first|second|third|fourth|fifth|last|other|former|latter|same|next)(?: one| two)?|"
    r"both|es|das|den|dem|ihn|sie|ihr|dort|davon|damit|dazu|(?:der|die|das) (?:erste|zweite|dritte|"
    r"letzte|andere)|eso|ese|esa|esto|él|ella|allí|(?:el|la) (?:primer[oa]|segund[oa]|otr[oa]|"
    r"últim[oa])|ça|cela|il|elle|celui|celle|là|(?:le|la) (?:premi\w+|deuxième|second\w*|derni\w+|"
    r"autre)|quello|quella|lui|lei|(?:il|la) (?:prim[oa]|second[oa])|isso|esse|essa|ele|ela|"
    r"это|этот|эта|тот|та|он|она|они|его|её|ее|ему|ей|них|там|перв\w+|втор\w+|друг\w+|"
    r"그거|그건|그것|저건|이건|거기|هذا|هذه|ذلك|هو|هي|هناك"
)
# Questions for a count, a list, an order, a comparison or a summary.
_SEVERAL_WORDS = (
    r"how (?:many|much|often)|in (?:what|which) order|the order of|earliest|latest|in total|the total|"
    r"altogether|average|(?:first|older|longer|more|before|after).{1,80} or .+|"
    r"which \w+[a-rtv-z]s (?:have|did|do|are|were)|what \w+s (?:have|has|did|do|does|are|were)|"
    r"what (?:are|were)|all (?:the|my|of)|list (?:all|my|the|every)|compared? (?:to|with)|"
    r"difference between|between .{1,80} and|(?:days?|weeks?|months?|years?) (?:had |have )?passed|"
    r"days? (?:before|after)|how long had|summar\w+|"
    r"wie ?viele?|wie oft|reihenfolge|insgesamt|im durchschnitt|alle (?:meine|die)|"
    r"zuerst.{1,80} oder .+|vergleich\w*|unterschied zwischen|zwischen .{1,80} und|liste|was sind|"
    r"was waren|fasse?|"
    r"cuánt[oa]s?|en qué orden|en total|promedio|tod[oa]s|cuáles|primero.{1,80} o .+|compar\w+|"
    r"diferencia entre|entre .{1,80} (?:y|e)|lista|resum\w+|"
    r"combien|dans quel ordre|au total|en tout|en moyenne|tou(?:s|tes) (?:les|mes)|quels|quelles|"
    r"d'abord.{1,80} ou .+|différence entre|entre .{1,80} et|énumère|résum\w+|"
    r"quant[eioa]s?|in che ordine|in totale|in media|tutt[ei]|quali|prima.{1,80} o .+|differenza tra|"
    r"tra .{1,80} e|em que ordem|no total|em média|quais|diferença entre|"
    r"сколько|как часто|в каком порядке|всего|в среднем|все мои|какие|раньше.{1,80} или .+|сравни\w*|"
    r"разниц\w+ между|между .{1,80} и|перечисли\w*|"
    r"كم|بأي ترتيب|ترتيب|جميع|متوسط|قارن|الفرق بين|بين .{1,80} و.+"
)
_SEVERAL_UNSPACED = (
    "多少|几[个次本天种位家场条件]|哪些|哪几|顺序|总共|一共|平均|所有|比较|区别|之间|先.{1,60}还是|列出|总结|"
    "いくつ|何(?:回|冊|個|人|日|度|種類|本|件)|どれくらい|順番|合計|全部|すべて|平均|比較|違い|どちらが先|まとめ|一覧|"
    "몇|얼마나|순서|모두|전부|총|평균|비교|차이|목록|요약"
)
POINTING_BACK_UNSPACED_PATTERN = (
    r"[那这](?:个|些|里|呢|是)|它|他|她|第[一二三四五]个|另外?一?个?[?？]|^.{0,5}呢[?？]?$|^为什么|^怎么样|^然后|还有|"
    r"それ|あれ|これ|その|なぜ|どうして|もう一|二つ目|一つ目|他に"
)

_ABOUT_ASSISTANT = re.compile("|".join(ABOUT_ASSISTANT_PATTERN), re.IGNORECASE)
_FOLLOW_UP = compile_pattern(rf"^\W*(?:{_FOLLOW_UP_WORDS}){AFTER_WORD}", ignore_case=True)
_SEVERAL = compile_words(_SEVERAL_WORDS, _SEVERAL_UNSPACED)
_POINTING_BACK = compile_words(_POINTING_BACK_WORDS)
_POINTING_BACK_UNSPACED = compile_pattern(POINTING_BACK_UNSPACED_PATTERN)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def rewrite(request: RecallRequest) -> Query:
    """The query for a message: its question, with key terms of earlier turns if it is too vague on its own.
    Empty only if the message is. Contains no secrets."""
    question = focus(blank_secrets(request.message))
    use_history = request.settings.use_history and _is_vague(question)
    terms = _earlier_terms(request.history) if use_history else ()
    text = " ".join((question, *terms))
    return Query(
        text=text,
        words=search_terms(text),
        span=read_time(question, request.today),
        about_assistant=bool(_ABOUT_ASSISTANT.search(question)),
        several=bool(_SEVERAL.search(question)),
        vague=bool(terms),
    )


def _is_vague(text: str) -> bool:
    if not text or len(text) > _MAX_VAGUE_LENGTH or tokenization.quoted_phrases(text):
        return False
    if _UNSPACED.search(text):
        return len(text) <= _MAX_VAGUE_UNSPACED_LENGTH and bool(_POINTING_BACK_UNSPACED.search(text))
    content = _content_words(text)
    if _FOLLOW_UP.search(text):
        return len(content) <= 3
    if _POINTING_BACK.search(text):
        return len(content) <= 1
    return not content and len(_WORD.findall(text)) <= 4 and not PERSONAL.search(text)


def _content_words(text: str) -> list[str]:
    found = (word.replace("’", "'") for word in _WORD.findall(text))
    return [word for word in found if word.lower() not in COMMON_WORDS]


def _earlier_terms(history: tuple[str, ...]) -> tuple[str, ...]:
    """Key terms of the latest turns, newest first: names and quotations, then long words."""
    recent = [focus(blank_secrets(turn)) for turn in reversed(history[-EARLIER_TURNS:])]
    found = (term for turn in recent for term in _key_terms(turn))
    return tuple(islice(dict.fromkeys(found), EARLIER_TERMS))


def _key_terms(turn: str) -> tuple[str, ...]:
    named = (*tokenization.quoted_phrases(turn), *tokenization.proper_names(turn))
    if _UNSPACED.search(turn):
        return (*named, turn[:_MAX_DENSE_TERM_LENGTH])
    inside = {word for name in named for word in _WORD.findall(name)}
    longest_first = sorted(
        (word for word in _content_words(turn) if word not in inside and len(word) > 2),
        key=len,
        reverse=True,
    )
    return (*named, *longest_first[:EARLIER_TERMS])
