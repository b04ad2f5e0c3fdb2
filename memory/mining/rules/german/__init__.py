"""The commonest statements about oneself in German."""

import re

from memory.mining.rules import templates
from memory.mining.rules.german import (
    asides,
    daily,
    fronted,
    holdings,
    preferences,
    pursuits,
    selves,
    standing,
    subordinate,
    tastes,
    ways,
)
from memory.mining.rules.german.grammar import CAPITAL, FILL, NOUN, SPOT, i, spelt
from memory.mining.rules.table import Language, Rule, said
from memory.text import kinship

KIN = kinship.KIN["de"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[^\W\d_a-zäöü])[\w'\u2019-]*(?: (?-i:[^\W\d_a-zäöü])[\w'\u2019-]*){0,2})"
_OFTEN = r"(?:(?:sehr|wirklich|auch|total|echt|aber|jetzt|seit \w+|am liebsten|besonders) ){0,2}"

RULES = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(r"\b(?:ich hei(?:ß|ss)e|mein name ist) <o>"),
        yes=(("Ich heiße Jürgen Groß.", "Jürgen Groß"), ("Hallo, mein Name ist Lena", "Lena")),
        no=("Wie heiße ich?", "Mein Name ist nicht Bob.", "Er heißt Tom."),
    ),
    templates.HOME.rule(
        rf"(?:{i('wohne?|lebe?')}|\b(?:wir (?:wohnen|leben)|(?:wohnen|leben) wir) {FILL})in (?:der )?{SPOT}(?! (?:studiert|gearbeitet))",
        (
            ("Ich wohne in Zürich.", "Zürich"),
            ("Ich heiße Jürgen und wohne in Graz.", "Graz"),
            ("Wir leben seit 2019 in Graz und mögen es", "Graz"),
            ("Ich wohne in Bern, kennst du ein gutes Café?", "Bern"),
            ("Seit Mai wohne ich in Frankfurt am Main", "Frankfurt am Main"),
        ),
        (
            "Wenn ich in Paris wohne, was dann?",
            "Wohne ich in Bern?",
            "Ich wohne nicht in Bern.",
            "Meine Schwester wohnt in Berlin.",
        ),
    ),
    templates.HOME.rule(
        rf"(?:\b(?:ich|wir) |^|(?<=\w[ ]))(?:bin|sind) (?:ich |wir )?(?:[^\n,.]{{2,40}} )??nach {SPOT} (?:um)?gezogen\b",
        (("Bin vor drei Wochen nach Graz gezogen", "Graz"),),
        ("Ich bin nach Graz gefahren.", "Er ist nach Graz gezogen."),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=said(
            rf"{i('komme?|stamme?|bin')}(?:ursprünglich |gebürtig )?aus (?:der |dem schönen )?{SPOT}(?= stamme?\b| und\b|[,.!]|$)"
        ),
        yes=(("Ich komme aus Wien.", "Wien"),),
        no=("Ich komme aus dem Haus.",),
    ),
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=said(rf"{i('bin')}(?P<o>1?\d{{1,2}})(?: jahre?\b(?: alt)?| (?:und|geworden)\b|[,.!]|$)"),
        yes=(("Ich bin 34 Jahre alt", "34"),),
        no=("Mein Sohn ist 5 Jahre alt",),
    ),
    templates.MARITAL.rule(
        rf"{i('bin')}(?:frisch |glücklich )?(?P<o>verheiratet|geschieden|verwitwet|ledig|verlobt|single)\b",
        (("Ich bin seit 2019 verheiratet.", "verheiratet"),),
        ("Ich bin nicht verheiratet.", "Sie ist ledig."),
    ),
    templates.SPOUSE.rule(
        rf"{i('bin')}(?:seit [^\n,]{{2,20}} )?mit (?P<o>{CAPITAL}\w+(?: {CAPITAL}\w+)?) verheiratet",
        (("Ich bin mit Jonas verheiratet.", "Jonas"),),
        ("Sie ist mit Jonas verheiratet.",),
    ),
    templates.BIRTHDAY.rule(
        r"\b(?:mein geburtstag ist|ich habe? (?:immer )?|geburtstag habe? ich |ich bin |ich wurde )(?: ?am| ?der)? (?P<o>\d{1,2}\. ?(?:\d{1,2}\.|[a-zä]{3,9})(?: ?\d{4})?)(?= geburtstag| geboren|[,.!]|$| und)",
        (
            ("Ich habe am 3. Mai Geburtstag", "3. Mai"),
            ("Mein Geburtstag ist der 7. Juni", "7. Juni"),
        ),
        ("Mein Bruder hat am 3. Mai Geburtstag.", "Ich bin am 3. Mai weg"),
    ),
    templates.NICKNAME.rule(
        r"\b(?:nenn(?:e|t|en)? mich(?: alle| bitte| einfach)*|alle nennen mich|(?:alle|freunde) sagen(?: zu mir)?) <o>",
        (("Nenn mich einfach Jo", "Jo"),),
        ("Nenn mich nicht so.", "Sie nennen ihn Jo."),
    ),
    templates.SURNAME.rule(
        r"\bmein (?:nachname|familienname) ist <o>",
        (("Mein Nachname ist Özdemir", "Özdemir"),),
        ("Sein Nachname ist Özdemir.",),
    ),
    Rule(
        kind="identity",
        key="birthplace",
        predicate="born_in",
        statement="The user was born in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(
            r"\bich (?:bin|wurde) (?:am [\w. ]{3,20}? )?in (?P<o>(?-i:[^\W\d_a-z])[^\n,.;:!?()]{1,40}?) geboren\b"
        ),
        yes=(
            ("Ich bin in Graz geboren.", "Graz"),
            ("Ich wurde am 3. Mai 1990 in Wien geboren", "Wien"),
        ),
        no=("Meine Mutter ist in Graz geboren.", "Bin ich in Graz geboren?"),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        pattern=said(
            rf"(?:{i('bin')}(?:stark |hoch)?allergisch (?:auf|gegen)|{i('habe?')}eine (?:starke |schwere )?allergie (?:auf|gegen)) <list>"
        ),
        yes=(("Ich bin allergisch gegen Nüsse.", "Nüsse"),),
        no=("Bin ich allergisch gegen Nüsse?", "Ich bin nicht allergisch gegen Nüsse."),
    ),
    templates.ALLERGY.rule(
        rf"{i('bin|reagiere?')}(?:stark )?(?:gegen|auf) (?P<o>[^\n,.;:!?]{{2,60}}?) allergisch\b",
        (("Übrigens bin ich gegen Penicillin allergisch.", "Penicillin"),),
        ("Sie ist gegen Nüsse allergisch.", "Bin ich gegen Nüsse allergisch?"),
    ),
    templates.ALLERGY.rule(
        rf"{i('habe?')}(?:eine )?(?:starke |schwere )?(?P<o>{CAPITAL}\w+)(?=allergie\b)",
        (("Ich habe eine Nussallergie", "Nuss"),),
        ("Meine Tochter hat eine Nussallergie.",),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(
            rf"\b(?:meine?[nrm]?|unsere?[nrm]?) (?:\w+e[rnms]? )?(?P<r>{_WORDS})"
            rf"(?: hei(?:ß|ss)t| ist der| ist die| namens|,)? {_NAME}(?! (?:spielen|gucken|schauen|üben|fahren|kaufen|essen|trinken|backen|kochen))"
        ),
        yes=(
            ("Meine Frau heißt Wang Min.", "Wang Min"),
            ("Mein Bruder Tom kommt morgen", "Tom"),
        ),
        no=("Meine Schwester wohnt in Berlin.", "Wie heißt meine Frau?"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(rf"(?:^|[,;] ){_NAME} ist meine? (?:\w+e[rn]? )?(?P<r>{_WORDS})\b"),
        yes=(("Anna ist meine Schwester.", "Anna"),),
        no=("Wer ist meine Chefin?", "Das ist meine Frau."),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=said(rf"{i('arbeite|jobbe|schaffe')}(?:als \w+ )?(?:bei|für) (?:der |dem )?{SPOT}"),
        yes=(("Ich arbeite bei Siemens.", "Siemens"), ("Ich arbeite als Arzt bei Roche", "Roche")),
        no=("Ich arbeite nicht bei Siemens.", "Sie arbeitet bei Siemens."),
    ),
    Rule(
        kind="experience",
        key="former_employer_{slug}",
        predicate="worked_at",
        statement="The user no longer works at {object}.",
        shape="organisation",
        ended=True,
        pattern=said(
            r"\bich (?:arbeite nicht mehr bei|habe bei) (?:der |dem )?(?P<o>[^\n,.;:!?]{1,60}?)(?= gekündigt|[.,!]|$)"
        ),
        yes=(("Ich arbeite nicht mehr bei Siemens.", "Siemens"),),
        no=("Ich arbeite bei Siemens.",),
    ),
    templates.WORKED.rule(
        rf"(?:\b(?:früher|damals|vorher|zuvor) (?:habe?|war) ich|\b(?:ich|und) (?:habe?|war)) (?:[^\n,]{{1,40}} )??bei (?:der |dem )?{SPOT}(?: [^\n,]{{2,30}})? (?:gearbeitet|angestellt|beschäftigt)\b",
        (("Früher hab ich bei Opel in Rüsselsheim gearbeitet", "Opel"),),
        ("Er hat bei Opel gearbeitet.", "Ich arbeite bei Opel."),
    ),
    templates.STUDIES.rule(
        rf"{i('studiere')}(?:im \w+ semester )?{NOUN}",
        (("Ich studiere Maschinenbau in Aachen", "Maschinenbau"),),
        ("Er studiert Jura.", "Ich habe nie Jura studiert."),
    ),
    templates.WORKPLACE.rule(
        rf"{i('arbeite')}(?:[^\n,]{{1,30}} )??(?:im|in (?:der|einem|einer)|am|an (?:der|einem|einer)|auf (?:dem|der|einem|einer)) {NOUN}(?= und|[,.!]|$)",
        (("Ich arbeite seit zehn Jahren in der Pflege", "Pflege"),),
        ("Ich arbeite im Moment viel.", "Er arbeitet im Hafen."),
    ),
    templates.OCCUPATION.rule(
        rf"{i('arbeite als|bin (?:von beruf|beruflich|gelernte[rn]?|ausgebildete[rn]?)')}(?:eine? )?(?P<o>{CAPITAL}[\w-]+)",
        (("Ich arbeite als Krankenpfleger.", "Krankenpfleger"),),
        ("Ich arbeite viel.", "Er arbeitet als Koch."),
    ),
    Rule(
        kind="other",
        key="remember_{slug}",
        predicate="asked_to_remember",
        value="{said}",
        statement="The user asked to remember: “{said}”.",
        shape="clause",
        confidence=0.9,
        pattern=said(
            r"(?:^|\bbitte )(?:merk(?:e)? dir|denke? (?:daran|dran)|vergiss (?:bitte )?nicht|notiere?(?: dir)?|behalte?(?: im kopf)?|für später|gut zu wissen|nicht vergessen)(?: bitte)?(?:, dass|:|,) ?(?P<o>[^\n]{5,300})"
        ),
        yes=(
            (
                "Merk dir, dass der Schlüssel unter der Matte liegt.",
                "der Schlüssel unter der Matte liegt",
            ),
        ),
        no=("Ich erinnere mich an den Film.",),
    ),
)

_MODULES = (
    fronted,
    preferences,
    pursuits,
    daily,
    asides,
    subordinate,
    standing,
    holdings,
    tastes,
    selves,
    ways,
)

GERMAN = Language(
    code="de",
    cue=re.compile(
        r"\b(?:ich|wir|mich|mir|meine?\w?|unsere?|merke?|vergiss|notiere?|denk|bitte|immer|künftig"
        r"|grundsätzlich|ab jetzt|ab sofort|hier (?:schreibt|ist|spricht)|oma|opa|tante|onkel|mama|papa|wohnhaft|lieber|notiz|streichen|weglassen|mein\w*|unser\w*)\b|^(?:bin|wohne?|lebe?|arbeite|habe?|komme?|mag|spiele)\b",
        re.IGNORECASE,
    ),
    veto=re.compile(
        r"\b(?:wenn|falls|ob|nicht|nie|niemals|würde|hätte|könnte|wäre|vielleicht|als ob|sagt|sagte|meint"
        r"|glaubt|behauptet|wann|warum|wieso|welche[nrs]?|wie viele?)\b",
        re.IGNORECASE,
    ),
    imagined=re.compile(
        r"\b(?:stell dir vor|angenommen|nehmen wir an|gesetzt den fall|zum beispiel|z\.B|rollenspiel|tu so|spiel mal"
        r"|sagt(?:e)?|meinte?|behauptete?|erzählt(?:e)?|schrieb|brüllte?|schrie|rief|flüsterte?|antwortete|(?:im|in dem|in diesem|in meinem|in unserem|in einem) (?:film|buch|roman|lied|song|rollenspiel|computerspiel|videospiel|game|theaterstück|stück|märchen|drehbuch|musical|traum|abenteuer|spiel(?! gegen))"
        r"|in der (?:kampagne|geschichte|serie|rolle|szene)|(?:steht|stand|schreibt (?:einer|eine|jemand))(?=[^,.]{0,30}:)"
        r"|(?:niemand|keiner) |nie (?:gesagt|behauptet)|\w+ hat (?:gesagt|erzählt))\b",
        re.IGNORECASE,
    ),
    stop=re.compile(
        r"\s+(?:und|aber|oder)\s+(?:ich|wir|mein|meine|er|sie|es|das|kannst|mag|möchte|suche|habe|bin|mögen)\b"
        r"|\s+(?:aber|weil|da|denn|dass|obwohl|wenn|und zwar|danke|bitte|nicht|als|mit)\b",
        re.IGNORECASE,
    ),
    refused=re.compile(
        r"(?:.*\b(?:version|variante|option|vorschlag|vorschläge|antwort(?:en)?|idee|entwurf|fassung|gedicht|absatz|absätze|satz|sätze|formulierung|lösung|ergebnis|überschrift)\b|nicht|nie|niemals|kaum|schon|eher|gar|überhaupt|leider|halt|eben|es|das|dies(?:e[rsn]?)?|ihn|sie|dich|und|oder|alle|jeden|jede|niemanden|dein\w*|dir|euch|alles|nichts|wie|was|wo|wenn|nur|den|"
        r"die (?:idee|art)|mehr|auch|dem|der)(?:\s|$)",
        re.IGNORECASE,
    ),
    rules=tuple(spelt(rule) for rules in (RULES, *(module.RULES for module in _MODULES)) for rule in rules),
    kin=KIN,
)
