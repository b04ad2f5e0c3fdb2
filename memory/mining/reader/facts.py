"""Facts from what users wrote: the entry point of the reader."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from llm.multilingual.tokens import Span
from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.facts.vocabulary import slug
from memory.mining.reader import decoding, plain, speech
from memory.mining.reader.dating import HELD, dated, end_of
from memory.mining.reader.decoding import Finding
from memory.mining.reader.mentions import NAME_PREDICATES, Mention, is_kin_word, kin_of, mention_of
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import PREDICATES, Predicate
from memory.mining.reader.sentences import sentences
from memory.mining.reader.statements import stated
from memory.mining.reader.values import clean
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.languages import is_english
from memory.text.patterns import compile_pattern

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
MAX_NAME_WORDS = 4
SHORT = 160
_PREPOSITION_BEFORE = compile_pattern(r"([\pL-]+) (?:in|at|from|aus|en|de|à|в|из|на) $", ignore_case=True)
_FIRST_PERSON = compile_pattern(
    r"(?:^|[^\pL])(?:i|i['’]?(?:m|ve|ll|d)|me|my|mine|myself|we|we['’](?:re|ve|ll|d)|us|our|ours)(?:[^\pL]|$)",
    ignore_case=True,
)
# "Your", in front of what belongs to the reader of a message and not to its writer.
_YOURS = compile_pattern(
    r"(?:^|[^\pL])(?:your|dein\pL*|tus|votre|vos|тво\pL+|ваш\pL*)(?: [\pL-]+)? $|[你您]的\p{Han}{0,2}$",
    ignore_case=True,
)
_IS_MINE = compile_pattern(
    r" (?:is|ist|es|est|[—–-]) (?:my|our|mein\pL*|mi|mon|ma|мо[йяё]) |是我的", ignore_case=True
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
_HOMES = ("lives_in", "lived_in", "born_in", "comes_from")
_ABOUT_REPLIES = ("instruction", "preference")


class Tagger(Protocol):
    """What predicts tags of texts: the network of the reader, or a scripted one in tests."""

    calibration: NDArray[np.float64]

    def predict(self, texts: Sequence[str]) -> list[list[Prediction]]:
        """The predictions for each text, window by window."""
        ...


def read(turns: Sequence[Turn], tagger: Tagger) -> list[ExtractedFact]:
    """The facts that the users' turns tell about them, each with its exact source words, in order.

    Only the first 20,000 characters of a turn are read. A fact that is not certain enough, or that stands in
    a message which sets up a role play, is `unsure`: it waits for review.
    """
    by_user = [turn for turn in turns if turn.role == "user"]
    predictions = tagger.predict([turn.content[:READ] for turn in by_user])
    return [
        fact
        for turn, found in zip(by_user, predictions, strict=True)
        for fact in _facts_of(turn, found, tagger.calibration)
    ]


def _facts_of(
    turn: Turn, predictions: Sequence[Prediction], weights: NDArray[np.float64]
) -> list[ExtractedFact]:
    content = turn.content[:READ]
    ranges, foreign = sentences(content), speech.foreign(content)
    played, pasted = speech.is_play(content), speech.doubtful(content)
    kept: dict[tuple[str, str], ExtractedFact] = {}
    for finding, confidence in _certain(content, predictions, weights):
        if confidence < WORTH_ASKING or speech.is_inside(finding.place, foreign):
            continue
        mention = mention_of(turn, finding, ranges)
        sure = _sure(mention)
        if _is_nothing(mention) or (confidence < sure and _is_idle(mention)):
            continue
        for fact in _told(mention, round(confidence, 3)):
            unsure = played or confidence < sure or speech.is_inside(finding.place, pasted)
            named = fact.predicate, slug(fact.object)
            if named not in kept or kept[named].confidence < confidence:
                kept[named] = replace(fact, unsure=unsure)
    unnamed = [fact for fact in kept.values() if not _is_named(fact, kept.values())]
    return sorted(unnamed, key=lambda fact: fact.span)[:FACTS_A_TURN]


def _is_nothing(mention: Mention) -> bool:
    """Whether nothing of a value is left, or it is not the user's: "your dogs", "my sister in Leeds". What
    no word around it gives away is nothing either: a name or relationship where nobody speaks of themselves,
    a sum of money that nothing limits."""
    predicate = PREDICATES[mention.finding.predicate]
    before = mention.turn.content[mention.sentence[0] : mention.finding.place[0]]
    if not clean(mention, predicate):
        return True
    if predicate.name in _HOMES:
        place = _PREPOSITION_BEFORE.search(before)
        return place is not None and is_kin_word(place[1])
    if predicate.name in NAME_PREDICATES and _IS_MINE.match(
        mention.turn.content[mention.finding.place[1] : mention.sentence[1]]
    ):
        return True
    if predicate.label or predicate.name in NAME_PREDICATES:
        is_named = bool(predicate.label and kin_of(mention, predicate.name)) or _INTRODUCED.search(
            mention.words
        )
        return not is_named or len(mention.value.split()) > MAX_NAME_WORDS or bool(_YOURS.search(before))
    if predicate.name == "has_budget":
        return not _LIMITED.search(mention.words)
    return predicate.kind not in _ABOUT_REPLIES and bool(_YOURS.search(before))


def _is_idle(mention: Mention) -> bool:
    """Whether it is not worth asking about a fact that is not certain: that the user asked to remember it
    (`keyless.py` recognises plain requests), that they know somebody, or what an English sentence says that
    is about something else: nobody speaks of themselves in it, or it begins with "The" and the value."""
    predicate = PREDICATES[mention.finding.predicate]
    if predicate.name == "acquainted_with" and not kin_of(mention, predicate.name):
        return True
    is_subject = mention.words.startswith("The ") and mention.finding.place[0] == mention.sentence[0]
    is_elsewhere = is_english(mention.words) and (is_subject or not _FIRST_PERSON.search(mention.words))
    return predicate.name == "asked_to_remember" or is_elsewhere


def _sure(mention: Mention) -> float:
    """The confidence from which a fact is certain. A relationship that no kinship word names needs more."""
    predicate = PREDICATES[mention.finding.predicate]
    return SURE_OF_KIN if predicate.label and not kin_of(mention, predicate.name) else predicate.sure


def _certain(
    content: str, predictions: Sequence[Prediction], weights: NDArray[np.float64]
) -> Iterator[tuple[Finding, float]]:
    """Findings with their confidence. Plain statements go before what the network sees in the same words,
    but in a long message they wait where it thinks that their sentence tells nothing of the user."""
    plainly, found = (
        list(plain.statements(content)),
        _joined(content, decoding.findings(content, predictions)),
    )
    for finding in found:
        if not any(_overlap(finding.place, one.place) for one in plainly):
            yield finding, decoding.confidence(finding, weights)
    for one in plainly:
        over = any(finding.is_over and _overlap(finding.place, one.place) for finding in found)
        likely = decoding.any_fact(predictions, one.place)
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


def _told(mention: Mention, confidence: float) -> Iterator[ExtractedFact]:
    """The fact as it is stored; a home or job of the past also ends the present one."""
    predicate = PREDICATES[mention.finding.predicate]
    fact = dated(_fact(mention, predicate, confidence), mention)
    yield fact
    if predicate.name in HELD:
        held = _fact(mention, PREDICATES[HELD[predicate.name]], confidence)
        yield replace(held, ended=True, valid_from=None, valid_to=end_of(mention))


def _fact(mention: Mention, predicate: Predicate, confidence: float) -> ExtractedFact:
    value, known = clean(mention, predicate), VOCABULARY.get(predicate.name)
    key, statement = stated(mention, predicate, value)
    entity = known.entity if known else ""
    return ExtractedFact(
        message_id=mention.turn.message_id,
        kind=predicate.kind,
        key=key,
        value=predicate.value.replace("{value}", value),
        statement=statement,
        predicate=predicate.name,
        object=value,
        quote=mention.turn.content[slice(*mention.quote)],
        span=mention.quote,
        confidence=confidence,
        ended=mention.is_over,
        single_valued=known.single_valued if known else slug(value) not in key,
        persons=(value,) if entity == "person" else (),
        location=value if entity == "place" else "",
    )
