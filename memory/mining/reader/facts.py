"""Find facts in what users wrote: the entry point of the reader."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.facts.vocabulary import predicate_of, slug
from memory.mining.reader import decoding, speech, worth
from memory.mining.reader.corrections import corrected
from memory.mining.reader.dating import PRESENT_PREDICATES, add_dates, begins_later, end_time
from memory.mining.reader.decoding import Finding
from memory.mining.reader.mentions import (
    NAME_PREDICATES,
    Mention,
    adjacent_kin,
    clause_around,
    is_kin_word,
    kin_of,
    mention_of,
)
from memory.mining.reader.network import Calibration, Prediction
from memory.mining.reader.predicates import COMPANIONS, PARTNERS, PREDICATES, Predicate
from memory.mining.reader.values import SAID, clean_value, key_and_statement
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.languages import is_english
from memory.text.patterns import compile_pattern, compile_table, table_of
from memory.text.sentences import overlaps_any, sentences

MAX_INPUT_LENGTH = 20_000
MAX_FACTS_PER_TURN = 12
REVIEW_AGREEMENT, CERTAIN_AGREEMENT = 0.6, 0.75
"""How likely a finding must be to agree with the labels for its fact to be reviewed, and to be filed."""
MIN_CONFIDENCE = 0.4
PLAIN_AGREEMENT, MIN_PLAIN_CONFIDENCE = 0.9, 0.25
"""How likely a fact must be to be valid; less so if its finding very likely agrees with the labels. Screening
decides which facts are likely enough to be filed."""
MAX_NAME_WORDS, MIN_AGE = 4, 8
_PATTERNS = compile_table(table_of(__file__))
_YEAR = compile_pattern(r"(?:19|20)\d\d")
_SEPARATORS = {"works_as": (" ",), "works_at": (" in ", " en ", " à ", " в "), "born_on": (" ", ". ")}
_JOBS = ("works_at", "works_as")
_CLOSE = {name for name, each in PREDICATES.items() if each.label} - {"acquainted_with", "manages"}
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
    network is not, or if it is a question, may be pasted, or may be part of a role play.
    """
    user_turns = [turn for turn in turns if turn.role == "user"]
    predictions = tagger.predict([turn.content[:MAX_INPUT_LENGTH] for turn in user_turns])
    facts: list[list[ExtractedFact]] = []
    is_played = False
    for turn, predicted in zip(user_turns, predictions, strict=True):
        found = _facts_of(turn, predicted, tagger.calibration)
        facts.append([replace(fact, unsure=True) for fact in found] if is_played else found)
        is_played = is_played or speech.begins_own_role(turn.content[:MAX_INPUT_LENGTH])
    return corrected(user_turns, facts)


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
    for finding, agreement in likely:
        if overlaps_any(finding.place, pasted_spans):
            continue
        mention = _reinterpreted(mention_of(turn, finding, ranges, pasted_spans))
        if _is_about_user(mention):
            for fact in _stored_facts(mention, agreement):
                yield mention, fact, agreement


def _facts_of(turn: Turn, predictions: Sequence[Prediction], calibration: Calibration) -> list[ExtractedFact]:
    content = turn.content[:MAX_INPUT_LENGTH]
    maybe_unreal = speech.merge_spans([*speech.role_play_spans(content), *speech.maybe_pasted_spans(content)])
    kept: dict[tuple[str, str], ExtractedFact] = {}
    for mention, fact, agreement in candidates(turn, predictions, calibration):
        least = MIN_CONFIDENCE if agreement < PLAIN_AGREEMENT else MIN_PLAIN_CONFIDENCE
        if fact.confidence < least:
            continue
        unsure = (
            agreement < CERTAIN_AGREEMENT
            or _is_close_without_a_word(fact, mention)
            or _is_question(fact, mention)
            or _is_doubtful_separation(fact, mention)
            or overlaps_any(mention.finding.place, maybe_unreal)
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
    moved = _PATTERNS["moved"].search(mention.before)
    if moved and (predicate == "moves_to" or (predicate == "works_at" and moved["we"])):
        predicate = "lives_in"
    elif _is_person(PREDICATES[predicate]) and (found := adjacent_kin(mention)) and not found[1]:
        called = found[0].predicate
        predicate = predicate if {predicate, called} <= COMPANIONS else called
    elif predicate == "colleague_of" and not kin_of(mention, predicate):
        predicate = "acquainted_with"
    elif PREDICATES[predicate].kind == "identity" and begins_later(mention):
        predicate = "moves_to" if predicate == "lives_in" else "has_event"
    return replace(mention, finding=replace(mention.finding, predicate=predicate))


def _is_close_without_a_word(fact: ExtractedFact, mention: Mention) -> bool:
    """Whether somebody with a name is said to be close to the user, or something to be their pet, and no
    word of the sentence says so ("my six pupils"). Those around somebody are often named in passing, and the
    network only guesses who they are."""
    predicate = fact.predicate
    is_age = predicate != "has_pet" and mention.value[:1].isdigit()  # "my 6 year old"
    if fact.ended or predicate not in _CLOSE or is_age:
        return False
    if predicate in PARTNERS and any(_PATTERNS[name].search(mention.words) for name in ("paired", "parted")):
        return False
    meant = COMPANIONS if predicate in COMPANIONS else {predicate}
    return not any(kin_of(mention, each) for each in meant)


def _is_doubtful_separation(fact: ExtractedFact, mention: Mention) -> bool:
    """Whether a partnership seems to have ended, but no word says so ("I argued with Tom")."""
    return fact.ended and fact.predicate in PARTNERS and not _PATTERNS["parted"].search(mention.words)


def _is_question(fact: ExtractedFact, mention: Mention) -> bool:
    """Whether a statement quotes a question, which says little about the user unless it tells the assistant
    how to reply."""
    if fact.kind in _REPLY_KINDS or not fact.statement.startswith(SAID):
        return False
    clause = slice(*clause_around(mention.turn.content, mention.quote, mention.finding.place))
    is_in_question = mention.words.rstrip().endswith(("?", "？"))
    is_asked = is_in_question and _PATTERNS["assistant"].search(mention.turn.content[clause])
    return bool(is_asked) or "?”" in fact.statement or "？”" in fact.statement


def _is_about_user(mention: Mention) -> bool:
    """Whether something is left of the value that may be the user's, and not "your dogs"."""
    predicate, before = PREDICATES[mention.finding.predicate], mention.before
    if speech.SUPPOSED.search(before) or (predicate.name in _JOBS and _is_application(before)):
        return False  # "suppose I had a son named Tom", "I'm applying to Siemens"
    if not clean_value(mention, predicate) or (
        _is_person(predicate) and not _may_name_somebody_close(mention)
    ):
        return False
    if predicate.name in (*NAME_PREDICATES, "dislikes") and _PATTERNS["instead_of"].search(before):
        return False  # "Call me May instead of Maya"
    if predicate.name == "born_on" and not _may_be_birthday(mention):
        return False
    return predicate.kind in _REPLY_KINDS or not _PATTERNS["second_person"].search(before)


def _is_application(before: str) -> bool:
    """Whether words before a job say that the user applies for it, and go on to nothing else ("after the
    interview I got the job at")."""
    *_, applying = None, *_PATTERNS["applying"].finditer(before)
    return bool(applying and not _PATTERNS["goes_on"].search(before[applying.end() - 1 :]))


def _may_name_somebody_close(mention: Mention) -> bool:
    """Whether a value may name the user or somebody close to them: it is short, nobody is addressed by it
    ("Thanks, Claude"), and it belongs to nobody else's relative ("her son Tom", "my mother's dog Rex")."""
    if len(mention.value.split()) > MAX_NAME_WORDS or _PATTERNS["addressed"].fullmatch(mention.before):
        return False
    kin, is_others = adjacent_kin(mention) or (None, False)
    if kin is None or not is_others:
        return True
    predicate = mention.finding.predicate
    return predicate != "has_pet" and kin.predicate not in (predicate, "married_to")


def _may_be_birthday(mention: Mention) -> bool:
    """Whether somebody born on that day is old enough to write."""
    year = _YEAR.search(mention.value)
    return year is None or int(year[0]) <= mention.turn.said_at.year - MIN_AGE


def _is_person(predicate: Predicate) -> bool:
    return bool(predicate.label) or predicate.name in NAME_PREDICATES


def _merge_adjacent(content: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with adjacent words of a job ("senior", "physiotherapist") or date merged, and a
    workplace with its town ("a school" in "Leeds"), in which the user need not live."""
    merged: list[Finding] = []
    for finding in findings:
        last = merged[-1] if merged else None
        if last and _are_adjacent(content, last, finding):
            likelier = max(last, finding, key=lambda one: one.features[0])
            place = last.place[0], finding.place[1]
            merged[-1] = replace(likelier, place=place, predicate=last.predicate)
        else:
            merged.append(finding)
    return merged


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
    home or job also ends the present one, and a separation ends every kind of partnership; an engagement may
    have ended in marriage."""
    predicate = PREDICATES[mention.finding.predicate]
    fact = add_dates(_fact(mention, predicate, round(agreement, 3)), mention)
    if not fact.ended:
        fact = replace(fact, confidence=round(worth.confidence(fact, mention, agreement), 3))
    yield fact
    over = [PRESENT_PREDICATES[predicate.name]] if predicate.name in PRESENT_PREDICATES else []
    if fact.ended and predicate.name in PARTNERS and predicate.name != "engaged_to":
        over = [name for name in PARTNERS if name != predicate.name]
    for name in over:
        present = _fact(mention, PREDICATES[name], round(agreement, 3))
        yield replace(present, ended=True, valid_from=None, valid_to=end_time(mention))


def _fact(mention: Mention, predicate: Predicate, confidence: float) -> ExtractedFact:
    value, entity = clean_value(mention, predicate), predicate_of(predicate.name).entity
    key, statement = key_and_statement(mention, predicate, value)
    span = (mention.context, mention.quote[1]) if statement.startswith(SAID) else mention.quote
    fact = ExtractedFact(
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
        persons=(value,) if entity == "person" else (),
        location=value if entity == "place" else "",
    )
    return replace(fact, single_valued=_is_single_valued(fact, mention, predicate))


def _is_single_valued(fact: ExtractedFact, mention: Mention, predicate: Predicate) -> bool:
    """Whether the fact ends another one of its key. It does not if it stands beside that one ("I also work
    as …"), if it is a name that is not very likely or that no words introduce, or if its value does not
    answer the key: a quoted activity ("I teach at a school") is no occupation, and "my wife" no name."""
    known = VOCABULARY.get(predicate.name)
    if not (known.single_valued if known else slug(fact.object) not in fact.key):
        return False
    if predicate.name == "lives_in" and fact.object[:1].islower() and is_english(mention.words):
        return False  # "a flat with a garden"
    if predicate.name == "named" and not (
        fact.confidence >= PLAIN_AGREEMENT and _PATTERNS["introduced"].search(mention.before)
    ):
        return False
    is_answer = not fact.statement.startswith(SAID) and not (predicate.label and is_kin_word(fact.object))
    clause = clause_around(mention.turn.content, mention.quote, mention.finding.place)
    return is_answer and not _PATTERNS["beside"].search(mention.turn.content[slice(*clause)])
