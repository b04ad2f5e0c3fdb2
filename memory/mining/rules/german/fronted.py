"""German sentences that begin with the thing they are about: "Pilze mag ich nicht"."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, FRONT, THING, TONGUE
from memory.mining.rules.german.words import FOOD, GAME, ILLNESS, INSTRUMENT, KNOW_HOW
from memory.mining.rules.table import Rule

_TAKE = r"(?:ess|trink|les|hör|schau|guck|spiel|koch|back|sammel|sammle|trag|fahr|seh|tanz|sing|mach)e?"
_SO = r"(?:(?:überhaupt|gar|echt|so|leider|eher|einfach|eigentlich|wirklich|ehrlich gesagt|absolut|total|voll|richtig|ganz|sehr|besonders|immer|auch|halt|ja|dagegen|hingegen|dafür|am) ){0,3}"
_BAD = r"(?:furchtbar|schrecklich|eklig|ekelhaft|widerlich|langweilig|öde|doof|blöd|ätzend|nervig|grässlich|scheußlich|schlimm|grauenhaft|grauenvoll|unerträglich|abscheulich|bescheuert)"
_GOOD = r"(?:toll|super|klasse|großartig|lecker|genial|wunderbar|herrlich|fantastisch|spitze|cool|spannend|faszinierend|köstlich)"
_END = r"(?=$|[,.!;:)]| (?:und|aber|oder|weil|obwohl|denn|nur|doch|also)\b)"
_TASTE = r"(?:mag|liebe?|hasse?|find\w*|vertrage?|ess|esse|trinke?|lese?|höre?|schaue?|gucke?|spiele?|koche?)"

RULES: tuple[Rule, ...] = (
    templates.DISLIKES.rule(
        rf"{FRONT}{THING} (?:mag ich {_SO}nicht(?= mehr|[,.!;]|$)|find(?:e|en)? (?:ich|wir) {_SO}{_BAD}|hasse? ich|verabscheue? ich|{_TAKE} ich {_SO}(?:ungern|nicht (?:so )?(?:gern|gerne))"
        rf"|kann ich {_SO}nicht (?:leiden|ausstehen|ab|riechen|mehr sehen)|(?:ist|sind) {_SO}(?:nicht|nix|nichts) (?:so )?(?:mein ding|meins|mein fall|für mich|meine sache|mein geschmack)|schmeck(?:t|en) mir {_SO}nicht){_END}",
        (
            ("Rosinen im Kuchen find ich furchtbar.", "Rosinen im Kuchen"),
            ("Was koch ich heut? Pilze mag ich nicht, Paprika schon.", "Pilze"),
            ("Nudeln mag ich, aber Lakritze hasse ich", "Lakritze"),
            ("Oper ist echt nicht mein Fall", "Oper"),
        ),
        (
            "Das mag ich nicht.",
            "Pilze mag sie nicht.",
            "Mag ich Pilze nicht?",
            "Deine Idee find ich furchtbar",
            "Wenn ich Pilze nicht mag, was dann?",
            "Satz drei mag ich nicht",
        ),
    ),
    templates.LIKES.rule(
        rf"{FRONT}{THING} (?:mag ich {_SO}(?:sehr|gern|gerne|total|besonders|unheimlich|unglaublich|wahnsinnig|am liebsten)|liebe? ich|find(?:e|en)? (?:ich|wir) {_SO}{_GOOD}|{_TAKE} ich (?!nicht\b){_SO}(?:gern|gerne|leidenschaftlich|liebend gern|am liebsten)"
        rf"|(?:ist|sind) (?:meine? (?:(?:\w+e[nrs]?) )?(?:leidenschaft|ding|hobby|steckenpferd|ein und alles)|genau mein ding)|schmeck(?:t|en) mir {_SO}(?:gut|sehr|super|am besten)|(?:machen|macht) mir {_SO}spaß){_END}",
        (
            (
                "Bergsteigen ist meine große Leidenschaft, obwohl mir die Knie wehtun.",
                "Bergsteigen",
            ),
            ("Krimis les ich gern, Liebesromane eher nicht.", "Krimis"),
            ("Dunkle Schokolade liebe ich!", "Dunkle Schokolade"),
        ),
        (
            "Krimis liest er gern",
            "Das les ich gern",
            "Krimis les ich nicht gern",
            "Deinen Text find ich toll",
            "Bergsteigen ist seine große Leidenschaft",
            "Les ich gern Krimis?",
        ),
    ),
    templates.DISLIKES.rule(
        rf"(?P<lead>\b{_TASTE} ich [^,.!?]{{2,30}}, (?:aber |nur |und )?){THING} {_SO}(?:nicht|nie|ungern|weniger){_END}",
        (("Krimis les ich gern, Liebesromane eher nicht.", "Liebesromane"),),
        ("Krimis liest er gern, Liebesromane nicht", "Krimis les ich gern, Liebesromane auch"),
    ),
    templates.LIKES.rule(
        rf"(?P<lead>\b{_TASTE} ich [^,.!?]{{0,20}}(?:nicht|ungern|nie|{_BAD}), (?:aber |nur |dafür )?){THING} {_SO}(?:schon|gern|gerne|sehr|umso mehr){_END}",
        (("Pilze mag ich nicht, Paprika schon.", "Paprika"),),
        (
            "Pilze mag sie nicht, Paprika schon",
            "Pilze mag ich nicht, Paprika auch nicht",
            "Pilze mag ich gern, das schon",
        ),
    ),
    templates.PREFERS.rule(
        r"(?:^|(?<=[,][ ]))(?P<o>(?!das\b|dies|es\b|dein|diese)[^\n,.!?]{3,40}?) (?:gefällt(?:s|'s|’s| es)? mir besser als|(?:ist|sind) mir lieber als|schmeck(?:t|en) mir besser als|mag ich lieber als) (?!dein|die andere|das andere|vorher)",
        (
            (
                "auf dem Land gefällts mir besser als in der Stadt",
                "auf dem Land",
            ),
            ("Tee ist mir lieber als Kaffee", "Tee"),
        ),
        ("Das gefällt mir besser als vorher", "Tee ist ihm lieber als Kaffee"),
    ),
    templates.PREFERS.rule(
        r"(?:^|(?<=[,.][ ]))(?P<o>(?:(?:meinen|den) )?(?:kaffee|tee|espresso|steak|eier|nudeln|cappuccino|pizza|müsli) (?:trink|ess|mag|nehm)e? ich (?:immer |nur |am liebsten |meistens )?(?!nicht\b|kein|gern|viel|auch|jed|heute|morgen)(?:ohne \w+|mit \w+|[a-zäöüß]{4,15}))(?=$|[,.!;]| und\b)",
        (("Kaffee trink ich schwarz", "Kaffee trink ich schwarz"),),
        ("Kaffee trinkt sie schwarz", "Kaffee trink ich gern", "Trink ich Kaffee schwarz?"),
    ),
    templates.AVOIDS.rule(
        rf"(?:^|(?<=[,;][ ])|(?<=\bund[ ]))(?P<o>{FOOD}(?:(?:,| und| oder) {FOOD})*) (?:ess|trink|vertrag|nehm|rühr|konsumier)e? ich (?:(?:seit \w+(?: \w+)?|gar|überhaupt|aber|leider|generell|auch|schlecht) ){{0,3}}(?:nicht|nie|keine?n?s?|nicht mehr|nicht an|schlecht){_END}",
        (
            ("Fleisch esse ich nicht, Fisch schon", "Fleisch"),
            ("Laktose vertrage ich nicht.", "Laktose"),
        ),
        ("Fleisch isst sie nicht", "Fleisch esse ich gern", "Esse ich Fleisch nicht?"),
    ),
    templates.AVOIDS.rule(
        rf"(?:\bich |^)(?:ess|trink|vertrag|nehm)e? (?:seit \w+(?: \w+)? |eigentlich |gar |überhaupt |generell |leider )*keine?n? (?P<o>{FOOD}(?:(?:,| und| oder) (?:keine?n? )?{FOOD})*)",
        (("ich ess kein fleisch mehr, seit ich das gesehen hab", "fleisch"),),
        ("er isst kein fleisch", "ich esse kein Eis am Stiel heute", "ess ich kein fleisch?"),
    ),
    templates.ALLERGY.rule(
        rf"{FRONT}(?:gegen|auf) (?P<o>[^\n,.!?]{{3,40}}?) (?:bin|reagiere?) ich (?:(?!nicht|nie|kaum)\w+ ){{0,2}}?allergisch\b",
        (("Gegen Haselnüsse bin ich allergisch, Mandeln gehen zum Glück.", "Haselnüsse"),),
        ("Gegen Haselnüsse ist er allergisch", "Gegen Nüsse bin ich nicht allergisch"),
    ),
    templates.CONDITION.rule(
        rf"{FRONT}{ILLNESS} (?:hab|habe) ich (?!nicht|nie|kein|gerade|heute|zum glück nicht)",
        (
            (
                "Zurzeit hab ich Schnupfen, aber Heuschnupfen hab ich auch jedes Jahr.",
                "Heuschnupfen",
            ),
            ("Asthma habe ich seit meiner Kindheit", "Asthma"),
        ),
        ("Asthma hat mein Bruder", "Asthma habe ich nicht", "Hab ich Asthma?"),
    ),
    templates.CAN.rule(
        rf"{FRONT}(?P<o>{KNOW_HOW}) (?:kann ich(?: (?:ganz|ziemlich|sehr|recht|richtig|auch|schon|gut))*{_END}|hab(?:e)? ich mir (?:selbst|selber|früh) beigebracht)",
        (
            ("Klavier spielen kann ich, Noten lesen leider nicht", "Klavier spielen"),
            ("Stricken hab ich mir selbst beigebracht, mit YouTube", "Stricken"),
        ),
        ("Stricken kann ich nicht", "Stricken kann sie gut", "Kann ich stricken?"),
    ),
    templates.SPEAKS.rule(
        rf"(?:{FRONT}(?P<o>{TONGUE}) (?:(?:sprech|red|kann|versteh|spreche|rede|verstehe) ich (?!nicht|nie|kein|kaum|am|beim)(?:[^\n,.]{{2,25}})?{_END}|hab(?:e)? ich [^\n,.]{{2,30}} gelernt|ist meine (?:mutter|erst|zweit)sprache))",
        (
            ("Deutsch hab ich mit zwölf gelernt.", "Deutsch"),
            ("Polnisch spreche ich fließend", "Polnisch"),
            ("Kurdisch ist meine Muttersprache", "Kurdisch"),
        ),
        ("Polnisch spreche ich nicht", "Polnisch spricht sie", "Deutsch ist ihre Muttersprache"),
    ),
    templates.SPEAKS.rule(
        rf"\bmeine (?:mutter|erst|zweit)sprachen? (?:ist|sind) (?:eigentlich |ja |auch )?(?P<o>{TONGUE}(?: und {TONGUE})?)",
        (("Meine Muttersprache ist Kurdisch, Deutsch kam später", "Kurdisch"),),
        ("Ihre Muttersprache ist Kurdisch", "Was ist meine Muttersprache?"),
    ),
    templates.PLAYS.rule(
        rf"(?:{FRONT}(?P<o>{INSTRUMENT}|{GAME}) spiele? ich (?!nicht|nie|kein|gern|ungern|leider nicht))",
        (("Geige spiel ich seit der Schulzeit", "Geige"),),
        ("Geige spiel ich nicht", "Geige spielt mein Sohn", "Spiel ich Geige?"),
    ),
    templates.PLAYS.rule(
        rf"(?:\bich spiele?|^spiele?|(?<=\w[ ])spiele? ich) (?:(?!nicht|nie|kein|heute|morgen|gern|mit|gegen)[\w.]+ ){{0,5}}?(?P<o>{GAME})\b",
        (("Ich spiele seit der Grundschule Tischtennis, mittlerweile gut", "Tischtennis"),),
        ("Ich spiele nicht Tennis", "Er spielt Tennis", "Heute spiele ich nicht Tennis"),
    ),
    templates.SURNAME.rule(
        rf"\bmein (?:nachname|familienname) (?:schreibt sich|lautet) (?P<o>{CAPITAL}[\w-]+)",
        (("Mein Nachname schreibt sich Groeschl, mit oe", "Groeschl"),),
        ("Sein Nachname schreibt sich Groeschl", "Mein Nachname schreibt sich so"),
    ),
    templates.CAN.rule(
        rf"\b(?:hat|haben|hatte) mir (?:auch |damals |früher )?(?:das |den |die )?(?P<o>{KNOW_HOW}) beigebracht\b",
        (("Meine Oma hat mir das Jodeln beigebracht, das kann ich noch", "Jodeln"),),
        ("Meine Oma hat ihm das Jodeln beigebracht", "Wer hat mir das Jodeln beigebracht?"),
    ),
    replace(templates.LIMIT, shape="clause").rule(
        r"(?:^|(?<=[,;.][ ]))(?P<o>(?:(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|am wochenende|vormittags|abends|nachmittags|vor (?:acht|neun|zehn|\d\d?)(?: uhr)?) (?:hab(?:e)? ich (?:nie|keine) zeit|kann ich (?:nie|nicht)|bin ich nie (?:da|erreichbar|zu hause)|muss ich (?:immer )?arbeiten))(?=$|[,.!;]| (?:und|weil)\b)",
        (("freitags hab ich nie zeit, da bin ich im Heim", "freitags hab ich nie zeit"),),
        ("freitags hat er nie Zeit", "Kann ich freitags nicht?", "freitags hab ich viel Zeit"),
    ),
)
