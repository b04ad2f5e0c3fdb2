"""The commonest statements about oneself in German."""

import re

from memory.mining.rules.table import Kin, Language, Rule, kinship, said

KIN: Kin = {
    "frau": kinship("married_to", "wife", only_one=True, key="spouse"),
    "ehefrau": kinship("married_to", "wife", only_one=True, key="spouse"),
    "mann": kinship("married_to", "husband", only_one=True, key="spouse"),
    "ehemann": kinship("married_to", "husband", only_one=True, key="spouse"),
    "freundin": kinship("partner_of", "girlfriend", only_one=True, key="partner"),
    "freund": kinship("friend_of", "friend"),
    "partnerin": kinship("partner_of", "partner", only_one=True),
    "schwester": kinship("sibling_of", "sister"),
    "bruder": kinship("sibling_of", "brother"),
    "mutter": kinship("child_of", "mother", only_one=True),
    "vater": kinship("child_of", "father", only_one=True),
    "tochter": kinship("parent_of", "daughter"),
    "sohn": kinship("parent_of", "son"),
    "oma": kinship("grandchild_of", "grandmother"),
    "opa": kinship("grandchild_of", "grandfather"),
    "chefin": kinship("reports_to", "boss", only_one=True),
    "chef": kinship("reports_to", "boss", only_one=True),
    "kollegin": kinship("colleague_of", "colleague"),
    "kollege": kinship("colleague_of", "colleague"),
    "hund": kinship("has_pet", "dog"),
    "katze": kinship("has_pet", "cat"),
    "kater": kinship("has_pet", "cat"),
}
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
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(
            rf"\b(?:(?:ich|wir|und) (?:wohnen?|leben?) {_OFTEN}in|ich bin {_OFTEN}nach) (?:der )?<place>"
        ),
        yes=(
            ("Ich wohne in Zürich.", "Zürich"),
            ("Ich heiße Jürgen und wohne in Graz.", "Graz"),
            ("Wir leben seit 2019 in Graz und mögen es", "Graz"),
            ("Ich wohne in Bern, kennst du ein gutes Café?", "Bern"),
        ),
        no=(
            "Wenn ich in Paris wohne, was dann?",
            "Wohne ich in Bern?",
            "Ich wohne nicht in Bern.",
            "Meine Schwester wohnt in Berlin.",
        ),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=said(r"\bich (?:komme|stamme) (?:ursprünglich )?aus (?:der )?<place>"),
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
        pattern=said(r"\bich bin (?P<o>1?\d{1,2}) jahre alt"),
        yes=(("Ich bin 34 Jahre alt", "34"),),
        no=("Mein Sohn ist 5 Jahre alt",),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(
            rf"\bich (?:mag|liebe) {_OFTEN}(?!keine?|nicht|[^\n,.]{{1,40}} nicht\b)<list>"
        ),
        yes=(
            ("Ich mag Wandern, Jazz und Käse.", "Wandern|Jazz|Käse"),
            ("Ich liebe dunkle Schokolade", "dunkle Schokolade"),
        ),
        no=(
            "Ich mag keine Pilze.",
            "Ich mag Pilze nicht.",
            "Mag ich Tee?",
            "Ich mag das.",
            "Wenn ich Tee mag, was passt dazu?",
        ),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="dislikes",
        value="dislikes {object}",
        statement="The user dislikes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(
            r"\bich (?:hasse |mag (?:überhaupt |gar )?kein(?:en?)? |mag (?=[^\n,.]{2,40} nicht\b))<list>"
        ),
        yes=(
            ("Ich mag keine Pilze.", "Pilze"),
            ("Ich hasse laute Musik", "laute Musik"),
            ("Ich mag Koriander nicht.", "Koriander"),
        ),
        no=("Ich hasse es.", "Ich mag Käse."),
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
            r"\bich (?:bin (?:stark )?allergisch (?:auf|gegen)|habe eine allergie gegen) <list>"
        ),
        yes=(("Ich bin allergisch gegen Nüsse.", "Nüsse"),),
        no=("Bin ich allergisch gegen Nüsse?", "Ich bin nicht allergisch gegen Nüsse."),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(
            rf"\b(?:meine?|unsere?) (?:(?:ältere|jüngere|große|kleine|beste)[rns]? )?(?P<r>{_WORDS})"
            rf"(?: hei(?:ß|ss)t|,)? {_NAME}"
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
        pattern=said(rf"\b(?:ich|und) arbeite {_OFTEN}(?:als \w+ )?(?:bei|für) (?:der |dem )?<o>"),
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
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        pattern=said(
            r"\b(?:ich|und) (?:arbeite als|bin (?:von beruf|beruflich)) (?:eine? )?"
            r"(?P<o>[^\W\d_]+(?:-[^\W\d_]+)?)"
        ),
        yes=(("Ich arbeite als Krankenpfleger.", "Krankenpfleger"),),
        no=("Ich arbeite viel.",),
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
            r"(?:^|\bbitte )(?:merk(?:e)? dir|denk daran|vergiss nicht|notiere?)(?: bitte)?(?:, dass|:|,) (?P<o>[^\n]{5,300})"
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

GERMAN = Language(
    code="de",
    cue=re.compile(r"\b(?:ich|wir|meine?|unsere?|merke?|vergiss|notiere?|denk)\b", re.IGNORECASE),
    veto=re.compile(
        r"\b(?:wenn|falls|ob|nicht|nie|niemals|würde|hätte|könnte|vielleicht|sagt|sagte|meint|glaubt)\b",
        re.IGNORECASE,
    ),
    imagined=re.compile(r"\b(?:stell dir vor|angenommen|zum beispiel|z\.B)\b", re.IGNORECASE),
    stop=re.compile(
        r"\s+(?:und|aber|oder)\s+(?:ich|wir|mein|meine|er|sie|es|das|kannst|mag|möchte|suche|habe|bin|mögen)\b"
        r"|\s+(?:aber|weil|da|denn|dass|obwohl|wenn|und zwar|danke|bitte|nicht|als|mit)\b",
        re.IGNORECASE,
    ),
    refused=re.compile(
        r"(?:es|das|dies(?:e[rsn]?)?|ihn|sie|dich|dein\w*|dir|euch|alles|nichts|wie|was|wo|wenn|nur|den|"
        r"die (?:idee|art)|mehr|auch|dem|der)(?:\s|$)",
        re.IGNORECASE,
    ),
    rules=RULES,
    kin=KIN,
)
