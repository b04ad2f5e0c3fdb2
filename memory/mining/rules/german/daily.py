"""Further ways of speaking of oneself in German: who one is, whom one has, what one does."""

from memory.mining.rules import templates
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["de"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[^\W\d_a-zäöü])[\w'\u2019-]*(?: (?-i:[^\W\d_a-zäöü])[\w'\u2019-]*){0,1})"
_PLACE = r"(?P<o>(?-i:[A-ZÄÖÜ])[\w-]+(?: (?:am|an der|im|ob der) (?-i:[A-ZÄÖÜ])\w+)?)"
_BIN = r"(?:\bich bin|^bin|\bbin ich)(?: (?:auch|ja|übrigens|mittlerweile|inzwischen|seit \w+(?: \w+)?|leider|jetzt|derzeit|momentan))*"
_LIVE = r"(?:\bich (?:wohne?|lebe?)|\bwir (?:wohnen|leben)|^(?:wohne?|lebe?))"
_COUNT = r"(?:eine[nr]?|ein|zwei|drei|vier|fünf|sechs|\d)"
_FAMILY = r"(?:(?:ältere|jüngere|große|kleine|erwachsene)[nrs]? )?(?:Brüder|Bruder|Schwestern?|Geschwister|Kinder|Kind|Söhne?|Sohn|Töchter|Tochter|Enkel(?:kinder)?|Hunde?|Katzen?|Kater|Hühner|Pferde?|Kaninchen)"
_WHEN = r"(?:jeden (?:Tag|Morgen|Abend|Mittag|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Monat)|(?:ein|zwei|drei|vier|fünf)mal (?:die|pro|in der) Woche|immer|meistens|normalerweise|gewöhnlich|oft|regelmäßig|täglich|abends|morgens)"
_DAY = r"(?:am (?:(?:nächsten |kommenden )?(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)|\d{1,2}\. ?\w+)|morgen|übermorgen|nächste Woche|nächsten \w+)"
_APPOINTMENT = r"(?:[A-ZÄÖÜ]\w*)?(?:[Tt]ermin|[Pp]rüfung|[Gg]espräch|[Hh]ochzeit|[Oo]peration|[Ff]lug|[Kk]lausur|[Kk]onzert|[Ee]xamen|[Mm]eeting|[Tt]est|[Uu]mzug|[Bb]esichtigung)"
_DEVICE = r"(?P<r>Handy|Smartphone|Laptop|Rechner|Computer|Tablet|Auto|Fahrrad|E-Bike|Kamera|Drucker|Fernseher|Router)"

RULES: tuple[Rule, ...] = (
    templates.NICKNAME.rule(
        rf"\b(?:alle|meine freunde|die meisten|freunde) (?:sagen|nennen mich|rufen mich) (?!dass\b|das\b|ich\b){_NAME}(?= |$|[,.!])",
        (("ich heiße Friederike, aber alle sagen Fritzi", "Fritzi"),),
        ("Alle sagen das.", "Alle sagen, ich bin nett"),
    ),
    templates.NAME.rule(
        rf"(?:^|[,.!] )ich bin (?:der|die) (?!Meinung|Ansicht|Chef|Boss|Typ|Mann|Frau|Vater|Mutter|Neue|Ältest|Jüngst|Einzige|Erste|Letzte|Idee|Sache|Person){_NAME}(?= aus\b| und\b|[,.!]|$)",
        (("Ich bin der Jürgen aus Bochum", "Jürgen"),),
        ("Ich bin der Meinung, dass", "Er ist der Jürgen aus Bochum"),
    ),
    templates.AGE.rule(
        r"(?:\bich bin|^bin) (?:gerade |letzte \w+ |letzten \w+ |gestern |heute |vor kurzem )?(?P<o>[1-9]\d)(?: Jahre(?: alt)?| geworden|(?=,| und\b|\.|$))",
        (("Ich bin letzte Woche 30 geworden", "30"), ("bin 29 und komme aus Rostock", "29")),
        ("Er ist 30 geworden.", "Ich bin 30 Minuten zu spät"),
    ),
    templates.HOME.rule(
        rf"{_LIVE} (?:(?!nicht\b|nie\b|kaum\b|gern\b|nur\b)\w+ ){{0,4}}?(?:in|bei|nahe)(?: der Nähe von)? (?!Frieden|Angst|Armut|Scheidung|Trennung|Miete|Sorge){_PLACE}",
        (
            ("Ich lebe inzwischen in Basel", "Basel"),
            ("wir leben in einem Dorf bei Kassel", "Kassel"),
        ),
        ("Er lebt in Basel.", "Ich lebe in Angst", "Wo lebe ich in Basel?"),
    ),
    templates.ORIGIN.rule(
        rf"{_BIN} (?:\w+ )?in {_PLACE} (?:und \w+ )?(?:geboren|aufgewachsen|groß geworden)",
        (("Ich bin in Freiburg aufgewachsen", "Freiburg"),),
        ("Er ist in Freiburg aufgewachsen", "Ich bin in Freiburg ausgestiegen"),
    ),
    templates.TRAIT.rule(
        rf"{_BIN} (?:ein(?:e)? )?(?P<o>gebürtige[rs]? \w+|Linkshänder(?:in)?|Rechtshänder(?:in)?|selbstst?ändig|arbeitslos|Single|ledig|Einzelkind|Zwilling|Rentner(?:in)?|im Ruhestand|in Rente|alleinerziehend|Nichtraucher(?:in)?|Frühaufsteher(?:in)?|Nachteule|Rollstuhlfahrer(?:in)?|katholisch|evangelisch|Muslim(?:in|a)?|Jüdin|Jude|Atheist(?:in)?|schwul|lesbisch|bi|trans|introvertiert|Student(?:in)?|Azubi)(?=$|[,.!;]| (?:und|aber|mit|aus|bei|an|seit)\b)",
        (
            ("ich bin Linkshänder", "Linkshänder"),
            ("Ich bin selbstständig", "selbstständig"),
            ("ich bin gebürtiger Hamburger", "gebürtiger Hamburger"),
        ),
        ("Er ist Linkshänder", "Bin ich selbstständig?", "Ich bin nicht selbstständig"),
    ),
    templates.EMPLOYER.rule(
        rf"{_BIN} (?:\w+ )?bei (?:der |dem )?(?P<o>(?-i:[A-ZÄÖÜ])[\w&-]*(?: (?-i:[A-ZÄÖÜ])[\w&-]*)*) (?:angestellt|beschäftigt|tätig)",
        (("Ich bin bei Siemens angestellt", "Siemens"),),
        ("Er ist bei Siemens angestellt", "Ich bin bei Siemens vorbeigefahren"),
    ),
    templates.OCCUPATION.rule(
        r"\bich mache (?:gerade |derzeit )?eine (?:Ausbildung|Lehre|Umschulung) (?:zur|zum|als) (?P<o>(?-i:[A-ZÄÖÜ])[\w-]+)",
        (("Ich mache gerade eine Ausbildung zur Köchin", "Köchin"),),
        ("Er macht eine Ausbildung zum Koch",),
    ),
    templates.WORKPLACE.rule(
        r"\bberuflich (?:mache|betreue|leite|unterrichte) ich (?P<o>[^\n,.;:!?]{3,40})",
        (("Beruflich mache ich Buchhaltung", "Buchhaltung"),),
        ("Beruflich macht er Buchhaltung", "Was mache ich beruflich?"),
    ),
    templates.LIKES.rule(
        r"\bich (?:liebe|mag|genieße) (?:\w+ )?(?:den|das|die) (?!Antwort|Idee|Text|Version|Vorschl|Art\b|Titel|Variante|Geschichte|Formulierung|Liste|Sache|Option)(?P<o>(?-i:[A-ZÄÖÜ])[\w-]+)(?=$|[.!]|, (?!d)| (?:und|aber|sehr|total|im|in|am)\b)",
        (("Ich liebe den Herbst", "Herbst"),),
        ("Er liebt den Herbst", "Ich liebe die Idee", "Ich mag die Antwort"),
    ),
    templates.LIKES.rule(
        r"\bich (?:steh|stehe) (?:total |voll |sehr )?auf (?!dem|der|den|einer|einem|dich|beiden)<o>",
        (("ich steh auf Techno", "Techno"),),
        ("Ich stehe auf dem Balkon.", "Er steht auf Techno"),
    ),
    templates.DISLIKES.rule(
        r"(?:^|[,;] )(?P<o>(?-i:[A-ZÄÖÜ])[\w-]+(?: \w+)?) (?:(?:interessiert|interessieren) mich (?:überhaupt |gar |eher )?(?:nicht|kein bisschen|null)|(?:langweilt|langweilen|nervt|nerven) mich(?: (?:total|sehr|zu Tode))?)(?=$|[.,!])",
        (("Fußball interessiert mich überhaupt nicht", "Fußball"),),
        (
            "Fußball interessiert mich",
            "Das interessiert mich nicht",
            "Fußball interessiert ihn nicht",
        ),
    ),
    templates.DISLIKES.rule(
        r"\bmit (?P<o>(?-i:[A-ZÄÖÜ])[\w-]+) kann ich (?:gar |überhaupt |echt )?nichts anfangen",
        (("Mit Jazz kann ich nichts anfangen", "Jazz"),),
        ("Mit Jazz kann er nichts anfangen", "Damit kann ich nichts anfangen"),
    ),
    templates.DISLIKES.rule(
        r"\bich finde (?P<o>(?-i:[A-ZÄÖÜ])[\w-]+) (?:\w+ )?(?:langweilig|eklig|ekelhaft|furchtbar|schrecklich|doof|ätzend|nervig)(?=$|[.,!])",
        (("Ich finde Oper langweilig", "Oper"),),
        ("Er findet Oper langweilig", "Ich finde das langweilig"),
    ),
    templates.RELATION.rule(
        rf"\b(?:ich habe?|wir haben|ich hab) (?:eine?n? )?(?:\w+ )?(?P<r>{_WORDS})(?:,? (?:(?:er|sie|es|der|die|das) heißt|namens|mit Namen|und (?:er|sie|es) heißt)) {_NAME}",
        (
            ("Wir haben einen Hund, er heißt Balu", "Balu"),
            ("Ich habe eine Schwester namens Lea", "Lea"),
        ),
        ("Sie haben einen Hund, er heißt Balu", "Haben wir einen Hund, er heißt Rex?"),
    ),
    templates.FAMILY.rule(
        rf"\b(?:ich habe?|wir haben|ich hab|und habe?) (?P<o>{_COUNT} {_FAMILY})(?=$|[.!;]|,(?! (?:er|sie|es|die|der)\b)| und\b| im\b)",
        (("Ich habe zwei Brüder", "zwei Brüder"),),
        ("Er hat zwei Brüder", "Ich habe zwei Fragen", "Ich habe keine Kinder"),
    ),
    templates.HABIT.rule(
        rf"(?:^|[,;:–—-] |\b(?:und|aber|oder|denn|also|ja|nein|naja|hallo|hi|moin) )(?P<o>(?:ich (?!habe?\b|bin\b|war\b|will\b|möchte\b|muss\b|soll\b|kann\b|finde\b|denke\b|liebe\b|mag\b|frage\b|freue\b|fühle\b|wünsche\b|wollte\b|hatte\b)\w+e (?:\w+ ){{0,2}}?{_WHEN}|(?:normalerweise|meistens|gewöhnlich|jeden \w+|sonntags|montags|samstags|freitags|abends|morgens) (?!habe?\b|bin\b|war\b|finde\b)\w+e ich)(?! (?:wieder|noch|mehr|das Gefühl|Probleme|Angst)\b) [^\n,.;:!?]{{2,50}})",
        (
            ("Ich stehe immer um fünf auf", "Ich stehe immer um fünf auf"),
            (
                "normalerweise gehe ich um elf ins Bett",
                "normalerweise gehe ich um elf ins Bett",
            ),
        ),
        ("Er steht immer um fünf auf", "Jeden Morgen fährt der Bus", "Du gehst immer so spät"),
    ),
    templates.HABIT.rule(
        r"\b(?P<o>ich (?:fahre|gehe|laufe|pendle|radle) (?:immer )?(?:mit (?:dem|der) \w+|zu Fuß) (?:zur|in die|zum|ins) (?:Arbeit|Schule|Uni|Büro))",
        (
            (
                "Ich fahre mit dem Rad zur Arbeit",
                "Ich fahre mit dem Rad zur Arbeit",
            ),
        ),
        ("Er fährt mit dem Rad zur Arbeit", "Fahre ich mit dem Rad zur Arbeit?"),
    ),
    templates.EVENT.rule(
        rf"\b{_DAY} (?:um \d+ Uhr )?(?:habe?|hab|haben) (?:ich|wir) (?:um \d+ Uhr )?(?:einen|eine|ein|mein(?:e|en)?|unsere?n?) (?P<o>(?:\w+ )?{_APPOINTMENT})",
        (("Am Freitag habe ich einen Zahnarzttermin", "Zahnarzttermin"),),
        ("Am Freitag hat er einen Termin", "Am Freitag habe ich eine Idee"),
    ),
    templates.EVENT.rule(
        rf"\b(?:wir|ich) (?P<o>heiraten?|ziehen? um|werde operiert) (?={_DAY})",
        (("wir heiraten am 8. Juni", "heiraten"),),
        ("Sie heiraten am 8. Juni", "Wir heiraten irgendwann"),
    ),
    templates.DEVICE.rule(
        rf"\bmein(?:e)? (?:neue[rs]? |altes? )?{_DEVICE} ist (?:jetzt )?(?:eine?n? )?(?P<o>(?-i:[A-Z])[\w-]*(?: [\w-]*(?-i:[A-Z\d])[\w-]*)*)(?=$|[.,!]| (?:und|mit|von)\b)",
        (("Mein Handy ist ein Pixel 7", "Pixel 7"),),
        ("Sein Handy ist ein Pixel 7", "Mein Handy ist kaputt"),
    ),
    templates.PROJECT.rule(
        r"\b(?:wir|ich) (?:bauen?|renovieren?|sanieren?|restaurieren?) (?:gerade |zurzeit |seit \w+ )?(?P<o>(?:ein(?:e|en)?|unser(?:e|en)?|mein(?:e|en)?|das|die) (?:\w+ )?(?:Haus|Bad|Küche|Wohnung|Dachboden|Gartenhaus|Boot|Wohnmobil|Oldtimer|Garage|Hof|App|Website|Spiel|Roboter))",
        (("wir bauen ein Haus", "ein Haus"),),
        ("Sie bauen ein Haus", "Bauen wir ein Haus?"),
    ),
    templates.FAMILY.rule(
        r"\b(?P<o>(?:mein|unser)(?:e[nmr]?)? (?:\w+ )?(?:Sohn|Tochter|Kind|Baby|Enkel(?:in)?|Zwillinge|Jüngste[rn]?|Älteste[rn]?|Kleine[rn]?)(?: ist| wird|,| \()? ?(?:jetzt |gerade |bald )?(?:\d{1,2}|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?: Jahren?| Monaten?)?(?: alt)?)(?=[,.)!]| und\b| im\b)",
        (
            ("meine Tochter ist 6, was kann ich ihr vorlesen", "meine Tochter ist 6"),
            ("Rätsel für unseren Sohn (8)", "unseren Sohn (8"),
        ),
        ("ihre Tochter ist 6", "Wie alt ist meine Tochter?"),
    ),
    templates.OCCUPATION.rule(
        r"(?:\bich bin|^bin) (?P<o>(?-i:[A-ZÄÖÜ])[\wäöüß-]*(?:decker|lehrer|pfleger|helfer|schlosser|meister|fahrer|erzieher|verkäufer|techniker|ingenieur|maurer|tischler|bäcker|köchin|koch|gärtner|friseur|sanitäter|ärztin|arzt|anwalt|anwältin|makler|imker|elektriker|entwickler|berater|planer|zeichner|bote|wirt)(?:in)?)(?= (?:habe?|und|in|bei|aus|mit|brauche?|suche|seit|an|auf)\b)",
        (("Also ich bin Dachdecker habe drei Angestellte", "Dachdecker"),),
        ("er ist Dachdecker in Ulm", "ich bin kein Lehrer und"),
    ),
)
