"""Facts from what users wrote: the entry point of the reader."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from llm.multilingual.tokens import Span
from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.facts.vocabulary import canonical_key, slug
from memory.mining.reader import decoding, plain, speech
from memory.mining.reader.decoding import Finding
from memory.mining.reader.network import Beliefs
from memory.mining.reader.predicates import PREDICATES, Predicate
from memory.mining.reader.sentences import sentence_of, sentences
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.dates import DateSpan, read_ahead, read_clock, read_time
from memory.text.forms import USER, sentence
from memory.text.kinship import KIN, Kinship
from memory.text.languages import is_english
from memory.text.owner_sentences import NAMED, fits, noun_phrase
from memory.text.patterns import compile_pattern
from memory.text.stop_words import COMMON_WORDS

READ = 20_000
FACTS_A_TURN = 12
WORTH_ASKING = 0.6
"""Calibrated confidence from which the owner is asked about a fact."""
BELIEVED = 0.3
"""How likely the network must think it that a sentence tells a fact for its plain words to be certain."""
CERTAIN = 0.6
"""The same for plain words behind others in their sentence."""
SURE_OF_KIN = 0.85
"""Confidence from which a relationship is certain although no word of its sentence says which one it is."""
MAX_NAME_WORDS, MAX_AGE = 4, 120
SHORT = 160
MAX_QUOTE_LENGTH = 240
QUOTED_IN_STATEMENT = 160

_MARKS = (('"', '"'), ("“", "”"), ("«", "»"), ("(", ")"))
_NOUNS = ("thing", "things", "way", "use", "look", "need", "help", "try")
_SINCE = compile_pattern(r"(?:since|seit|desde|depuis|ab|с|со|自|从).*", ignore_case=True)
_CLAUSE_END = compile_pattern(r"[,;:，；：]\s*|\s[-–—]+\s|[()]")
_FAVOURITE = compile_pattern(r"fav(?:ou?rite|e)?s? ([\pL-]{3,20})", ignore_case=True)
_WORD = compile_pattern(r"[\pL-]+")
_ARTICLE = compile_pattern(r"(?:an?|the) ")
_PREPOSITION_BEFORE = compile_pattern(r"([\pL-]+) (?:in|at|from|aus|en|de|à|в|из|на) $", ignore_case=True)
_DIGITS = compile_pattern(r"\d{1,3}")
_NO_LONGER = compile_pattern(
    r"no longer|n['’]t [^,;.!?]*any ?more|(?:not|never) [^,;.!?]*any ?more"
    r"|nicht mehr|keine?[nmrs]? [^,;.!?]*mehr|(?:^|[^\pL])ya no |больше не |уже не |不再|已经不|没再"
    r"|(?:^|[^\pL])n(?:e |['’])[^,;.!?]*[ ]plus(?:[^\pL]|$)",
    ignore_case=True,
)
_DIED = compile_pattern(
    r"(?:^|[^\pL])(?:died|passed away|gestorben|murió|est morte?|умер(?:ла)?)(?:[^\pL]|$)|去世|死了",
    ignore_case=True,
)
_REST_OF_NAME = compile_pattern(r"(?:['’]s)?(?: (?:(?:of|de|du|of the) )?\p{Lu}[\pL\d'’&-]+)*")
_MODEL = compile_pattern(r"(?: \p{Lu}*\d[\pL\d-]*)+")
_TRIP = compile_pattern(r" (?:trip|itinerary|vacation|holiday|tour)(?:[^\pL]|$)")
_COPULA = compile_pattern(r"^(?:is|am|are|['’]m) (?:an? |the )?", ignore_case=True)
_PREPOSITION = compile_pattern(r"^(?:(?:at|in|for|bei|en|à|chez|в|на) |在)", ignore_case=True)
# "My new phone is a Pixel 6": what a thing is called for tells facts apart, not what it is.
_CALLED = compile_pattern(
    r"(?:^|[^\pL])(?:the ([\pL-]+) (?:in|of|on) )?(?:my|our) (?:new |old |current )?([\pL-]+)"
    r" is (?:now )?(?:an? )?$|(?:swapped|replaced) the ([\pL-]+) (?:in|of|on) (?:my|our) ([\pL-]+)"
    r" (?:for|with|by) (?:an? )?$",
    ignore_case=True,
)
_PAST = compile_pattern(
    r"(?:^|[^\pL])(?:i|we) (?:(?:was|were) (?:still |then )?(?:living|working|using|staying)|used to)"
    r"(?:[^\pL]|$)",
    ignore_case=True,
)
_FIRST_PERSON = compile_pattern(
    r"(?:^|[^\pL])(?:i|i['’]?(?:m|ve|ll|d)|me|my|mine|myself|we|we['’](?:re|ve|ll|d)|us|our|ours)(?:[^\pL]|$)",
    ignore_case=True,
)
# "Your", in front of what belongs to the reader of a message and not to its writer.
_YOURS = compile_pattern(
    r"(?:^|[^\pL])(?:your|dein\pL*|tus|votre|vos|тво\pL+|ваш\pL*)(?: [\pL-]+)? $|[你您]的\p{Han}{0,2}$",
    ignore_case=True,
)
_MINE = compile_pattern(
    r"(?:my|our|mein\pL{0,2}|unser\pL{0,2}|mis?|mon|ma|mes|notre|nos|мо[йяёиюе]\pL{0,2}|наш\pL{0,2})"
    r"(?: |$)|我的",
    ignore_case=True,
)
_IS_MINE = compile_pattern(
    r" (?:is|ist|es|est|[—–-]) (?:my|our|mein\pL*|mi|mon|ma|мо[йяё]) |是我的", ignore_case=True
)
_AMOUNT = compile_pattern(r"[\p{Sc}\pN].*")
_TO_COME = compile_pattern(
    r"(?:^|[^\pL])(?:(?:i|we)(?:['’]ll| will)? (?:start|begin)|(?:i['’]?| a)m (?:starting|moving|joining)"
    r"|we(?:['’]| a)re (?:starting|moving)|(?:fange|beginne|starte) ich|ich (?:fange|beginne|starte)"
    r"|empiezo|je commence|начинаю|начну)(?:[^\pL]|$)",
    ignore_case=True,
)
_LATE_IN_MONTH = compile_pattern(
    r"(?:end of|late|ende|fin de|finales de|fines de|конца|конце) \pL{3}|月[末底]", ignore_case=True
)
_AFTERTHOUGHT = compile_pattern(
    r"\s+(?:now|nowadays|actually|again|too|as well|these days|at the moment"
    r"|jetzt|wieder|ahora|también|maintenant|aussi|теперь|сейчас)$",
    ignore_case=True,
)
_INTRODUCED = compile_pattern(
    r"(?:^|[^\pL])(?:i|i['’]?m|my|me|we|our|names?|called|call|here|this is|signed"
    r"|ich|mein\pL*|mich|name|heiße?n?|hier|yo|soy|me|mi|llam\pL*|aquí|je|j|moi|mon|m|suis|appell\pL*|ici"
    r"|я|меня|мне|мо[йяё]|зовут|имя|это)(?:[^\pL]|$)|我|叫|名|这里是|這裡是",
    ignore_case=True,
)
_LIMITED = compile_pattern(
    r"budget|spend|afford|max|up to|at most|more than|limit|allowance|ausgeben|höchstens|presupuesto|gastar"
    r"|máxim|como mucho|dépenser|au plus|бюджет|тратить|не (?:больше|более)|максимум|预算|最多|不超过|以内",
    ignore_case=True,
)
_JOINTS = {"works_as": (" ",), "born_on": (" ", ". ")}
_HELD = {"worked_at": "works_at", "lived_in": "lives_in"}
_HAVING = ("owns", "uses", "has")
_NAMES = ("named", "nickname", "surname")
_PRONOUNS = ("this", "that", "here", "he", "she", "it", "they", "who")
_NEGATIVE = ("avoids", "cannot", "does_not_use", "dislikes")
_HOMES = ("lives_in", "lived_in", "born_in", "comes_from")
_ABOUT_REPLIES = ("instruction", "preference")
_NAMELESS = ("married_to", "engaged_to", "partner_of", "parent_of", "sibling_of", "grandparent_of", "has_pet")
_COMMON_NOUNS = ("allergic_to", "avoids", "has_condition", "takes")
_PLACED = ("place", "organisation")
_DATED = ("event", "experience")
_AFTER_VALUE = 40


class Mind(Protocol):
    """What reads texts: the network of the reader, or a scripted one in tests."""

    calibration: NDArray[np.float64]

    def read(self, texts: Sequence[str]) -> list[list[Beliefs]]:
        """Beliefs about each text."""
        ...


@dataclass(frozen=True, slots=True)
class _Said:
    """A value in its turn: the sentence around it and the words to quote."""

    turn: Turn
    finding: Finding
    sentence: Span
    quote: Span

    @property
    def value(self) -> str:
        return self.turn.content[slice(*self.finding.place)]

    @property
    def words(self) -> str:
        return self.turn.content[slice(*self.sentence)]

    @property
    def is_over(self) -> bool:
        """Whether what is said no longer holds: the network thinks so, or the words around it say so."""
        start, end = _quote_within(self.turn.content, self.quote, self.finding.place)
        words = self.turn.content[start:end]
        predicate = PREDICATES[self.finding.predicate]
        is_dead = predicate.name == "has_pet" and bool(_DIED.search(words))
        is_past = predicate.kind != "experience" and bool(_PAST.search(words))
        is_left = predicate.name not in _NEGATIVE and bool(_NO_LONGER.search(words))
        return self.finding.is_over or is_dead or is_past or is_left


def read(turns: Sequence[Turn], mind: Mind) -> list[ExtractedFact]:
    """The facts that the users' turns tell about them, each with its exact source words, in order.

    Only the first 20,000 characters of a turn are looked at. A fact that is not certain enough, or that
    stands in
    a message which sets up a play, is `unsure`: it waits for its owner.
    """
    said = [turn for turn in turns if turn.role == "user"]
    beliefs = mind.read([turn.content[:READ] for turn in said])
    return [
        fact
        for turn, found in zip(said, beliefs, strict=True)
        for fact in _facts_of(turn, found, mind.calibration)
    ]


def _facts_of(turn: Turn, beliefs: Sequence[Beliefs], weights: NDArray[np.float64]) -> list[ExtractedFact]:
    content = turn.content[:READ]
    ranges, foreign = sentences(content), speech.foreign(content)
    played, pasted = speech.is_play(content), speech.doubtful(content)
    kept: dict[tuple[str, str], ExtractedFact] = {}
    for finding, confidence in _certain(content, beliefs, weights):
        if confidence < WORTH_ASKING or speech.is_inside(finding.place, foreign):
            continue
        said = _said(turn, finding, ranges)
        sure = _sure(said)
        if _is_nothing(said) or (confidence < sure and _is_idle(said)):
            continue
        for fact in _told(said, round(confidence, 3)):
            unsure = played or confidence < sure or speech.is_inside(finding.place, pasted)
            named = fact.predicate, slug(fact.object)
            if named not in kept or kept[named].confidence < confidence:
                kept[named] = replace(fact, unsure=unsure)
    unnamed = [fact for fact in kept.values() if not _is_named(fact, kept.values())]
    return sorted(unnamed, key=lambda fact: fact.span)[:FACTS_A_TURN]


def _is_nothing(said: _Said) -> bool:
    """Whether nothing of a value is left, or it is not the user's: "your dogs", "my sister in Leeds". What
    no word around it gives away is nothing either: a name or relationship where nobody speaks of themselves,
    a sum of money that nothing limits."""
    predicate = PREDICATES[said.finding.predicate]
    before = said.turn.content[said.sentence[0] : said.finding.place[0]]
    if not _clean(said, predicate):
        return True
    if predicate.name in _HOMES:
        place = _PREPOSITION_BEFORE.search(before)
        return place is not None and _is_kin_word(place[1])
    if predicate.name in _NAMES and _IS_MINE.match(
        said.turn.content[said.finding.place[1] : said.sentence[1]]
    ):
        return True
    if predicate.label or predicate.name in _NAMES:
        is_named = bool(predicate.label and _kin(said, predicate.name)) or _INTRODUCED.search(said.words)
        return not is_named or len(said.value.split()) > MAX_NAME_WORDS or bool(_YOURS.search(before))
    if predicate.name == "has_budget":
        return not _LIMITED.search(said.words)
    return predicate.kind not in _ABOUT_REPLIES and bool(_YOURS.search(before))


def _is_idle(said: _Said) -> bool:
    """Whether it is not worth asking about a fact that is not certain: that the user asked to remember it
    (`keyless.py` recognises plain requests), that they know somebody, or what an English sentence says that
    is about something else: nobody speaks of themselves in it, or it begins with "The" and the value."""
    predicate = PREDICATES[said.finding.predicate]
    if predicate.name == "acquainted_with" and not _kin(said, predicate.name):
        return True
    is_subject = said.words.startswith("The ") and said.finding.place[0] == said.sentence[0]
    is_elsewhere = is_english(said.words) and (is_subject or not _FIRST_PERSON.search(said.words))
    return predicate.name == "asked_to_remember" or is_elsewhere


def _sure(said: _Said) -> float:
    """The confidence from which a fact is certain. A relationship that no kinship word names needs more."""
    predicate = PREDICATES[said.finding.predicate]
    return SURE_OF_KIN if predicate.label and not _kin(said, predicate.name) else predicate.sure


def _certain(
    content: str, beliefs: Sequence[Beliefs], weights: NDArray[np.float64]
) -> Iterator[tuple[Finding, float]]:
    """Findings with their confidence. Plain statements go before what the network sees in the same words,
    but in a long message they wait where it thinks that their sentence tells nothing of the user."""
    plainly, found = list(plain.statements(content)), _joined(content, decoding.findings(content, beliefs))
    for finding in found:
        if not any(_overlap(finding.place, one.place) for one in plainly):
            yield finding, decoding.confidence(finding, weights)
    for one in plainly:
        over = any(finding.is_over and _overlap(finding.place, one.place) for finding in found)
        likely = decoding.any_fact(beliefs, one.place)
        believed = likely >= CERTAIN if one.is_later else len(content) < SHORT or likely >= BELIEVED
        yield Finding(one.place, one.predicate, over, ()), plain.CONFIDENCE if believed else WORTH_ASKING


def _joined(content: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, neighbouring words of one job ("senior", "physiotherapist") or date made one."""
    joined: list[Finding] = []
    for finding in findings:
        last = joined[-1] if joined else None
        if last and finding.predicate == last.predicate and _adjoin(content, last, finding):
            surer = max(last, finding, key=lambda one: one.features[0])
            joined[-1] = replace(surer, place=(last.place[0], finding.place[1]))
        else:
            joined.append(finding)
    return joined


def _adjoin(content: str, one: Finding, other: Finding) -> bool:
    return content[one.place[1] : other.place[0]] in _JOINTS.get(one.predicate, ())


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _is_named(fact: ExtractedFact, others: Iterable[ExtractedFact]) -> bool:
    """Whether a fact mentions a relative whom another fact of the same words names ("my daughter Wren")."""
    return fact.predicate == "has_family" and any(
        other.persons and other.span == fact.span and fact.object.casefold() in other.statement.casefold()
        for other in others
    )


def _said(turn: Turn, finding: Finding, ranges: Sequence[Span]) -> _Said:
    sentence = sentence_of(finding.place[0], ranges)
    return _Said(turn, finding, sentence, _quote(turn.content, sentence, finding.place))


def _quote(content: str, sentence: Span, place: Span) -> Span:
    """The sentence, or the clauses around the value where it is long, without surrounding spaces."""
    start, end = sentence[0], max(sentence[1], place[1])
    if end - start > MAX_QUOTE_LENGTH:
        start, end = _quote_within(content, (start, end), place)
        start, end = max(start, place[0] - MAX_QUOTE_LENGTH // 2), min(end, place[1] + MAX_QUOTE_LENGTH // 2)
    while start < end and content[start].isspace():
        start += 1
    while end > max(start, place[1]) and (content[end - 1].isspace() or content[end - 1] in ".!。！…"):
        end -= 1
    return start, end


def _told(said: _Said, confidence: float) -> Iterator[ExtractedFact]:
    """The fact as it is stored; a home or job of the past also ends the present one."""
    predicate = PREDICATES[said.finding.predicate]
    fact = _dated(_fact(said, predicate, confidence), said)
    yield fact
    if predicate.name in _HELD:
        held = _fact(said, PREDICATES[_HELD[predicate.name]], confidence)
        yield replace(held, ended=True, valid_from=None, valid_to=_end(said))


def _fact(said: _Said, predicate: Predicate, confidence: float) -> ExtractedFact:
    value, known = _clean(said, predicate), VOCABULARY.get(predicate.name)
    key, statement = _stated(said, predicate, value)
    entity = known.entity if known else ""
    return ExtractedFact(
        message_id=said.turn.message_id,
        kind=predicate.kind,
        key=key,
        value=predicate.value.replace("{value}", value),
        statement=statement,
        predicate=predicate.name,
        object=value,
        quote=said.turn.content[slice(*said.quote)],
        span=said.quote,
        confidence=confidence,
        ended=said.is_over,
        single_valued=known.single_valued if known else slug(value) not in key,
        persons=(value,) if entity == "person" else (),
        location=value if entity == "place" else "",
    )


def _clean(said: _Said, predicate: Predicate) -> str:
    value = _AFTERTHOUGHT.sub("", " ".join(_paired(_whole_name(said, predicate)).split()))
    if predicate.name == "aged" and (digits := _DIGITS.search(value)):
        return digits[0] if int(digits[0]) <= MAX_AGE else ""
    if predicate.name == "has_budget" and (amount := _AMOUNT.search(value)):
        value = amount[0]
    if predicate.label or predicate.name in _NAMES:
        value = _name(value)
    value, known = _COPULA.sub("", value), VOCABULARY.get(predicate.name)
    if not predicate.says:
        value = _without_last_particles(_without_owner(value).removeprefix("for ").removeprefix("的"))
    if known and known.entity in _PLACED:
        value = _PREPOSITION.sub("", value)
        return _TRIP.sub("", value).removeprefix("the ") if _is_trip(said) else value
    is_first = said.finding.place[0] == said.sentence[0] and is_english(said.words)
    if predicate.name in _COMMON_NOUNS and is_first and value[1:].islower():
        value = value.lower()
    if (predicate.label or predicate.name in _NAMES) and value.casefold() in _PRONOUNS:
        return ""
    return value.removesuffix("'s").removesuffix("’s").removeprefix("在")


def _paired(value: str) -> str:
    """The value without quotation marks that lack their other half."""
    for opening, closing in _MARKS:
        if value.count(opening) % 2 if opening == closing else value.count(opening) != value.count(closing):
            value = value.replace(opening, "").replace(closing, "")
    return value


def _without_owner(value: str) -> str:
    """The value without "my" in front, unless that belongs to a name ("My Fair Lady")."""
    mine = _MINE.match(value)
    rest = value[mine.end() :] if mine else value
    return value if rest[:1].isupper() else rest


def _without_last_particles(value: str) -> str:
    """The value without small words at its end ("birthday party for"); empty if it holds nothing else."""
    words = value.split()
    while words and words[-1].islower() and words[-1] in COMMON_WORDS and words[-1] not in _NOUNS:
        words.pop()
    return " ".join(words)


def _whole_name(said: _Said, predicate: Predicate) -> str:
    """The value, and the rest of the name of a place, an organisation or a model ("Pixel 8") that it stops
    in."""
    known = VOCABULARY.get(predicate.name)
    is_placed = known is not None and known.entity in _PLACED
    last = said.value.split()[-1:]
    if not (is_placed or predicate.name in _HAVING) or not last or not last[0][0].isupper():
        return said.value
    pattern = _REST_OF_NAME if is_placed else _MODEL
    rest = pattern.match(said.turn.content[said.finding.place[1] : said.sentence[1]])
    return said.value + rest[0] if rest else said.value


def _name(value: str) -> str:
    """The words of a name up to its last capital, where there is one, without "my sister" in front."""
    words = value.split()
    while len(words) > 1 and (
        _MINE.fullmatch(words[0]) or (_is_kin_word(words[0]) and words[1][:1].isupper())
    ):
        words = words[1:]
    last = max((at for at, word in enumerate(words) if word[:1].isupper()), default=len(words) - 1)
    return " ".join(words[: last + 1])


def _stated(said: _Said, predicate: Predicate, value: str) -> tuple[str, str]:
    """The key and the statement of a fact."""
    kin = _kin(said, predicate.name) if predicate.label else None
    key, statement = kin.key if kin else predicate.key, ""
    if predicate.name == "favourite" and (thing := _favoured(said)):
        key, statement = f"favourite_{slug(thing)}", f"The user's favourite {thing} is {value}."
    elif predicate.name in _HAVING and (called := _called(said)):
        key, statement = slug(called), f"The user's {called} is {value}."
    elif kin and predicate.name in _NAMELESS and (value[:1].islower() or _is_kin_word(value)):
        statement = _in_form(said, PREDICATES["has"], value)
    elif kin and not value[:1].islower():
        statement = f"{value} is the user's {kin.label}."
    elif predicate.says:
        statement = predicate.says.replace("{quote}", said.turn.content[slice(*_shorter(said))])
    else:
        statement = _in_form(said, predicate, value)
    return canonical_key(key.replace("{slug}", slug(value))), statement


def _favoured(said: _Said) -> str:
    match = _FAVOURITE.search(said.words) if is_english(said.words) else None
    return match[1].lower() if match else ""


def _called(said: _Said) -> str:
    """What the user calls a thing they name by its make: "phone", "e-bike battery"; empty if they do not."""
    copula = _COPULA.match(said.value)
    start = said.finding.place[0] + (copula.end() if copula else 0)
    match = _CALLED.search(said.turn.content[said.sentence[0] : start])
    if match is None:
        return ""
    part, whole = (match[1] or match[3], match[2] or match[4])
    return f"{whole} {part}".lower() if part else whole.lower()


def _in_form(said: _Said, predicate: Predicate, value: str) -> str:
    """The statement of a predicate, the value with its article; in English, the user's own words where the
    value does not go into it ("works as teach"), told apart by the value. Words of another language are
    quoted, unless they are a name in Latin letters."""
    if not is_english(said.words):
        is_latin = predicate.name in NAMED and value[:1] < "\u0250"
        is_name = value[:1].isupper() and (is_latin or bool(predicate.label))
        return sentence(predicate.name, value if is_name else f"“{value}”", USER)
    if not fits(predicate.name, value, said.words):
        return f"The user said about “{value}”: “{said.turn.content[slice(*_shorter(said))]}”"
    phrase = value if _is_trip(said) else noun_phrase(predicate.name, value, said.words)
    return sentence(predicate.name, phrase if _ARTICLE.match(phrase) else value, USER)


def _is_trip(said: _Said) -> bool:
    """Whether the value is the name of a place in front of "trip", whose article it then shares."""
    behind = said.turn.content[said.finding.place[1] : said.sentence[1]]
    return bool(_TRIP.search(said.value) or _TRIP.match(behind))


def _shorter(said: _Said) -> Span:
    """The words of the quote that go into a statement."""
    start, end = said.quote
    if end - start <= QUOTED_IN_STATEMENT:
        return said.quote
    return _quote_within(said.turn.content, said.quote, said.finding.place)


def _quote_within(content: str, quote: Span, place: Span) -> Span:
    borders = [quote[0] + match.end() for match in _CLAUSE_END.finditer(content[slice(*quote)])]
    start = max([quote[0], *(border for border in borders if border <= place[0])])
    end = min([quote[1], *(border for border in borders if border >= place[1])])
    return start, max(end, place[1])


def _is_kin_word(word: str) -> bool:
    return any(word.casefold() in table for table in KIN.values())


def _kin(said: _Said, predicate: str) -> Kinship | None:
    """The word for a relative or pet in the sentence that fits the predicate and stands nearest to the
    name."""
    place = said.finding.place[0] - said.sentence[0]
    found = [
        (abs(at - place), kin) for at, kin in _kin_words(said.words.casefold()) if kin.predicate == predicate
    ]
    return min(found, key=lambda one: one[0])[1] if found else None


def _kin_words(words: str) -> Iterator[tuple[int, Kinship]]:
    for match in _WORD.finditer(words):
        for table in KIN.values():
            if match[0] in table:
                yield match.start(), table[match[0]]
    for word, kin in KIN["zh"].items():
        if word in words:
            yield words.index(word), kin


def _dated(fact: ExtractedFact, said: _Said) -> ExtractedFact:
    if fact.ended:
        return replace(fact, valid_to=_end(said))
    if fact.kind in _DATED:
        return _on_its_day(fact, said)
    span = read_ahead(said.words, said.turn.said_at.date()) if _TO_COME.search(said.words) else _past(said)
    return replace(fact, valid_from=_midnight(span, said)) if span and _is_start(span, said) else fact


def _on_its_day(fact: ExtractedFact, said: _Said) -> ExtractedFact:
    """An event or experience with its date, and a stay or job that lasted with both its ends."""
    span = _when(said, fact.kind)
    if span is None:
        return fact
    if fact.predicate in _HELD and (span.end - span.start).days > 366:
        start, end = (
            datetime.combine(day, time(), said.turn.said_at.tzinfo) for day in (span.start, span.end)
        )
        return replace(fact, valid_from=start, valid_to=min(end, said.turn.said_at))
    exact = (span.end - span.start).days == 1
    label = span.start.isoformat() if exact else f"about {span.start:%Y-%m}"
    clock = read_clock(said.words) if exact else None
    return replace(
        fact,
        statement=f"{fact.statement.removesuffix('.')} ({label}).",
        key=f"{fact.key}_{slug(label)}" if fact.kind == "event" else fact.key,
        event_time=datetime.combine(span.start, clock or time(), said.turn.said_at.tzinfo),
    )


def _when(said: _Said, kind: str) -> DateSpan | None:
    """The date in the sentence: of those read as past and as still to come, the one with more words; between
    equals, events are to come."""
    past, ahead = _past(said), read_ahead(said.words, said.turn.said_at.date())
    if past and ahead:
        longer = len(past.words) - len(ahead.words)
        return past if longer > 0 or (longer == 0 and kind != "event") else ahead
    return past or ahead


def _past(said: _Said) -> DateSpan | None:
    """The date in the clause of the value, or else in its sentence."""
    clause = said.turn.content[slice(*_quote_within(said.turn.content, said.quote, said.finding.place))]
    today = said.turn.said_at.date()
    return read_time(clause, today) or read_time(said.words, today)


def _is_start(span: DateSpan, said: _Said) -> bool:
    """Whether a date says since when something holds: after "since", or right behind the value."""
    if _SINCE.fullmatch(span.words):
        return True
    at = said.words.find(span.words)
    behind = at - (said.finding.place[1] - said.sentence[0])
    return 0 <= behind <= _AFTER_VALUE and (
        span.start < said.turn.said_at.date() or bool(_TO_COME.search(said.words))
    )


def _end(said: _Said) -> datetime | None:
    """When something was over, if the sentence says so."""
    span = _past(said)
    if span is None:
        return None
    return min(datetime.combine(span.end, time(), said.turn.said_at.tzinfo), said.turn.said_at)


def _midnight(span: DateSpan, said: _Said) -> datetime:
    """When a date begins; of "the end of March" its last ten days."""
    before = said.words[: said.words.find(span.words)] + span.words
    is_late = span.start.day == 1 and bool(_LATE_IN_MONTH.search(before))
    day = span.start.replace(day=21) if is_late else span.start
    return datetime.combine(day, time(), said.turn.said_at.tzinfo)
