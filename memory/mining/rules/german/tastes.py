"""What people are fond of and what they cannot stand, in the many verbs German has for it."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, FRONT, SINCE_I, THING
from memory.mining.rules.table import Rule

_SO = r"(?:(?:sehr|total|echt|wirklich|voll|ja|auch|halt|eigentlich|absolut|ziemlich|besonders|einfach|schon immer|seit \w+|leider|überhaupt|gar|so|immer|am meisten) ){0,3}"
_END = r"(?=$|[,.!;:)]| (?:und|aber|oder|weil|obwohl|denn|nur|doch|also|als)\b)"
_NOUN = rf"(?P<o>(?!(?:dein|ihr|sein|dies|jen|kein|euer|eure|das\b|die idee|den text)\w*)(?:[a-zäöüß-]+(?:e[nrsm]?) ){{0,2}}?{CAPITAL}[\w-]+(?:(?:,| und| oder) (?:[a-zäöüß-]+e[nrsm]? )?{CAPITAL}[\w-]+){{0,3}})"
_GLAD_VERB = r"(?!hätte|würde?|möchte|wüsste|will|kann|könnte|wäre|nehme?|hab|habe|bin|war|helfe?|komme?|lasse?|soll|sollte|muss|dürfte|darf|werde|mag|sage?|gebe?|zahle?|warte|verzichte|bleibe?|sehe?|wollte|erfahre|wissen|hatte|sagte)"
_GLADLY = r"(?:(?:sehr|total|wahnsinnig|unheimlich|für mein leben|besonders|auch|immer|so|echt|richtig|ganz) ){0,2}(?:gern|gerne|leidenschaftlich gern|leidenschaftlich|am liebsten)"
_ACTIVITY = r"(?P<o>(?!das\b|es\b|dich|dir|davon|darüber|so\b|mehr\b|weiter|noch|auch|mal\b|und\b|aber\b|wenn|als\b|etwas\b|was\b|hier\b|damit|daran|mit (?:dir|euch|ihnen)\b|zu\b)[^\n,.;:!?()]{3,45}?)"
_TRASH = r"(?:langweilig|eklig|ekelhaft|furchtbar|schrecklich|doof|blöd|ätzend|nervig|widerlich|grässlich|scheußlich|grauenhaft|unerträglich|öde|schlimm|bescheuert|überbewertet|zum kotzen|zum davonlaufen)"
_GREAT = r"(?:toll|super|klasse|großartig|lecker|genial|wunderbar|herrlich|fantastisch|spitze|cool|faszinierend|köstlich|wunderschön)"
_FAN = r"(?:(?:ein|eine|'?n|'?ne) )?(?:(?:riesen|riesiger?|großer?|absoluter?|totaler?|echter?|eingefleischter?|leidenschaftlicher?) ?)?"

RULES: tuple[Rule, ...] = (
    templates.LIKES.rule(
        rf"\bich {_GLAD_VERB}\w+ {_GLADLY} {_ACTIVITY}{_END}",
        (("Ich gehe gern wandern.", "wandern"), ("ich fahr total gern Rad", "Rad")),
        (
            "Er geht gern wandern",
            "Ich hätte gern wandern",
            "Ich würde gern wandern gehen",
            "Ich mache das gern",
            "Gehe ich gern wandern?",
        ),
    ),
    templates.LIKES.rule(
        rf"\bich (?P<o>(?!hab|bin|war|würd|hätt|möcht|will|kann|mach|komm|helf|nehm|les|sag|geb|wart|arbeit|tu\b|seh|bleib|verzicht|erzähl|zeig|schick|wiss|wüss)[a-zäöüß]{{3,12}}e?) {_GLADLY}(?=$|[.!;,]| (?:und|im|am|in|an|mit)\b)",
        (("Ich wandere gern.", "wandere"), ("ich bastle gern und viel", "bastle")),
        ("Er wandert gern.", "Ich hätte gern.", "Ich helfe gern."),
    ),
    templates.LIKES.rule(
        rf"(?:\bich bin|^bin|(?<=\w[ ])bin ich) {_SO}(?:{_FAN}fan vo[nm]|(?:verrückt|süchtig) nach|begeistert von|fasziniert von) (?!dir\b|deine|ihnen|der idee|dem text)(?:der |dem |den )?(?:\w+e[nrm] )?(?P<o>{CAPITAL}[\w-]+(?: {CAPITAL}[\w-]+)?(?: und {CAPITAL}[\w-]+)?)",
        (("Ich bin Riesenfan von Dune.", "Dune"), ("bin total verrückt nach Lakritz", "Lakritz")),
        ("Er ist Fan von Dune", "Ich bin kein Fan von Dune", "Bin ich Fan von Dune?"),
    ),
    templates.LIKES.rule(
        rf"(?:\bich bin|^bin|(?<=\w[ ])bin ich) {_SO}{_FAN}(?P<o>{CAPITAL}[\w-]*[a-zäöüß])-?(?:fan|fanatiker|liebhaber|freak|narr|junkie|nerd)(?:in)?{_END}",
        (("Ich bin ein großer Jazz-Fan.", "Jazz"), ("Ich bin Krimiliebhaberin", "Krimi")),
        ("Er ist Jazz-Fan", "Ich bin kein Jazz-Fan"),
    ),
    templates.LIKES.rule(
        rf"(?:\bich (?:schwör|schwöre|steh|stehe) {_SO}auf|(?<=\w[ ])(?:schwör|schwöre|steh|stehe) ich {_SO}auf|\bich (?:interessier|interessiere|begeister|begeistere) mich {_SO}für|(?<=\w[ ])(?:interessier|interessiere|begeister|begeistere) ich mich {_SO}für|\bmich (?:fasziniert|faszinieren|begeistert|begeistern)) (?!dem |der |den |einer |dein)(?:die |das )?{_NOUN}",
        (
            ("Ich interessiere mich sehr für Astronomie.", "Astronomie"),
            ("Ich schwöre auf kaltes Leinöl", "kaltes Leinöl"),
        ),
        (
            "Er interessiert sich für Astronomie",
            "Ich interessiere mich nicht für Astronomie",
            "Ich stehe auf dem Dach",
        ),
    ),
    templates.LIKES.rule(
        rf"{FRONT}{THING} (?:fasziniert|faszinieren|begeistert|begeistern) mich{_END}",
        (("Vulkane faszinieren mich!", "Vulkane"),),
        ("Das fasziniert mich", "Vulkane faszinieren ihn"),
    ),
    replace(templates.FAVOURITE, statement="The user's favourite {r} is {object}.").rule(
        rf"{FRONT}{THING} (?:ist|sind|war|bleibt|bleiben)(?: und bleib(?:t|en)| immer noch| schon immer| einfach)? meine? (?:absolute[rs]? |absolutes )?liebling(?:s)(?P<r>[a-zäöüß]+)",
        (("Käsespätzle sind mein Lieblingsessen.", "Käsespätzle"),),
        ("Käsespätzle sind ihr Lieblingsessen", "Was ist mein Lieblingsessen?"),
    ),
    templates.FAVOURITE.rule(
        r"\bmeine? (?:absolute[rs]? |absolutes |derzeitige[rs]? )liebling(?:s)(?P<r>[a-zäöüß]+)(?: (?:ist|sind|bleibt|heißt)|:) (?!nicht|kein)<o>",
        (("Mein absolutes Lieblingsbuch ist Momo.", "Momo"),),
        ("Ihr absolutes Lieblingsbuch ist Momo",),
    ),
    templates.PREFERS.rule(
        r"(?:\bich (?!würde|hätte|möchte|will|bleib|soll|kann|wäre)\w+|(?<=\w[ ])(?:trink|ess|les|hör|fahr|geh|nehm|schau|koch|trag|mag)e? ich) (?:dann |immer |meist |meistens |eigentlich |ja |viel )*lieber (?P<o>(?!das\b|es\b|so\b|nicht|kein|noch|mal\b|nochmal|gleich|erst|wenn|zu hause|daheim)[^\n,.;:!?]{2,40}? (?:als|statt|anstatt) (?!dass|ob|wenn)[^\n,.;:!?]{2,30})(?=$|[,.;!])",
        (("Ich fahr lieber Zug als Auto.", "Zug"),),
        ("Er fährt lieber Zug als Auto", "Ich würde lieber Zug als Auto fahren"),
    ),
    templates.DISLIKES.rule(
        rf"(?:\bich kann|(?<=\w[ ])kann ich) mit (?!dir\b|dem text|der antwort|d(?:em|er|en|ies)\b){_NOUN} {_SO}(?:nichts|nix|wenig) anfangen",
        (("Ich kann mit Oper nichts anfangen.", "Oper"),),
        ("Er kann mit Oper nichts anfangen", "Ich kann damit nichts anfangen"),
    ),
    templates.DISLIKES.rule(
        rf"(?:\bich halte? {_SO}nicht(?:s|s? viel) von|{FRONT}von (?=[^\n,.]{{2,40}} halte? ich nichts)|\bich ekl?e mich vor|\bmir graut(?:'s| es)? (?:immer )?vor|\bich bin {_SO}kein(?:e)? (?:großer? |besonderer? )?(?:fan|freund|freundin) vo[nm]|\bmich (?:nervt|nerven|langweilt|langweilen|ekelt|ekeln)) (?!dein|dies|der idee|dem text|den text|es\b|das\b){_NOUN}",
        (
            ("Ich bin kein Fan von Rosinen.", "Rosinen"),
            ("Ich halte nichts von Horoskopen", "Horoskopen"),
            ("mich nerven Laubbläser", "Laubbläser"),
        ),
        ("Er hält nichts von Horoskopen", "Ich halte viel von Horoskopen", "Mich nervt das"),
    ),
    templates.DISLIKES.rule(
        rf"{FRONT}{THING} (?:(?:ist|sind|wär|wären) {_SO}(?:nichts|nix) für mich|(?:ist|sind) mir (?:ein graus|zuwider|ein gräuel|zu \w+ )|(?:geht|gehen) mir {_SO}auf (?:die nerven|den keks|den wecker|den geist|den sack)|(?:kann|können) mir gestohlen bleiben|(?:ekelt|ekeln) mich an|(?:nervt|nerven) mich {_SO}|(?:muss|brauch) ich nicht haben|ertrag(?:e)? ich nicht){_END}",
        (
            ("Achterbahnen sind nichts für mich.", "Achterbahnen"),
            ("Schlager geht mir auf die Nerven", "Schlager"),
        ),
        ("Das ist nichts für mich", "Achterbahnen sind nichts für ihn", "Mein Chef nervt alle"),
    ),
    templates.DISLIKES.rule(
        rf"\bich find(?:e)? {_NOUN} {_SO}{_TRASH}{_END}",
        (("Ich find kalten Kaffee echt eklig.", "kalten Kaffee"),),
        ("Er findet Kaffee eklig", "Ich finde deine Idee doof", "Ich finde das doof"),
    ),
    templates.LIKES.rule(
        rf"\bich find(?:e)? {_NOUN} {_SO}{_GREAT}{_END}",
        (("Ich finde alte Landkarten total faszinierend.", "alte Landkarten"),),
        ("Er findet Karten toll", "Ich finde deine Idee toll", "Ich finde das toll"),
    ),
    replace(templates.DISLIKES, shape="clause", many=False).rule(
        r"\bich (?:hasse|verabscheue) es,? (?P<o>(?:wenn (?!du\b|ihr\b|sie\b)|[^\n,.;!?]{0,40}?\w*zu ?\w*en\b)[^\n,.;!?]{0,50})",
        (
            ("Ich hasse es, früh aufzustehen.", "früh aufzustehen"),
            ("ich hasse es, wenn es laut ist", "wenn es laut ist"),
        ),
        ("Er hasst es, früh aufzustehen", "Ich hasse es.", "Ich hasse es, wenn du so schreibst"),
    ),
    templates.DISLIKES.rule(
        rf"{SINCE_I}mit {_NOUN} nichts anfangen kann",
        (("weil ich mit Fußball nichts anfangen kann", "Fußball"),),
        ("weil er mit Fußball nichts anfangen kann",),
    ),
)
