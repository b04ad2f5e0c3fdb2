"""A fact as its owner reads it: "You live in Leeds." Where that may come out wrong, it quotes whoever said
it; what owners write themselves is unchanged. The words of the rules are in `owner_sentences.toml`."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Protocol

from django.utils.formats import date_format

from memory.text.forms import FORMS, USER, base_form, sentence
from memory.text.kinship import KIN
from memory.text.languages import is_english, language_of
from memory.text.patterns import table_of, word_lists

WROTE = "The user wrote about themselves: “"
"""The beginning of a statement that quotes what the owner wrote."""
MAX_WORDS_LENGTH = 300
MAX_NAME_LENGTH = 80

_ASKED = "You asked for this to be remembered"
_SPEAKERS = {
    "assistant": "An assistant said",
    "tool": "A tool said",
    "external": "A text you pasted says",
}
"""Who said the words that a fact quotes, by its authority; the owner, if it is none of these."""
_SAID = "You said"
_QUOTATION = re.compile(rf"(?:{'|'.join((_SAID, _ASKED, *_SPEAKERS.values()))}): “(?P<words>.*)”", re.DOTALL)
_LABEL = re.compile(r" \((about )?(\d{4})(?:-(\d\d))?(?:-(\d\d))?\)\.?$")
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufaff]")
_QUOTED_PART = re.compile(r"“(.+)”")
_IS_USERS = re.compile(r" is the user['’]s [^.]+\.?$")
_WHOSE = re.compile(r" is the user['’]s (?P<kin>[^.]+)\.")
_IS_YOURS = re.compile(r"^(?P<who>.+) is (?P<what>your [^.]+\.)$")
_AT = re.compile(r" (?:at|as|for) (?:an? |the )?$")  # "I start at the orchestra in May"
_CLAUSE = re.compile(r" (?:is|was|are|were|has|turns?|starts?|comes?|gets?) ")
_OF_OTHERS = re.compile(r"your [\w-]+['’]s ")  # "your husband's birthday"
_AT_HOME = ("lives_in", "has_family", "has_pet", "parent_of", "sibling_of", "married_to", "partner_of")
_YOU_LIVE = re.compile(r"\AYou (?P<verb>live at|have)\b ")
_YOURS_IS = re.compile(r"^(?P<yours>Your [\w-]+(?: [\w-]+){0,5}?) is ")
_DETERMINERS = "an?|the|my|our|this|that|some|two|three|several"
_DETERMINER = re.compile(
    rf"\b(?P<det>{_DETERMINERS})\s+(?P<between>(?:(?!(?:{_DETERMINERS})\s)\w[\w-]*\s+){{0,2}})$",
    re.IGNORECASE,
)
_NOT_BETWEEN = re.compile(
    r"\b(?:in|at|to|from|for|on|of|as|by|with|is|am|are|was|and|or|but|that|who|which|than|it|one"
    r"|about|using|over)\b",
    re.I,
)
# Values that are no objects: "interested in history", "about rare coins", "this remittance business".
_NO_OBJECT = re.compile(
    r"(?:about|and|at|because|but|by|for|from|how|if|interested|of|on|or|still|stuck|that|to|trying|when"
    r"|which|with) |.*\b(?:this|that) [a-z]"
)
_FIRST_PERSON = re.compile(r"\b(?:I|me|we|us|our|you|your|myself)\b|\b[Ii]['’]")
_BEING = re.compile(
    r"(?:\bam|['’]m|\bare|['’]re|\bbeen|\bbecome|\bbecame|\bbeing|\bim|\bas|\bquite|\bvery"
    r"|\bpromoted\s+to)\s+$",
    re.I,
)
_HAVING = re.compile(
    r"\b(?:have|has|had|got|with|from|i['’]ve)\s+(?:an?\s+|my\s+)?(?:[\w-]+\s+)?$", re.IGNORECASE
)
_OWNING = re.compile(
    r"\b(?:have|has|had|having|got|own|owned|owning|bought)\s+(?:[\w-]+\s+)?$", re.IGNORECASE
)
_DENIED = re.compile(r"(?:n['’]t|\bnot|\bnever|\bcannot|\bcan|\bto|\bI|\bwe|['’]ve)\s+$", re.IGNORECASE)

_NEGATING = re.compile(r"(?:\w+n['’]t|not|never)\b", re.IGNORECASE)
_RANKED = re.compile(r"\b(?:best|worst|most|least|latest|favou?rite)\s+(?:\w+\s+)?$", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our|(?:My|Our)(?= [a-z]))\b")
_FOREIGN_VALUE = re.compile(r"(?!.*我)(?:[^\s\u2e80-\ud7ff]+|[\u2e80-\ud7ff\d]{1,12})(?: [^\s]+){0,2}")
"""A value that fits into an English sentence, in quotation marks: up to three words, or a few characters."""
_QUOTED_NUMBER = re.compile(r"“(\d+)”")
_WORD_START = re.compile(r"(?<![\w-])[\w-]*$")
_NEGATED = re.compile(r"\bnot\b|n['’]t\b|\bno\b", re.IGNORECASE)
_COUNTED = re.compile(r"(?:my|our) (?=(?:two|three|four|five|six|\d+) )", re.IGNORECASE)
_MOVED_AWAY = re.compile(r"\b(?:moved (?:\w+ ){0,2}from|left|until|till)\b", re.IGNORECASE)
_MINE_WORDS = ("my", "our", "this", "that")
_UNTITLED = ("deadline", "deadlines", "event", "events", "party", "ceremony")
_DETERMINED = ("a ", "an ", "the ", "my ", "our ", "some ")

_LISTS = word_lists(table_of(__file__))
_PEOPLE = "|".join(sorted(_LISTS["persons"] | {word for word in KIN["en"] if " " not in word}))
_ADVERBS = "|".join(sorted(_LISTS["adverbs"]))
_USER = re.compile(r"\b(?:the|this) user\b|^user\b|(?-i:\bUser\b)", re.IGNORECASE)
_USERS = re.compile(r"\b(?:the|this) user['’]s(?!\w)|^user['’]s(?!\w)", re.IGNORECASE)
_AS_OBJECT = re.compile(r"(?<=\w) the user(?=[.,;!?]|$| (?:about|at|by|for|from|in|on|to|with)\b)")
_SUBJECT = re.compile(
    rf"(?:(?:the|this) )?user (?P<adverbs>(?:(?:\w+ly|{_ADVERBS}) )*)(?P<verb>[a-z'’]+)(?P<rest>\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_SUBJECT = re.compile(
    rf"(?:(?:[a-z]+ly|{_ADVERBS}) )*(?:{'|'.join(sorted(_LISTS['verbs']))}) (?!(?:and|are|by|of|were)\b)",
    re.IGNORECASE,
)
_OTHER_VERB = re.compile(r"\b(?:are|is|was|were|matters?)\b")  # "Plays on Broadway are expensive"
_AMBIGUOUS = re.compile(
    r"\b(?:he|she|they|him|them|hers|theirs|\w+sel(?:f|ves))\b"
    r"|\buser['’]s (?:been|not|an?|the|called|named|going|got|also|now|very)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:his|her|their)\b(?= \w)")
_PREPOSITION = "about|after|as|at|before|by|for|from|in|into|near|of|on|since|to|until|with|without"
_UNAMBIGUOUS_HER = re.compile(
    rf"\b(?:{_PREPOSITION}) her (?!(?:{_PREPOSITION}|and|but|or|when|because|every|each)\b)\w"
)
_PERSON = re.compile(rf"[A-Z]|\b(?:{_PEOPLE})\b")
_PLURAL = re.compile(r"\b(?!was\b|has\b|this\b|does\b)\w\w+s\b")
_SECOND_VERB = re.compile(
    rf"(?:[,;:&]|\b(?:and|but|or|nor|then|so|while)) (?:(?:\w+ly|{_ADVERBS}) )*(?:[a-z]\w*s|\w+n['’]t)\b"
)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]|‘[^’]*’(?!\w)|(?<!\w)'[^']*'(?!\w)|`[^`]*`")
_ASSISTANT = re.compile(r"\byou(?:rs?|rself)?\b", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself|[Yy]ou|[Yy]ours?|[Yy]ourself)\b")

_FIRST_WORDS = re.compile(r"\A(?:I am|I['’]m|I was|I|My)\b(?!['’])")
_SECOND_PERSON = {"I am": "You are", "I'm": "You are", "I was": "You were", "I": "You", "My": "Your"}

_NAMES = frozenset(("named", "nickname", "surname", "has_pet"))
_PLACES = frozenset(("lives_in", "born_in", "comes_from", "lived_in", "has_visited", "travels_to"))
_TITLED = _PLACES | {"moves_to", "works_at", "worked_at", "studies_at", "graduated_from", "speaks"}
NAMED = _NAMES | _TITLED
"""Predicates whose objects are names."""
_TRADES = frozenset(("works_as", "worked_as", "is"))
_BARE = _NAMES | {
    "aged",
    "allergic_to",
    "born_on",
    "follows_diet",
    "has_budget",
    "has_degree",
    "has_nationality",
}
_OWNED = frozenset(("has", "owns"))
_THINGS = _OWNED | {"uses", "favourite"}
_OBJECTS = _OWNED | {"uses", "likes", "dislikes", "prefers", "avoids", "works_on", "has_family", "has_event"}
_WORDS = frozenset(("habit", "cannot", "limited_by", "experienced", "can", "wants"))


class Stated(Protocol):
    """What a fact says, and who worded it."""

    predicate: str
    value: str
    object: str
    statement: str
    mined_by: str
    authority: str


def for_owner(fact: Stated, words: Callable[[], str], *, over: bool) -> str:
    """The fact in a sentence to its owner. `words` returns its source words, or "" if they are gone; it is
    called only if they are needed. `over` means that the fact no longer holds."""
    if fact.statement.startswith(WROTE):
        return fact.statement.removeprefix(WROTE)[:-1]
    is_about_user = bool(_USER.search(fact.statement))
    if fact.mined_by == "reader" and is_about_user:
        return _by_reader(fact, words(), over=over)
    shown = addressed(fact.statement, fact.object)
    if _addresses_assistant(fact):
        return _quote(fact, words() or fact.statement)
    if shown is None or (is_about_user and _OTHER_SCRIPT.search(shown)):
        said = words()
        return _quote(fact, said) if said else shown or fact.statement
    return _in_past_tense(fact.predicate, shown) if over else shown


def quoted_words(shown: str) -> str:
    """The words that a fact shown to its owner quotes, "" if it says something itself."""
    found = _QUOTATION.fullmatch(shown)
    return found["words"] if found else ""


def is_past(statement: str, event_time: datetime, now: datetime) -> bool:
    """Whether the day, month or year in which a statement puts an event is over."""
    label = _LABEL.search(statement)
    days = 1 if label is None or label[4] else 31 if label[3] else 366
    return event_time + timedelta(days=days) <= now


def kinship_in(statement: str, name: str) -> str:
    """The kinship word ("sister") that a statement gives somebody of this name, "" if it gives none."""
    found = _WHOSE.fullmatch(_LABEL.sub(".", statement).removeprefix(name))
    return found["kin"] if found else ""


def about_user(written: str) -> str:
    """A sentence by the owner as models read it: in the form of a predicate, or quoted. A sentence
    without "I", "my" or "you" gets its subject if it begins with a verb ("Has a dog"), or is unchanged."""
    if not _OWNER.search(_QUOTED.sub("", written)):
        verb = _NO_SUBJECT.match(written)
        is_phrase = verb and not _OTHER_VERB.search(written, verb.end()) and not written.endswith("?")
        lacks_user = is_phrase and language_of(written, 1) in ("", "en")
        return f"{USER} {written[:1].lower()}{written[1:]}" if lacks_user else written
    if not is_english(written):
        return written
    said = f"{you_for_i(written).removesuffix('.')}."
    for predicate in FORMS:
        for tense in ("present", "ended"):
            before, _, after = sentence(predicate, "\0", tense=tense).partition("\0")
            if len(before + after) > 1 and said.startswith(before) and said.endswith(after):
                told = sentence(predicate, said[len(before) : len(said) - len(after)], USER, tense)
                if addressed(told) == said and not _OWNER.search(_QUOTED.sub("", told)):
                    return told
    return f"{WROTE}{written.strip('“”')}”"


def you_for_i(written: str) -> str:
    """A sentence that begins with "I" or "my", with "you" or "your" instead."""
    return _FIRST_WORDS.sub(lambda found: _SECOND_PERSON[found[0].replace("’", "'")], written)


def addressed(statement: str, named: str = "") -> str | None:
    """A statement about the user in the second person, or None if that may come out wrong. Unchanged if it
    does not mention the user. `named` is a part of it without a verb."""
    bare = _QUOTED.sub("“”", statement)
    if not _USER.search(bare):
        return statement
    if _AMBIGUOUS.search(bare) or any(map(_USER.search, _QUOTED.findall(statement))):
        return None
    subject = _SUBJECT.match(statement)
    shown = _with_user_subject(subject, named) if subject else _with_other_subject(statement)
    return shown if shown and not _USER.search(_QUOTED.sub("", shown)) else None


def _with_user_subject(found: re.Match[str], named: str) -> str | None:
    """The statement in the second person, if its subject is the user and has a single verb."""
    verb, rest = found["verb"], _to_second_person(found["rest"])
    turned = base_form(verb) if verb.endswith(("s", "n't", "n’t")) and not verb.endswith("ss") else verb
    is_same = verb in _LISTS["shared"] or (verb.endswith("ed") and not verb.endswith("eed")) or verb == "and"
    joined = _SECOND_VERB.search(_QUOTED.sub("“”", rest.replace(named, "") if named else rest))
    if joined or (turned == verb and not is_same):
        return None
    possessive = _POSSESSIVE.search(rest)
    if re.search(r"\bher\b", _UNAMBIGUOUS_HER.sub("", rest)):
        return None
    if possessive and any(each.search(rest, 0, possessive.start()) for each in (_PERSON, _PLURAL)):
        return None
    return f"You {found['adverbs']}{turned}{_POSSESSIVE.sub('your', rest)}"


def _with_other_subject(statement: str) -> str | None:
    """The statement in the second person, if its subject is not the user."""
    shown = _to_second_person(statement)
    possessive = _POSSESSIVE.search(shown)
    if possessive and (possessive[0] == "their" or not _PERSON.search(shown, 1, possessive.start())):
        return None
    return shown


def _to_second_person(text: str) -> str:
    shown = _USERS.sub(lambda found: "your" if found.start() else "Your", text)
    return _AS_OBJECT.sub(" you", shown)


def _in_quotation_marks(words: str) -> str:
    """Words on one line in quotation marks."""
    return f"“{' '.join(words.split()).strip('“”')}”"


def noun_phrase(predicate: str, name: str, words: str) -> str:
    """The object of a predicate with the article and adjectives it has in these words: "an old ThinkPad"."""
    at = words.find(name)
    is_number = name[:1].isdigit()
    if at <= 0 or predicate in _BARE or FORMS[predicate].says.startswith("{o}"):
        return name
    begun = f"{_WORD_START.findall(words[max(0, at - MAX_NAME_LENGTH) : at])[-1]}{name}"
    found = _DETERMINER.search(words[: at + len(name) - len(begun)])
    if found is None or _NOT_BETWEEN.search(found["between"]):
        return begun
    if is_number and (predicate not in _OWNED or found["between"]):
        return name  # but "a 2018 Honda"
    det, rest = found["det"].lower(), f"{found['between']}{begun}"
    if det in _MINE_WORDS and predicate not in (_OWNED if det == "this" else _OBJECTS):
        return begun
    is_new = det == "the" and found["between"] == "new "
    if predicate in _OWNED and (det in _MINE_WORDS or is_new):
        if name.endswith("s"):
            return rest
        det = "an" if rest[:1].lower() in "aeiou" else "a"
    return f"{det} {rest}"


def fits(predicate: str, name: str, words: str) -> bool:
    """Whether a value that the reader extracted from these words fits the sentence of its predicate."""
    if predicate == "has_budget" or _is_no_object(name):
        return False
    before = words[: max(0, words.find(name))]
    phrase = noun_phrase(predicate, name, words)
    is_named = name[:1].isupper() or not name[:1].isalpha()
    is_allergen = words[len(before) + len(name) :].startswith((" allerg", "-allerg"))
    is_ranked = predicate in ("likes", "dislikes") and bool(_RANKED.search(before))  # "the worst film"
    if is_allergen or is_ranked:
        return False
    if FORMS[predicate].says.startswith("{o}") or predicate in _NAMES:
        return is_named
    if predicate in _TITLED:
        return is_named or phrase.startswith(_DETERMINED)
    if predicate in _TRADES:
        return not words or phrase != name or bool(_BEING.search(before))
    if predicate == "has_event":
        return not _AT.search(before) and _is_title(phrase, name, before)
    return _is_thing(predicate, phrase, before)


def _is_no_object(name: str) -> bool:
    """Whether a value is too long, in the first person, negated, a clause, or without its noun."""
    is_clause = _CLAUSE.search(name.partition(" that ")[0]) and not name.istitle()
    is_fragment = _FIRST_PERSON.search(name) or _NEGATING.match(name) or _NO_OBJECT.match(name)
    return bool(is_clause or is_fragment) or len(name) > MAX_NAME_LENGTH


def _is_title(phrase: str, name: str, before: str) -> bool:
    """Whether a phrase after these words says which event it is: not "the hike" or a deadline, which only
    their sentence explains."""
    is_name = (name[:1].isupper() and bool(before.strip())) or name[:1].isdigit()
    is_described = phrase.startswith(_DETERMINED) and not phrase.startswith("the ")
    return (is_name or is_described) and name.casefold() not in _UNTITLED


def _is_thing(predicate: str, phrase: str, before: str) -> bool:
    """Whether a phrase after these words looks like an object of the predicate."""
    if predicate == "born_on":
        return bool(re.search(r"\d", phrase))
    if predicate == "has_family":
        return phrase.startswith(_DETERMINED) and not phrase.startswith("the ")
    if predicate == "allergic_to":
        return not _NEGATED.search(before)
    if predicate == "has_condition":
        return bool(_HAVING.search(before)) and not _NEGATED.search(before)
    if predicate == "works_on" and _is_bare_singular(phrase):
        return False
    if predicate in _OWNED and _is_bare_singular(phrase):
        return bool(_OWNING.search(before))
    return not _DENIED.search(before) or phrase.startswith(_DETERMINED)


def _is_bare_singular(phrase: str) -> bool:
    """Whether a phrase is a noun without an article ("generator"), which only its user knows to need none."""
    is_plural = phrase.endswith("s") and not phrase.endswith("ss")
    is_code = "." in phrase or "_" in phrase
    return phrase[:1].islower() and not (is_plural or is_code or phrase.startswith(_DETERMINED))


def _by_reader(fact: Stated, words: str, *, over: bool) -> str:
    name, label = fact.object or fact.value, _LABEL.search(fact.statement)
    plain = _LABEL.sub(".", fact.statement)
    shown = addressed(_QUOTED_NUMBER.sub(r"\1", plain), name)
    is_generated = _is_generated(fact.predicate, plain, name, words)
    if is_generated:
        is_foreign = bool(words) and not is_english(words)
        if words and _says_more(fact.predicate, name, words, is_foreign=is_foreign):
            return _quote_user(fact, words)
        is_shown = is_foreign or fact.predicate == "instructs" or _IS_USERS.search(plain)
        shown = shown if is_shown else _in_form(fact.predicate, name, words)
    if shown is None:
        return _quote(fact, words) if words and is_generated else fact.statement
    shown = _in_past_tense(fact.predicate, shown) if over else shown
    if fact.predicate == "acquainted_with" and is_generated and words and not _IS_USERS.search(plain):
        known = addressed(plain.partition(": “")[0].removesuffix("."), name) or shown
        return f"{known.removesuffix('.')}: {_in_quotation_marks(words)}"
    if label is None:
        return shown
    until = "until " if fact.predicate == "lived_in" and _MOVED_AWAY.search(words) else ""
    return f"{shown.removesuffix('.')} ({until}{_format_label(*label.groups(''))})."


def _format_label(about: str, year: str, month: str, day: str) -> str:
    """The day, month or year of a label in its usual format."""
    moment = date(int(year), int(month or 1), int(day or 1))
    return about + date_format(moment, "j F Y" if day else "F Y" if month else "Y")


def _is_generated(predicate: str, statement: str, name: str, words: str) -> bool:
    """Whether the statement is the unchanged wording of the built-in reader."""
    if predicate not in FORMS:
        return False
    shown = {sentence(predicate, each, "The user") for each in (name, noun_phrase(predicate, name, words))}
    is_kin = statement.startswith(name) and bool(_IS_USERS.search(statement))
    return is_kin or "“" in statement or statement in shown


def _says_more(predicate: str, name: str, words: str, *, is_foreign: bool) -> bool:
    """Whether the user's words express the value better than a form."""
    if predicate in _WORDS or predicate == "asked_to_remember":
        return True
    if is_foreign:
        return predicate in ("instructs", "has_event", "has_budget") or not _FOREIGN_VALUE.fullmatch(name)
    return predicate != "instructs" and not fits(predicate, name, words)


def _addresses_assistant(fact: Stated) -> bool:
    """Whether "you" in a statement, which is not the owner's wording, means an assistant."""
    is_named = len(fact.object) > 3 and not _ASSISTANT.match(fact.object)  # "Thinking of you"
    stated = fact.statement.replace(fact.object, "") if is_named else fact.statement
    return fact.mined_by != "owner" and bool(_ASSISTANT.search(_QUOTED.sub("", stated)))


def _quote(fact: Stated, words: str) -> str:
    """Somebody's own words, with who said them."""
    return f"{_SPEAKERS.get(fact.authority, _SAID)}: {_in_quotation_marks(words)}"


def _quote_user(fact: Stated, words: str) -> str:
    asked = _QUOTED_PART.search(fact.statement) if fact.statement.startswith("The user asked to") else None
    if asked and is_english(words):
        return f"{_ASKED}: {_in_quotation_marks(asked[1])}"
    return _quote(fact, words)


def _in_form(predicate: str, name: str, words: str) -> str:
    phrase = noun_phrase(predicate, name, words)
    if predicate in ("aged", "follows_diet"):
        phrase = phrase.lower()
    if predicate == "has_family" and _COUNTED.match(phrase):
        return sentence("has", _COUNTED.sub("", phrase, count=1))
    return sentence(predicate, _MINE.sub(lambda found: "Your" if found[0].istitle() else "your", phrase))


def _in_past_tense(predicate: str, shown: str) -> str:
    """The sentence in the past tense, if it has the form of its predicate."""
    form = FORMS.get(predicate)
    if form is None:
        return shown
    if form.says.startswith("{o}"):
        return _IS_YOURS.sub(r"\g<who> was \g<what>", shown)
    now, then = (sentence(predicate, "\0", tense=tense).partition("\0")[0] for tense in ("present", "ended"))
    if predicate == "has_event" and _OF_OTHERS.match(shown.removeprefix(now)):
        return shown
    if then and shown.startswith(now) and "," not in shown:
        return f"{then}{shown.removeprefix(now)}"
    if predicate in _THINGS or predicate == "has_budget":
        return _YOURS_IS.sub(r"\g<yours> was ", shown)
    return _YOU_LIVE.sub(r"You used to \g<verb> ", shown) if predicate in _AT_HOME else shown
