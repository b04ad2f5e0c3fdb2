"""What rules have read and a careful reader would not believe at once, whatever the rule was."""

import re
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import ExtractedFact, Extraction
from memory.text.kinship import KIN as KINSHIP

_KIN = "|".join(sorted(KINSHIP["en"], key=len, reverse=True))
_TOLD = frozenset({"preference", "goal", "experience", "behaviour", "project", "technical", "skill"})
_NAMES_SOMETHING = r"\b(?:an?|the|my|our|some|every|each|all|(?-i:[A-Z])\w*)\b"
# A pronoun with nothing before it that it could stand for: "met her in 2002", "finish it by May".
_PRONOUN = r"(?<![\w'])(?:him|them|'?em|her|his|it|there)(?![\w'])"
_POINTS_BACK = re.compile(
    rf"(?!(?:(?!{_PRONOUN}).)*{_NAMES_SOMETHING})(?:(?!{_PRONOUN}).)*{_PRONOUN}"
    r"(?! (?:is )?(?:when|if|rains?|snows?|up\b|easy|out to\b))|(?:\w+ )?(?:their|its) ",
    re.IGNORECASE | re.DOTALL,
)
_THIS = re.compile(
    r"\bthat one\b|(?:\b(?:these|those|this)|(?:\b(?:in|of|at|for|with|on|to|like|attended|joined|visited|took|did|saw|watched|read|bought|tried)|^) that) (?!(?:summer|year|week|month|weekend|fall|winter|spring|autumn|semester|term|season"
    r"|quarter|decade|morning|evening|afternoon|christmas|easter|coming|next|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|I|my|we|our|are|is|was|has|have|can|test|make|help|challenge)\b)[a-z]",
    re.IGNORECASE,
)
_BARE = (
    r"(?:new|awesome|amazing|great|cool|nice|good|fun|different|certain|various|few|couple|several|many|some|big|small|huge"
    r"|local|interesting|special|other|own|unique|more|better|similar|an?|the|of|lot|lots|really|very|both|two|three|four|five|all|my|our|one|another)"
)
_NO_THING = (
    r"(?:events?|platforms?|projects?|things?|stuff|places?|opportunit(?:y|ies)|experiences?|ones?|activit(?:y|ies)"
    r"|topics?|ways?|stories|options?|moments?|times?|people|everything|life|magic(?: with .*)?|kinds?|types?|part|parts)"
)
_EMPTY = re.compile(
    rf"(?:(?:attended|joined|visited|started|tried|won|did|made|went to|doing|trying|having|making|being|seeing|meeting|to (?:see|do|try|have|make|meet)) )?"
    rf"(?:{_BARE} )+{_NO_THING}(?: (?:last|this|recently|yesterday|in (?:19|20)\d\d|\w+ \w+ ago)\b.*)?\W*$|(?:different|various|certain|similar|other|many|several|few|two|three) \w+\W*$",
    re.IGNORECASE,
)
_PLATITUDE = re.compile(
    r"(?:to )?(?:keep (?:going|it up|pushing|trying)|(?:keep going and )?make (?:an? |the |some )?(?:\w+ )?(?:difference|impact)|make (?:my|our) dreams? come true"
    r"|(?:do|try) (?:my|our) best|stay (?:strong|positive|focused|motivated)|be (?:happy|better|successful|there)|(?:overcome (?:any|all|my|our|the) [\w ]{3,20} and )?(?:achieve|reach|hit) (?:my|our|all (?:my|our)) (?:goals|dreams|full potential)|(?:work|succeed|improve|grow|learn more|get better) ?(?:in the future|someday)?"
    r"|move forward|give back|follow my dreams?|have fun|make (?:it|things) (?:work|happen)|see what happens|take control|taking control|being me|being stuck|relax|figure (?:it|this|things) out)\W*$",
    re.IGNORECASE,
)
_BETWEEN_US = re.compile(
    r"we(?:'ve)? (?:\w+ly |first |all |both |always |usually |often )*(?:met(?! (?:up )?with)|agree|agreed|argue|argued|fight|fought|kissed|broke up|talk|talked|chat|chatted|spoke|know|knew|look forward)\b",
    re.IGNORECASE,
)
# The sentence goes on about something that is not in the fact.
_OF_IT = re.compile(r"\s(?:on|in|with|at|of|for|to|about|from|into) (?:it|them|him|her|this|that)\b")
_ADJECTIVE = (
    r"(?:safe|warm|calm|healthy|happy|high|fresh|soft|strong|clean|quiet|cosy|cozy|simple|cool|fun|good|great|big|small|long"
    r"|short|sweet|loving|new|old|bright|dark|light|deep|rich|fine|nice|rare|tight|\w{3,}(?:ful|ive|ous|less|able))"
)
_HALF_NAMED = re.compile(
    rf".*\b(?:an?|more|very|some) {_ADJECTIVE}$|(?:\w+ )?(?:softer|bolder|lighter|darker|brighter|{_ADJECTIVE})$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r", (?:more |very |and )?[a-z]+(?:,| [a-z]+)")
_ERRAND = re.compile(
    r"(?:re)?schedul(?:e|ing)\b|(?:cancel|book|plan|prepare|organi[sz]e|buy|find|choose|check|submit|confirm)\b|work$",
    re.IGNORECASE,
)
# A verb that wants a thing, or an adjective that wants a noun.
_WANTS_MORE = re.compile(
    r"(?:(?:only |always |usually )?(?:playing|making|doing|using|trying|getting|taking|having|finish(?:ed|ing)?|complet(?:ed|ing)|working"
    r"|play|make|do|use|try|get|take|explore|start(?:ed)?|go|do)(?: (?:for (?:a|an|about|\w+) [\w ]{3,20}|on (?:the )?weekends?|all|too))*"
    r"|decide|choose|understand|plan|help|learn"
    r"|(?:go|visit|travel|try|do|see|come|be)(?: (?:one day|some ?day|there|again|back))+"
    r"|.*\b(?:making|creating|trying|buying|finding) (?:new|more|different|various|other)"
    r"|(?:sprint|chapter|part|section|step|task|phase|week|unit|module|version|level|day) \w+"
    r"|never (?:seem|know|have|find|get)\b.*"
    r"|(?:an?|one|two|three|\d+) (?:weeks?|months?|years?|days?|hours?))\W*$",
    re.IGNORECASE,
)
_ANY_EVENT = re.compile(
    r"(?:attended|joined|participated in|took|visited) an? (?:workshop|class|meeting|event|webinar|conference|session|lecture|course|seminar|festival|party|group|club)$|(?:attended|visited|joined) (?:about |around |over )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_NO_HABIT = re.compile(
    r"(?:until|till|for|(?:around|about)(?! [\w.,-]+(?: an?)? (?:hours?|minutes?|mins?)\b)|at|consisting|including|between|spent|had|went|did|got|was|were|saw|took|made|bought|met|used to)\b",
    re.IGNORECASE,
)
_A_PURCHASE = re.compile(
    r"\b(?:that|which) (?:I|we) (?:bought|purchased|got|ordered|received)\b", re.IGNORECASE
)
_IS_PAST = re.compile(r"\W{0,2}(?:in|of|for) the (?:past|last)\b", re.IGNORECASE)
_ARRANGING = re.compile(r"\borgani[sz]ing (?:my|our|some)\b|\bshopping trip\b", re.IGNORECASE)
_PASSING = re.compile(
    r"\W{0,2}(?:right now|at the moment|this (?:morning|afternoon|evening)|tonight|today|for now)\b",
    re.IGNORECASE,
)
_FOR_ANOTHER = re.compile(
    rf"[^.!?\n]{{0,20}}?\b(?:for (?:my|our|his|her|a) (?:\w+ )?(?:{_KIN})s?\b|as an? (?:gift|present))",
    re.IGNORECASE,
)


def says_nothing(fact: ExtractedFact, said: str) -> bool:
    """Whether a fact cannot be understood alone, is empty or only for the moment. `said` is the
    turn it was read in."""
    after = said[fact.span[1] : fact.span[1] + 60]
    if fact.kind == "event":
        return bool(_ERRAND.match(fact.object) or _IS_PAST.match(after) or _A_PURCHASE.search(fact.quote))
    if fact.kind not in _TOLD or not fact.object.isascii():
        return False
    return bool(
        _POINTS_BACK.match(fact.object)
        or _THIS.search(fact.object)
        or _EMPTY.match(fact.object)
        or (fact.kind != "technical" and _WANTS_MORE.match(fact.object))
        or _ARRANGING.search(fact.quote)
        or (fact.kind in ("goal", "preference") and _PLATITUDE.match(fact.object))
        or (fact.kind in ("experience", "behaviour") and _BETWEEN_US.match(fact.quote))
        or (fact.kind == "experience" and _ANY_EVENT.match(fact.object))
        or (fact.kind == "behaviour" and _NO_HABIT.match(fact.object))
        or (fact.kind == "project" and _PASSING.match(after))
        or (fact.kind in ("preference", "experience") and _OF_IT.match(after))
        or (_GOES_ON.match(after) and _HALF_NAMED.match(fact.object))
        or (fact.predicate == "owns" and _FOR_ANOTHER.match(after))
    )


# What is asked about a text that stands before it.
_ABOUT_A_TEXT = (
    r"(?:das|so) stand (?:im|in|auf|an|am)\b|(?:schreib|antwort)\w* ich (?:da |ihm |ihr |darauf |dem |der )|(?:hat|schrieb|schreibt) (?:er|sie|man|jemand) mir\b|guter (?:erster )?(?:satz|anfang)|wie klingt das"
    r"|(?:bon|bonne) (?:début|première phrase|accroche)|(?:c['\u2019]est|c['\u2019]était|ce qui est) (?:écrit|marqué)|(?:que|quoi|comment) (?:lui |leur )?(?:réponds|répondre)|je (?:lui |leur )?réponds quoi|un voisin a (?:laissé|écrit)"
    r"|(?:qué|cómo) le (?:respondo|contesto|digo)|ponía (?:en|la|el)\b|me (?:llegó|mandaron|escribieron)|(?:buen|qué tal el) (?:comienzo|principio)|resum\w+ (?:del|el|este) (?:chat|hilo|mensaje)"
    r"|что (?:ему |ей |им )?ответить|как (?:ему |ей |им )?ответить|вот так(?:ую|ое|ой) (?:записк|сообщени|письм|объявлени)\w*|(?:нашла?|пришло|висит|висело) (?:под|на|в)\b|как (?:тебе|вам) (?:начало|фраза)"
    r"|怎么回(?!事)|怎麼回(?!事)|如何回复|怎么回复|帮我回|留言|收到(?:这|一)[条封]"
)
_HANDED_OVER = re.compile(
    rf".{{15,}}?(?:\n|\s[—–-]\s|[”\"»]\s?)[^\n]{{0,60}}?(?:{_ABOUT_A_TEXT})",
    re.IGNORECASE | re.DOTALL,
)
_LINE_OF_A_CHAT = re.compile(
    r"^[ \t]*(?:\[\d{1,2}[:.]\d\d(?::\d\d)?\]\s*[^\W\d_][\w .]{0,20}|\d{1,2}[:.]\d\d\s+[^\W\d_][\w .]{0,20}):\s",
    re.MULTILINE,
)
_IN_JEST = re.compile(
    r"\W*(?:(?:haha\w*|hehe\w*|lol|mdr|ptdr|jaja\w*|хаха\w*|ха-ха|ахах\w*|ага|哈哈+)[\s,]*)?(?:ja(?:,)? (?:genau|klar|sicher)|na klar|aber sicher|klar doch|oui bien sûr|bien sûr|mais oui|claro|sí claro|sí,? cómo no|ну да|ага|конечно|对对+|是啊是啊|行行行)"
    r"[\s,!.…-]*(?:und |et |y |а |и )?(?:nebenbei |ganz nebenbei )?(?:ich|bin|moi|je|j['\u2019]|yo|soy|я|我)\b",
    re.IGNORECASE,
)
_THEN_SAID = re.compile(
    r"\s?[»\"”«]?[,!.]?[»\"”]?\s?[–—-]?\s?(?:sagte|meinte|rief|fragte|flüsterte|murmelte|dit-(?:il|elle|on)|répondit|s['\u2019]exclama|murmura|dijo|respondió|exclamó|murmuró|contestó|сказала?|ответила?|воскликнула?|прошептала?|крикнула?)\b(?!\s+(?:ich|je|yo|я)\b)",
    re.IGNORECASE,
)
TAIL = 40


def handed_on(words: str) -> bool:
    """Whether a message holds a text by somebody else that it asks about, lines of a chat, or is a
    joke from its first word on."""
    return bool(_HANDED_OVER.match(words) or len(_LINE_OF_A_CHAT.findall(words)) > 1 or _IN_JEST.match(words))


def said_by_another(words: str, end: int) -> bool:
    """Whether the words up to `end` are speech: "…, sagte er" comes after them."""
    return bool(_THEN_SAID.match(words[end : end + TAIL]))


DOUBTFUL = 0.45
LOOKED_AT = 20_000
LONG_ORDER = 400

# The person tells the assistant what it is: whatever "I" is after that belongs to the play.
_PART = re.compile(
    r"\W*(?:system\s*:\s*)?(?:"
    r"you are (?:now )?(?:an? (?!star|life|gem|genius|legend|saint|angel|hero|god)|the (?!best)"
    r"|chatgpt|gpt|claude|my (?!favou?rite|best|hero))"
    r"|du bist (?:jetzt |nun )?(?:ein(?:e|en)? (?!schatz|engel|held|genie|freund)|der |die (?!beste)|meine? (?!schatz|engel|held|genie|freund|rettung|retter|best|lieb))"
    r"|eres (?:ahora )?(?:una? (?!sol|genio|ángel|crack|amor)|el |la |mi (?!sol|genio|ángel|amor|mejor|héroe|salv))"
    r"|(?:tu es|vous êtes) (?:maintenant |désormais )?(?:une? (?!amour|ange|génie|chef)|le |la |mon (?!amour|ange|héros|meilleur)|ma (?!meilleure))"
    r"|ты\s*[—–-]\s*\w|你是(?:一[名个位]|名))",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"^[^\S\n]*[^\W\d_]+(?: [^\W\d_]+)?: (?:I|I'm|I’m|My|We)\b", re.MULTILINE)
# A mail pasted without its head begins with somebody's name.
_TO_SOMEBODY = re.compile(
    r"\s*(?:hi|hello|hey|dear) (?!claude|chatgpt|gpt|gemini|copilot|ai\b|there|everyone|all\b|team|guys|palace|assistant)"
    r"[^\W\d_]\w+(?: [^\W\d_]\w+)?,[ \t]*\n",
    re.IGNORECASE,
)
_DIETS = r"(?:vegan\w*|vegetari\w*|végétari\w*|végan\w*|pesc\w*|pesk\w*|flexi\w*|omni\w*)"
_DIET_AFTER = re.compile(rf"(?:,|/| or| oder| o| ou| vs\.?| und| and| y| et) ?{_DIETS}", re.IGNORECASE)
_DIET_BEFORE = re.compile(rf"{_DIETS}(?:,|/| or| oder| o| ou| vs\.?| und| and| y| et) ?$", re.IGNORECASE)
_DIFF = re.compile(r"^(?:@@ -\d|diff --git )", re.MULTILINE)
_CUT_NUMBER = re.compile(r"\d(?:[:.,]\d|\s?[-–]\s?[$€£¥]?\d)")
_CUT_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_LAST_DAY = re.compile(rf"\b{_DAY}$", re.IGNORECASE)
_LISTED_ON = re.compile(rf"\w?,? (?:and )?{_DAY}\b", re.IGNORECASE)
_ONLY_THEN = re.compile(r"\w? (?:whenever|unless)\b", re.IGNORECASE)
_WITH_ANOTHER = re.compile(r"\b(?:my|our) \w+ and $", re.IGNORECASE)
_UNTOLD = re.compile(
    r"\b(?:this|that|similar) (?:topic|event|area|subject|field|kind)\b"
    r"|\b(?:attended|joined|visited) (?:her|his|their)\b|\bsome experience\b|, one$",
    re.IGNORECASE,
)

# What one is told to keep in mind at school is nothing of one's own.
_LESSON = re.compile(
    r"\b(?:excel|python|java(?:script)?|formel\w*|f[óo]rmulas?|formules?|theorems?|teorem\w*|grammati[kc]|gramática"
    r"|syntax|règle|regla|wörtlich|правил\w+|теорем\w+|жи-ши|formula)\b|定律|公式|定理|语法|乘法",
    re.IGNORECASE,
)


# Plain words of a tale or a rule: nobody and nothing is named, counted or pointed at.
_OF_NOBODY = re.compile(r"(?!.*\b(?:I|my|me|we|our|us|the|his|her)\b|.*[A-Z\d'\u2019])[a-z ,.]+$")
_SOON = re.compile(
    r"\b(?:today|tonight|tomorrow|(?:this|next|coming) (?:weekend|week)|coming up)\b", re.IGNORECASE
)
_VAGUE = re.compile(
    r"(?:a )?few\b|(?:the |a )?(?:tight |big |new |next |strict )?deadline$|(?:a )?time anchor$|(?:arriv(?:e|ing)|land(?:ing)?|visiting|leaving|starting|moving|hosting|speaking|playing|performing)$",
    re.IGNORECASE,
)
_COMMON_THINGS = frozenset(
    {"laptop", "phone", "computer", "tablet", "tv", "watch", "car", "camera", "mouse", "keyboard"}
    | {"monitor", "printer", "console", "headphones"}
)
# In a long order, what holds for every answer says so; the rest is for this one.
_FOR_GOOD = re.compile(
    r"\b(?:always|never|ever|every|each|from now|future|whenever|when|general|by default|default|rule|all)\b"
    r"|immer|künftig|siempre|nunca|toujours|jamais|désormais|всегда|никогда|впредь|теперь|以后|今后|永远|一律",
    re.IGNORECASE,
)
_BOOKED = re.compile(r"\b(?:booked|signed up|registered|enrolled)\b", re.IGNORECASE)
_ON_A_DAY = re.compile(r"\s*(?:on|last|yesterday|today)\b", re.IGNORECASE)

_JUST_THEN = re.compile(r"\b(?:yesterday|today|last \w+|ago),? $", re.IGNORECASE)


def with_doubts(extraction: Extraction, transcript: Transcript) -> Extraction:
    """The extraction without facts whose words were cut inside a word or a number,
    leave out what makes them true, or cannot be understood alone. Those of a turn that sets up a play or holds other people's
    lines wait for review, and so do lessons and what is over by this evening."""
    turns = {turn.message_id: turn for turn in transcript.turns}
    doubtful = {name for name, turn in turns.items() if _is_somebody_elses(turn)}
    return replace(
        extraction,
        facts=tuple(
            replace(fact, confidence=min(fact.confidence, DOUBTFUL))
            if fact.message_id in doubtful or _is_unsure(fact, turns)
            else fact
            for fact in extraction.facts
            if not (_is_cut(fact, turns) or _is_half(fact, turns))
            and not says_nothing(fact, turns[fact.message_id].content)
        ),
        relations=tuple(edge for edge in extraction.relations if edge.message_id not in doubtful),
    )


def _is_somebody_elses(turn: Turn) -> bool:
    words = turn.content[:LOOKED_AT]
    return bool(
        _PART.match(words)
        or _TO_SOMEBODY.match(words)
        or _DIFF.search(words)
        or handed_on(words)
        or len(_SPEAKER.findall(words)) > 1
    )


def _is_unsure(fact: ExtractedFact, turns: Mapping[UUID, Turn]) -> bool:
    """Whether a careful reader would ask: something taught rather than told, or what is over by
    this evening."""
    if said_by_another(turns[fact.message_id].content, fact.span[1]):
        return True
    if fact.predicate == "asked_to_remember":
        return bool(_LESSON.search(fact.object) or _OF_NOBODY.match(fact.object))
    if fact.predicate == "owns":
        return fact.object.casefold() in _COMMON_THINGS
    if fact.kind == "instruction":
        said = turns[fact.message_id].content
        return len(said) > LONG_ORDER and not _FOR_GOOD.search(fact.object)
    if fact.kind == "goal":
        return bool(_SOON.search(fact.object))
    if fact.kind == "event" and _vague(fact, turns[fact.message_id].content):
        return True
    today = fact.event_time and fact.event_time.date() == turns[fact.message_id].said_at.date()
    return bool(today) and fact.kind == "event" and len(fact.object.split()) == 1


def _vague(fact: ExtractedFact, said: str) -> bool:
    """Whether an event says not what happens, or gives the day on which something was booked."""
    start, end = fact.span
    told_on = _ON_A_DAY.match(said[end:]) or _JUST_THEN.search(said[max(0, start - 30) : start])
    booked = _BOOKED.search(fact.quote) and told_on
    return bool(booked or _VAGUE.match(fact.object))


def _is_cut(fact: ExtractedFact, turns: Mapping[UUID, Turn]) -> bool:
    """Whether the words go on where the quote ends, in the same word or number."""
    content, end = turns[fact.message_id].content, fact.span[1]
    around = content[max(0, end - 1) : end + 4]
    return bool(_CUT_NUMBER.match(around) or _CUT_WORD.match(around))


def _one_of_many(content: str, start: int, end: int) -> bool:
    """Whether ways to eat are listed beside the one that was found: they are spoken of, not kept."""
    before = content[max(0, start - 24) : start]
    return bool(_DIET_AFTER.match(content[end:]) or _DIET_BEFORE.search(before))


def _is_half(fact: ExtractedFact, turns: Mapping[UUID, Turn]) -> bool:
    """Whether what makes the words true stands outside of them: somebody else who does it too, a
    condition, the other days, or what was spoken of before."""
    content, (start, end) = turns[fact.message_id].content, fact.span
    return bool(
        _WITH_ANOTHER.search(content[max(0, start - 40) : start])
        or (fact.predicate == "follows_diet" and _one_of_many(content, start, end))
        or (fact.kind == "behaviour" and _ONLY_THEN.match(content[end - 1 : end + 12]))
        or (_LAST_DAY.search(fact.quote) and _LISTED_ON.match(content[end - 1 : end + 20]))
        or (fact.kind in ("experience", "skill", "project") and _UNTOLD.search(fact.quote))
    )
