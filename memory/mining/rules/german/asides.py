"""What a German message tells in passing: who writes, whose Oma it is, what is to be kept."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["de"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_CAP = r"(?-i:[A-ZÄÖÜ])"
_NAME = rf"(?P<o>{_CAP}[\w'\u2019-]+(?: {_CAP}[\w'\u2019-]+)?)"
_MY = r"\b(?:mein|unser)(?:e[nmrs]?)? "
_JOB = r"(?P<o>[\w-]*(?:pfleger(?:in)?|helfer(?:in)?|lehrer(?:in)?|dreher(?:in)?|schlosser(?:in)?|meister(?:in)?|fahrer(?:in)?|erzieher(?:in)?|verkäufer(?:in)?|techniker(?:in)?|ingenieur(?:in)?|informatiker(?:in)?|elektriker(?:in)?|tischler(?:in)?|schreiner(?:in)?|maurer(?:in)?|bäcker(?:in)?|köch(?:in)?|koch|arzt|ärztin|krankenschwester|hebamme|kaufmann|kauffrau|anwalt|anwältin|gärtner(?:in)?|friseur(?:in)?|maler(?:in)?|schneider(?:in)?|therapeut(?:in)?|optiker(?:in)?|winzer(?:in)?|landwirt(?:in)?|buchhalter(?:in)?|bibliothekar(?:in)?|journalist(?:in)?|fotograf(?:in)?|grafiker(?:in)?|sekretärin|rentner(?:in)?|student(?:in)?))"

RULES: tuple[Rule, ...] = (
    templates.NAME.rule(
        rf"\bhier (?:schreibt|ist|spricht) (?:der |die )?{_NAME}(?= aus\b| vom\b|,)",
        (("Moin, hier schreibt Torben aus Husum", "Torben"),),
        ("Hier ist Platz.", "Wo ist hier Torben?", "Hier schreibt man Deutsch"),
    ),
    templates.ORIGIN.rule(
        rf"\bhier (?:schreibt|ist|spricht) (?:der |die )?{_CAP}\w+ aus (?P<o>{_CAP}[\w-]+)",
        (("Moin, hier schreibt Torben aus Husum", "Husum"),),
        ("Hier ist etwas aus Holz.",),
    ),
    templates.RELATION.rule(
        rf"(?:^|(?<=[,.!;:(][ ]))(?!(?:danke|gestern|heute|morgen|hallo|liebe\w*|ja|nein|sorry|moin|hey)\b){_NAME}(?:, | \(){_MY}(?:(?!lieb)\w+ )?(?P<r>{_WORDS})(?=[,).]|$)",
        (
            ("Cem, mein Mann, hat am Wochenende Nachtschicht", "Cem"),
            ("Rudi, unser Dackel, muss abnehmen", "Rudi"),
        ),
        ("Cem, sein Mann, hat Schicht", "Gestern, mein Freund, war es schön", "Danke, mein Freund"),
    ),
    templates.RELATION.rule(
        rf"(?:{_MY}(?:\w+ )?|\b(?:für|mit|von|bei|und|zu) )(?P<r>{_WORDS}) {_NAME}(?= (?:sagt|meint|hat|ist|wird|will|feiert|zum|kommt|zieht|geht|braucht|wohnt|mag|und|in|am)\b|[,.!?;]|$)",
        (
            ("Stimmt das was meine Schwägerin Nadine sagt", "Nadine"),
            ("Für Oma Hedwig zum 90. such ich ein Gedicht", "Hedwig"),
        ),
        ("Seine Schwägerin Nadine sagt das", "Meine Oma Sagt das nicht so", "Mein Chef ist nett"),
    ),
    templates.RELATION.rule(
        rf"{_MY}(?:beiden |zwei |drei |kleinen |großen )*(?P<r>jungs|mädels|söhne[n]?|töchter[n]?|kinder[n]?|katzen|hunde[n]?) ?[(:] ?{_NAME}(?=[,)]| und\b| \()",
        (("Fahre mit meinen beiden Jungs (Mats, 9 und Ole, 6) zelten", "Mats"),),
        ("Fahre mit seinen Jungs (Mats) zelten", "meine Kinder (alle) sind da"),
    ),
    templates.OCCUPATION.rule(
        rf"(?:\bich, \d{{2}}, (?:gelernte[rs]? )?|\bals {_JOB.replace('?P<o>', '?:')} und |\bich bin gelernte[rs]? |^gelernte[rs]? |\bals (?=\w+, das (?:hab|mach)))(?:\w+e[rs]? )?{_JOB}",
        (
            ("Ich, 63, gelernter Dreher, verstehe diese Auskunft nicht", "Dreher"),
            (
                "Schreib mir ne Bewerbung als Altenpflegehelferin, das hab ich gelernt",
                "Altenpflegehelferin",
            ),
        ),
        ("Er ist gelernter Dreher.", "Ich, als Laie, verstehe das nicht"),
    ),
    templates.AGE.rule(
        r"\bich(?: bin)?,? (?:\((?:[mw]|männlich|weiblich),? ?)?(?P<o>[1-9]\d)(?= ?[,)])",
        (("Ich, 63, gelernter Dreher, verstehe das nicht", "63"),),
        ("Ich kaufe 63, nicht 64", "Er, 63, ist Dreher"),
    ),
    templates.HOME.rule(
        rf"\bwohnhaft (?:in )?(?:[\w. -]{{3,40}}, )?(?:\d{{5}} )?(?P<o>{_CAP}[\w-]+)(?![\w.])",
        (("wohnhaft in 99084 Erfurt – setz das in meinen Briefkopf", "Erfurt"),),
        ("Der Täter ist unbekannt.", "Sie ist nicht wohnhaft in Erfurt"),
    ),
    templates.BIRTHDAY.rule(
        r"\bgeboren (?:bin ich|wurde ich) (?:am )?(?P<o>\d{1,2}\. ?(?:\d{1,2}\.|[a-zä]{3,9})(?: ?\d{4})?)",
        (("Geboren bin ich am 3.11.1988, welches Sternzeichen ist das", "3.11.1988"),),
        ("Geboren ist sie am 3.11.1988",),
    ),
    templates.LIKES.rule(
        r"(?:^|, )am liebsten (?:les|lese|hör|höre|trink|trinke|ess|esse|koch|koche|schau|schaue|spiel|spiele|mag|hab|habe|trag|trage) ich (?P<o>(?:[\wäöüß-]+ ){0,2}[\wäöüß-]+?)(?= (?:und|aber|hast|am|in|mit|auf)\b|[,.!]|$)",
        (("am liebsten les ich skandinavische Krimis, hast du was", "skandinavische Krimis"),),
        ("Am liebsten liest sie Krimis", "am liebsten les ich das hier nicht"),
    ),
    replace(templates.PREFERS, shape="clause").rule(
        r"^(?:und |aber |ich )?(?:lieber|eher) (?P<o>[\wäöüß-]+ (?:als|statt|anstatt) [\wäöüß-]+)(?=[,.!]| (?:falls|bitte|wenn|für)\b|$)",
        (("Lieber Fenster als Gang, falls du mir hilfst", "Fenster als Gang"),),
        ("Ist lieber Fenster als Gang gut?", "Lieber Herr Gang, danke"),
    ),
    templates.DISLIKES.rule(
        r"(?:^|[,.!?] )(?P<o>(?-i:[A-ZÄÖÜ])[\wäöüß-]+) (?:kannst du (?:bei mir )?(?:komplett |ganz |gleich |immer )?(?:streichen|weglassen)|(?:bitte )?nicht, (?:den|die|das) (?:vertrag|mag|ess) ich|mag ich (?:gar |überhaupt )?nicht|ist (?:gar |überhaupt )?nicht (?:meins|mein Ding|mein Fall))",
        (("Koriander kannst du bei mir komplett streichen", "Koriander"),),
        ("Den Satz kannst du streichen", "Koriander mag sie nicht"),
    ),
    templates.INSTRUCTION.rule(
        r"^(?:bitte )?(?P<o>(?:wenn|sobald|immer wenn|falls) du (?:mir )?(?:\w+ )?(?:rezepte|code|antworten|texte|beispiele|mails?|briefe|listen|zahlen)[\w ]{0,30}, (?:dann )?(?:\w+ )(?:immer|nie|bitte|stets)[^\n!?]{5,90})",
        (
            (
                "Wenn du mir Rezepte gibst, rechne immer auf eine Person runter",
                "Wenn du mir Rezepte gibst, rechne immer auf eine Person runter",
            ),
        ),
        ("Wenn du mir Rezepte gibst, freue ich mich.", "Wenn sie Rezepte gibt, rechne immer mit"),
    ),
    templates.REMEMBER.rule(
        r"(?:^|[,.!] )(?:bitte )?(?:merke?(?: dir| mal)?(?: bitte| mal)*|notiere?(?: dir)?(?: bitte)?|nicht vergessen|zur (?:info|erinnerung)|notiz)(?: (?:den|die|das) (?=[\w-]+(?: [\w-]+){0,3}:))?(?:: ?| (?=[\w-]+(?: [\w-]+){0,3}: ))(?P<o>[^\n]{5,300})",
        (
            (
                "merke: blaue Tonne immer am Donnerstag raus",
                "blaue Tonne immer am Donnerstag raus",
            ),
            (
                "Merk dir bitte den WLAN-Namen im Ferienhaus: Nest_5G",
                "den WLAN-Namen im Ferienhaus: Nest_5G",
            ),
        ),
        ("Merkst du dir das?", "Er merkte: es regnet"),
    ),
)
