"""Find facts in what users wrote: the entry point of the reader."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.facts.vocabulary import slug
from memory.mining.reader import decoding, speech, worth
from memory.mining.reader.calibration import Calibration
from memory.mining.reader.dating import PRESENT_PREDICATES, WITH, add_dates, begins_later, end_time
from memory.mining.reader.decoding import Finding
from memory.mining.reader.evidence import RELATIVES, is_about_wedding, is_introduced, lacks_evidence
from memory.mining.reader.mentions import (
    INTRODUCTION_LENGTH,
    MINE,
    NAME_PREDICATES,
    Mention,
    adjacent_kin,
    clause_around,
    is_kin_word,
    kin_of,
    mention_of,
)
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import PARTNERS, PREDICATES, Predicate
from memory.mining.reader.sentences import overlaps_any, sentences
from memory.mining.reader.values import SAID, clean_value, key_and_statement
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.forms import base_form
from memory.text.languages import is_english
from memory.text.patterns import compile_pattern
from memory.text.tables import patterns, table_of

MAX_INPUT_LENGTH = 20_000
MAX_FACTS_PER_TURN = 12
REVIEW_AGREEMENT, CERTAIN_AGREEMENT = 0.6, 0.75
"""How likely a finding must be to agree with the labels for its fact to be reviewed, and to be filed."""
MIN_CONFIDENCE = 0.4
PLAIN_AGREEMENT, MIN_PLAIN_CONFIDENCE = 0.9, 0.25
"""How likely a fact must be to be valid; less so if its finding very likely agrees with the labels. Screening
decides which facts are likely enough to be filed."""
MAX_NAME_WORDS = 4
MAX_WORD = 40
_PREPOSITIONS = frozenset(("in", "at", "from", "aus", "en", "de", "à", "в", "из", "на"))
_PATTERNS = patterns(table_of(__file__))
_SECOND_PERSON = compile_pattern(_PATTERNS["second_person"], ignore_case=True)
_ASSISTANT = compile_pattern(_PATTERNS["assistant"], ignore_case=True)
_IS_MINE = compile_pattern(_PATTERNS["is_mine"], ignore_case=True)
_INSTEAD_OF = compile_pattern(_PATTERNS["instead_of"], ignore_case=True)
_INTRODUCED = compile_pattern(_PATTERNS["introduced"], ignore_case=True)
_COUNTED = compile_pattern(
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:.* )?([\pL-]+)$"
)
# "Elin is" before "getting married": whose event it is.
_OTHERS_DO = compile_pattern(r"(\pL+) (?:is|are|was|were) $")
# Nobody plays a "cellist", and in "a cello seat" nobody plays the cello.
_PLAYER = compile_pattern(r"(?:^|[^\pL])(?:\pL{3,}ist|player|drummer|musician)$")
_POSITION = compile_pattern(r" (?:seat|chair|position|job|audition)s?(?:[^\pL]|$)")
_DATE = compile_pattern(r"\d{4}|\d\d?[./]\d")
_PREFERENCES = ("likes", "dislikes", "prefers", "favourite")
_NOUN_BEFORE = compile_pattern(r"([\pL-]+) $")
_MOVED = compile_pattern(_PATTERNS["moved"], ignore_case=True)
_BESIDE = compile_pattern(_PATTERNS["beside"], ignore_case=True)
_SEPARATORS = {"works_as": (" ",), "works_at": (" in ", " en ", " à ", " в "), "born_on": (" ", ". ")}
_HOME_PREDICATES = ("lives_in", "lived_in", "born_in", "comes_from")
_COMPANIONS = {"friend_of", "partner_of", "engaged_to", "married_to"}
"""Relationships that one word may mean ("Freund")."""
_REPLY_KINDS = ("instruction", "preference")


class Tagger(Protocol):
    """Predicts tags of texts: the network of the reader, or a scripted one in tests."""

    calibration: Calibration

    def predict(self, texts: Sequence[str]) -> list[list[Prediction]]:
        """The predictions for each text, window by window."""
        ...


def read(turns: Sequence[Turn], tagger: Tagger) -> list[ExtractedFact]:
    """The facts that the user's turns state about them, each with its exact source words, in order.

    Only the first 20,000 characters of a turn are read. A fact is `unsure`, and waits for review, if the
    network is not, or if it is a question, may be pasted, or is in a message that begins a role play.
    """
    user_turns = [turn for turn in turns if turn.role == "user"]
    predictions = tagger.predict([turn.content[:MAX_INPUT_LENGTH] for turn in user_turns])
    return [
        fact
        for turn, found in zip(user_turns, predictions, strict=True)
        for fact in _facts_of(turn, found, tagger.calibration)
    ]


def candidates(
    turn: Turn, predictions: Sequence[Prediction], calibration: Calibration
) -> Iterator[tuple[Mention, ExtractedFact, float]]:
    """The mention of each fact that a turn may state, the fact, and how likely its finding is to agree with
    the labels."""
    content = turn.content[:MAX_INPUT_LENGTH]
    ranges, pasted_spans = sentences(content), speech.pasted_spans(content)
    findings = _merge_adjacent(content, decoding.findings(content, predictions))
    agreements = calibration.agreements([each.features for each in findings])
    likely = [pair for pair in zip(findings, agreements, strict=True) if pair[1] >= REVIEW_AGREEMENT]
    people = {content[slice(*each.place)] for each, _ in likely if PREDICATES[each.predicate].label}
    for finding, agreement in likely:
        if overlaps_any(finding.place, pasted_spans):
            continue
        mention = _reinterpreted(mention_of(turn, finding, ranges, pasted_spans))
        if not (_is_spurious(mention) or lacks_evidence(mention, people - {mention.value})):
            for fact in _stored_facts(mention, agreement):
                yield mention, fact, agreement


def _facts_of(turn: Turn, predictions: Sequence[Prediction], calibration: Calibration) -> list[ExtractedFact]:
    content = turn.content[:MAX_INPUT_LENGTH]
    is_played, maybe_pasted = speech.is_role_play(content), speech.maybe_pasted_spans(content)
    kept: dict[tuple[str, str], ExtractedFact] = {}
    for mention, fact, agreement in candidates(turn, predictions, calibration):
        least = MIN_CONFIDENCE if agreement < PLAIN_AGREEMENT else MIN_PLAIN_CONFIDENCE
        if fact.confidence < least:
            continue
        unsure = (
            is_played
            or agreement < CERTAIN_AGREEMENT
            or _is_question(fact, mention)
            or overlaps_any(mention.finding.place, maybe_pasted)
        )
        identity = _identity(fact)
        if identity not in kept or kept[identity].confidence < fact.confidence:
            kept[identity] = replace(fact, unsure=unsure)
    order = {identity: number for number, identity in enumerate(kept)}
    distinct = _side_by_side(_distinct(kept.values()))
    return sorted(distinct, key=lambda fact: (fact.span, order[_identity(fact)]))[:MAX_FACTS_PER_TURN]


def _identity(fact: ExtractedFact) -> tuple[str, str]:
    return fact.predicate, slug(fact.object)


def _reinterpreted(mention: Mention) -> Mention:
    """The mention with the predicate that its sentence supports. A place the user has moved to ("we moved to
    Porto") is their home, a person is what a kinship word calls them, a colleague whom no word calls one is
    an acquaintance, and a job that begins later is planned."""
    predicate = mention.finding.predicate
    moved = _MOVED.search(mention.before)
    if moved and (predicate == "moves_to" or (predicate == "works_at" and moved["we"])):
        predicate = "lives_in"
    elif _is_person(PREDICATES[predicate]) and (found := adjacent_kin(mention)) and not found[1]:
        called = found[0].predicate
        is_named = kin_of(mention, predicate) or {predicate, called} <= _COMPANIONS
        predicate = predicate if is_named else called
    elif predicate == "colleague_of" and not kin_of(mention, predicate):
        predicate = "acquainted_with"
    elif PREDICATES[predicate].kind == "identity" and begins_later(mention):
        predicate = "moves_to" if predicate == "lives_in" else "has_event"
    return replace(mention, finding=replace(mention.finding, predicate=predicate))


def _is_question(fact: ExtractedFact, mention: Mention) -> bool:
    """Whether a statement quotes a question, which says little about the user unless it tells the assistant
    how to reply."""
    if fact.kind in _REPLY_KINDS or not fact.statement.startswith(SAID):
        return False
    clause = slice(*clause_around(mention.turn.content, mention.quote, mention.finding.place))
    is_in_question = mention.words.rstrip().endswith(("?", "？"))
    is_asked = is_in_question and _ASSISTANT.search(mention.turn.content[clause])
    return bool(is_asked) or "?”" in fact.statement or "？”" in fact.statement


def _is_spurious(mention: Mention) -> bool:
    """Whether the value is empty, no name although the fact is about a person, or not about the user ("your
    dogs", "my sister in Leeds")."""
    predicate = PREDICATES[mention.finding.predicate]
    before, after = mention.before, mention.turn.content[mention.finding.place[1] : mention.sentence[1]]
    if not clean_value(mention, predicate):
        return True
    if predicate.name in _HOME_PREDICATES:
        return _is_home_of_relative(before.casefold().split())
    if predicate.name in NAME_PREDICATES and _is_other_name(before, after):
        return True
    if predicate.name == "has_event" and mention.value.split()[0].endswith("ing"):
        subject = _OTHERS_DO.search(before)
        return subject is not None and subject[1].casefold() not in ("i", "we")
    if _is_not_meant(mention):
        return True
    if _is_person(predicate) and _is_no_name(mention):
        return True
    return predicate.kind not in _REPLY_KINDS and bool(_SECOND_PERSON.search(before))


def _is_not_meant(mention: Mention) -> bool:
    """Whether a value is not what its predicate is about: what something else replaces ("my favourite tea is
    sencha now, not jasmine"), a player or a position, or animals in general ("the dogs")."""
    name, value = mention.finding.predicate, mention.value
    if name == "dislikes":
        return bool(_INSTEAD_OF.search(mention.before))
    if name == "plays":
        after = mention.turn.content[mention.finding.place[1] :]
        return bool(_PLAYER.search(value) or _POSITION.search(value) or _POSITION.match(after))
    return name == "has_pet" and mention.before.endswith("the ") and value.endswith("s") and value.islower()


def _is_other_name(before: str, after: str) -> bool:
    """Whether a name is somebody else's ("Anna is my boss") or no longer used ("May instead of Maya")."""
    return bool(_IS_MINE.match(after) or _INSTEAD_OF.search(before))


def _is_no_name(mention: Mention) -> bool:
    """Whether the value for a person is a date or too long for a name, counts several ("six pupils"), is
    introduced by no word nearby or is somebody else's relative."""
    content, (start, end) = mention.turn.content, mention.finding.place
    counted = _COUNTED.match(mention.value)
    if counted and not (is_kin_word(counted[1]) or is_kin_word(base_form(counted[1]))):
        return True
    if _DATE.search(mention.value) or _is_kin_of_relative(mention):
        return True
    near = content[max(0, start - INTRODUCTION_LENGTH) : end + INTRODUCTION_LENGTH]
    is_introduced = bool(kin_of(mention, mention.finding.predicate) or _INTRODUCED.search(near))
    return len(mention.value.split()) > MAX_NAME_WORDS or not is_introduced


def _is_kin_of_relative(mention: Mention) -> bool:
    """Whether the name belongs to somebody else's relative or a relative's pet ("her son Tom", "my mother's
    dog Rex")."""
    found, predicate = adjacent_kin(mention), mention.finding.predicate
    if found is None or not found[1]:
        return False
    return predicate == "has_pet" or found[0].predicate in (predicate, "married_to")


def _is_person(predicate: Predicate) -> bool:
    return bool(predicate.label) or predicate.name in NAME_PREDICATES


def _is_home_of_relative(before: Sequence[str]) -> bool:
    """Whether the words before a place say where a relative lives ("my sister in"), and not whom the user
    lives with ("I live with my sister in")."""
    if len(before) < 2 or before[-1] not in _PREPOSITIONS or not is_kin_word(before[-2]):
        return False
    if before[-2] not in RELATIVES and not any(map(MINE.fullmatch, before[-4:-2])):
        return False  # "I'm a trainer in"
    return WITH.isdisjoint(before[-5:-2])


def _merge_adjacent(content: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with adjacent words of a job ("senior", "physiotherapist") or date merged, and a
    workplace with its town ("a school" in "Leeds"), in which the user need not live."""
    merged: list[Finding] = []
    for finding in (_with_noun(content, each) for each in findings):
        last = merged[-1] if merged else None
        if last and _are_adjacent(content, last, finding):
            likelier = max(last, finding, key=lambda one: one.features[0])
            place = last.place[0], finding.place[1]
            merged[-1] = replace(likelier, place=place, predicate=last.predicate)
        else:
            merged.append(finding)
    return merged


def _with_noun(content: str, finding: Finding) -> Finding:
    """Prepend the noun before a preference that begins with "with" ("hotels" before "with a pool")."""
    start, end = finding.place
    if finding.predicate not in _PREFERENCES or content[start:end].partition(" ")[0] not in WITH:
        return finding
    noun = _NOUN_BEFORE.search(content[max(0, start - MAX_WORD) : start])
    return replace(finding, place=(start - len(noun[0]), end)) if noun else finding


def _are_adjacent(content: str, one: Finding, other: Finding) -> bool:
    present, following = (PRESENT_PREDICATES.get(each.predicate, each.predicate) for each in (one, other))
    is_town = (present, following) == ("works_at", "lives_in")
    between = content[one.place[1] : other.place[0]]
    last = content[slice(*one.place)].rpartition(" ")[2]
    is_name = one.predicate == "favourite" or _is_person(PREDICATES[one.predicate])
    is_initial = between == ". " and len(last) == 1 and last.isupper() and is_name  # "Ursula K. Le Guin"
    is_joined = is_initial or between in _SEPARATORS.get(present, ())
    return is_joined and (is_town or one.predicate == other.predicate)


def _side_by_side(facts: Iterable[ExtractedFact]) -> Iterator[ExtractedFact]:
    """The facts, so that none ends a more certain one of its sentence ("I'm a nurse and a poet"). A second
    place is left out, because it is most likely around the first ("I live in Graça, on a hill in Lisbon")."""
    answered: set[tuple[str, tuple[int, int], datetime | None]] = set()
    for fact in sorted(facts, key=lambda fact: -round(fact.confidence, 1)):
        question = fact.key, fact.span, fact.valid_from
        if not fact.single_valued or fact.ended:
            yield fact
        elif question not in answered:
            answered.add(question)
            yield fact
        elif not fact.location:
            yield replace(fact, single_valued=False)


def _distinct(facts: Collection[ExtractedFact]) -> Iterator[ExtractedFact]:
    """Drop relatives whom another fact names, and facts that quote the same words as a more certain one.
    Events may quote the same words, because their titles differ, and so may what ends a fact."""
    quoted: set[str] = set()
    for fact in sorted(facts, key=lambda fact: (fact.unsure, -round(fact.confidence, 1))):
        is_quote = fact.statement.startswith(SAID) and fact.kind != "event" and not fact.ended
        if (is_quote and fact.statement in quoted) or _is_redundant_relative(fact, facts):
            continue
        if is_quote:
            quoted.add(fact.statement)
        yield fact


def _is_redundant_relative(fact: ExtractedFact, others: Iterable[ExtractedFact]) -> bool:
    """Whether a fact is about a relative whom another fact from the same words names ("my daughter Wren")."""
    return fact.predicate == "has_family" and any(
        other.persons and other.span == fact.span and fact.object.casefold() in other.statement.casefold()
        for other in others
    )


def _stored_facts(mention: Mention, agreement: float) -> Iterator[ExtractedFact]:
    """The facts to store with their confidence, which for the end of a fact is that in the finding. A former
    home or job also ends the present one, and a separation ends every kind of partnership, unless an
    engagement ended in marriage."""
    predicate = PREDICATES[mention.finding.predicate]
    fact = add_dates(_fact(mention, predicate, round(agreement, 3)), mention)
    if not fact.ended:
        fact = replace(fact, confidence=round(worth.confidence(fact, mention, agreement), 3))
    yield fact
    over = [PRESENT_PREDICATES[predicate.name]] if predicate.name in PRESENT_PREDICATES else []
    if fact.ended and predicate.name in PARTNERS and not is_about_wedding(mention):
        over = [name for name in PARTNERS if name != predicate.name]
    for name in over:
        present = _fact(mention, PREDICATES[name], round(agreement, 3))
        yield replace(present, ended=True, valid_from=None, valid_to=end_time(mention))


def _fact(mention: Mention, predicate: Predicate, confidence: float) -> ExtractedFact:
    value, known = clean_value(mention, predicate), VOCABULARY.get(predicate.name)
    key, statement = key_and_statement(mention, predicate, value)
    entity = known.entity if known else ""
    span = (mention.context, mention.quote[1]) if statement.startswith(SAID) else mention.quote
    return ExtractedFact(
        message_id=mention.turn.message_id,
        kind=predicate.kind,
        key=key,
        value=predicate.value.replace("{value}", value),
        statement=statement,
        predicate=predicate.name,
        object=value,
        quote=mention.turn.content[slice(*span)],
        span=span,
        confidence=confidence,
        ended=mention.is_over,
        single_valued=_is_single_valued(mention, predicate, key, statement),
        persons=(value,) if entity == "person" else (),
        location=value if entity == "place" else "",
    )


def _is_single_valued(mention: Mention, predicate: Predicate, key: str, statement: str) -> bool:
    """Whether the fact ends another one of its key. It does not if it stands beside that one ("I also work
    as …"), if no words introduce a name as the user's, or if its value does not answer the key: a quoted
    activity ("I teach at a school") is no occupation, and "my wife" no name."""
    known, value = VOCABULARY.get(predicate.name), clean_value(mention, predicate)
    if not (known.single_valued if known else slug(value) not in key):
        return False
    is_answer = not statement.startswith(SAID) and not (predicate.label and is_kin_word(value))
    if predicate.name == "lives_in" and value[:1].islower() and is_english(mention.words):
        return False  # "a flat with a garden"
    if predicate.name == "named" and not is_introduced(mention):
        return False
    clause = clause_around(mention.turn.content, mention.quote, mention.finding.place)
    return is_answer and not _BESIDE.search(mention.turn.content[slice(*clause)])
