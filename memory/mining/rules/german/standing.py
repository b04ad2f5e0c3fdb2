"""Where one lives and works in German, and what one was trained for."""

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, FRONT, SPOT, TRADE, i
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import Template

_TRAINED = Template("experience", "trained_as_{slug}", "trained_as", "The user trained as {object}.")
_NO_EMPLOYER = (
    r"(?:firma|arbeit|schule|uni|prüfung|klausur|abitur|zukunft|matura|note|zeitung|kunden|leute|familie)"
)
_NOT_A_JOB = (
    r"(?!vegetarier|veganer|anfänger|raucher|nichtraucher|\w*händer|mutter|vater|single|berliner|wiener|münchner|hamburger"
    r"|schweizer|österreicher|italiener|engländer|spanier|kölner|zürcher|optimist|pessimist|kommissar|könig|kaiser|teil|mitglied)"
)

RULES: tuple[Rule, ...] = (
    templates.OCCUPATION.rule(
        rf"(?:\bvon beruf bin ich |{i('bin')})(?:eine? )?(?:selbstständige[rn]? |freie[rn]? )?{_NOT_A_JOB}"
        r"(?P<o>(?-i:[A-ZÄÖÜ])[\w-]*(?:er|erin|ist|istin|eur|eurin|or|orin|ent|entin|ant|antin|arzt|ärztin|anwalt|anwältin"
        r"|koch|köchin|wirt|wirtin|loge|login|graf|grafin|mann|frau|kraft|schwester|hebamme|azubi))(?= (?:bei|in|im|an|am|für|und|aus|auf)\b|[.,!;]|$)",
        (
            ("Ich bin Lehrer für Physik", "Lehrer"),
            ("Von Beruf bin ich Schornsteinfegerin", "Schornsteinfegerin"),
        ),
        ("Ich bin Vegetarier.", "Ich bin kein Lehrer.", "Bin ich Lehrer?", "Ich bin Berliner."),
    ),
    templates.HOME.rule(
        rf"{FRONT}(?:zu ?hause|daheim) bin ich (?:aber |eigentlich )?in (?!Sicherheit|Quarantäne|Ruhe|Rente|Elternzeit|Karenz|\w*(?:hose|anzug|socken|hemd)\b){SPOT}",
        (("Gerade bin ich auf Montage in Rostock, zu Hause bin ich in Cottbus.", "Cottbus"),),
        (
            "Zu Hause ist er in Cottbus",
            "Zu Hause bin ich in Jogginghose",
            "Bin ich zu Hause in Ulm?",
        ),
    ),
    templates.HOME.rule(
        rf"(?:\bich |^|, |\bund )(?:wohne?|lebe) (?:(?!nicht\b|nie\b|kaum\b|gern\b)[\w.]+ ){{0,4}}?in (?P<o>{CAPITAL}[\w-]+(?: (?:am|an der|im|ob der) {CAPITAL}\w+)?)",
        (
            ("bin 34, wohne seit zwei jahren in Erfurt und such einen Bäcker", "Erfurt"),
            (
                "Ich überlege umzuziehen, wohne aber vorerst weiter in Halle an der Saale.",
                "Halle an der Saale",
            ),
        ),
        (
            "Er ist 34, wohnt seit zwei Jahren in Erfurt",
            "Ich wohne nicht in Erfurt",
            "Wohne ich in Erfurt?",
        ),
    ),
    templates.EMPLOYER.rule(
        rf"{i('arbeite|jobbe|schaffe|kellnere')}(?:(?:als \w+|seit \w+(?: \w+)?|in (?:Teil|Voll)zeit|Teilzeit|Vollzeit) ){{0,3}}(?:bei|für) (?:die |das |den |einer? |einem )(?!{_NO_EMPLOYER}\b|meine|unser|\w+prüfung|(?-i:[a-zäöüß]))(?P<o>{CAPITAL}[\w&-]*(?: {CAPITAL}[\w&-]*){{0,2}})(?= in\b| und\b| als\b|[,.!;]|$)",
        (("seit Mai arbeite ich für die Diakonie.", "Diakonie"),),
        (
            "Sie arbeitet für die Diakonie.",
            "Ich arbeite für die Prüfung.",
            "Ich arbeite nicht für die Diakonie",
        ),
    ),
    templates.EMPLOYER.rule(
        rf"\b(?:ausbildung|lehre|praktikum|volontariat|trainee|duales studium) (?:(?:zur|zum|als) (?:\w+e[nrs]? )?{CAPITAL}[\w-]+ )?bei (?:der |dem )?{SPOT}",
        (("ich mach ne Ausbildung zum Mechatroniker bei Bosch in Homburg", "Bosch"),),
        ("Die Ausbildung beim Chef ist hart", "Wie ist die Lehre zum Koch?"),
    ),
    templates.WORKED.rule(
        rf"{FRONT}bei (?:der |dem )?{SPOT} (?:bin|arbeite|schaffe) ich (?:schon |seit \w+(?: \w+)? )?nicht mehr\b",
        (("Bei der Telekom bin ich nicht mehr, seit Mai arbeite ich hier", "Telekom"),),
        ("Bei der Telekom ist er nicht mehr", "Bei der Telekom bin ich gern"),
    ),
    templates.OCCUPATION.rule(
        r"(?:\bich |^)mach(?:e)? (?:gerade |derzeit |noch |jetzt |momentan )?(?:'?ne|eine|meine) (?:ausbildung|lehre|umschulung|weiterbildung|fortbildung) (?:zur|zum|als) (?:\w+e[nrs]? )?(?P<o>(?-i:[A-ZÄÖÜ])[\w-]+)",
        (("ich mach ne Ausbildung zum Mechatroniker bei Bosch", "Mechatroniker"),),
        ("er macht ne Ausbildung zum Koch", "mach ne Liste", "Mach ich eine Ausbildung?"),
    ),
    templates.OCCUPATION.rule(
        rf"(?:\bich bin|^bin|\bbin ich|, bin|\bund bin) (?:(?:dann|aber|doch|schließlich|später|am Ende|schlussendlich|stattdessen) ){{0,3}}(?P<o>{TRADE}) geworden",
        (
            (
                "Eigentlich wär ich gern Pilot geworden, bin dann aber Fluglotse geworden.",
                "Fluglotse",
            ),
        ),
        ("Er ist Fluglotse geworden", "Ich bin Vater geworden", "Ich bin Zweiter geworden"),
    ),
    templates.OCCUPATION.rule(
        rf"{FRONT}als (?:\w+e[rsn]? )?(?P<o>{TRADE}) (?:arbeite|jobbe|verdiene|schufte) ich\b",
        (("Als Gerüstbauer arbeite ich seit zehn Jahren", "Gerüstbauer"),),
        ("Als Koch arbeitet er hier", "Als Kind arbeite ich nicht"),
    ),
    _TRAINED.rule(
        rf"\b(?:meine|die) (?:lehre|ausbildung|meisterprüfung) (?:als|zum|zur) (?P<o>{CAPITAL}[\w-]+) hab(?:e)? ich [^\n,.]{{0,40}}?(?:gemacht|abgeschlossen|absolviert|beendet|geschafft)",
        (("Die Lehre als Polymechaniker habe ich in Olten gemacht.", "Polymechaniker"),),
        ("Die Lehre als Koch hat er in Olten gemacht", "Was hab ich gemacht?"),
    ),
    templates.WORKPLACE.rule(
        rf"{i('arbeite')}(?:in |im )?(?P<o>Teilzeit|Vollzeit|Schicht(?:dienst|en)?|Nachtschicht|Wechselschicht|Homeoffice|Gleitzeit|Kurzarbeit)\b",
        (("Ich arbeite Teilzeit, 60 Prozent, auf dem Amt", "Teilzeit"),),
        ("Er arbeitet Teilzeit", "Arbeite ich Teilzeit?", "Ich arbeite nicht Teilzeit"),
    ),
    templates.WORKPLACE.rule(
        rf"{i('arbeite')}(?:[^\n,]{{1,30}})?, [^\n,]{{2,20}}, (?:im|in der|auf dem|auf der|am|an der|beim|bei der|in einem|in einer) (?P<o>{CAPITAL}[\w-]+)(?=$|[,.!;]| (?:und|in)\b)",
        (("Ich arbeite Teilzeit, 60 Prozent, auf dem Gemeindeamt", "Gemeindeamt"),),
        ("Er arbeitet viel, 60 Prozent, auf dem Gemeindeamt",),
    ),
)
