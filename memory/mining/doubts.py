"""What rules have read and a careful reader would not believe at once, whatever the rule was."""

import re
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from memory.mining.lines_of_others import handed_on, said_by_another
from memory.mining.types import ExtractedFact, Extraction
from memory.mining.vagueness import says_nothing
from memory.transcripts import Transcript, Turn

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
_DIET_AFTER = re.compile(
    rf"(?:,|/| or| oder| o| ou| vs\.?| und| and| y| et) ?{_DIETS}", re.IGNORECASE
)
_DIET_BEFORE = re.compile(
    rf"{_DIETS}(?:,|/| or| oder| o| ou| vs\.?| und| and| y| et) ?$", re.IGNORECASE
)
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
