"""Family, body, things, plans and orders in German, in further words."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import CAPITAL, FRONT, i
from memory.mining.rules.german.words import BODILY, ILLNESS
from memory.mining.rules.table import Rule
from memory.mining.rules.templates import Template
from memory.text import kinship

KIN = kinship.KIN["de"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = rf"(?P<o>{CAPITAL}[\w'\u2019-]+(?: {CAPITAL}[\w'\u2019-]+)?)"
_WEIGHT = Template("identity", "weight", "weighs", "The user weighs {object}.", "as_is")
_HEIGHT = Template("identity", "height", "is_tall", "The user is {object} tall.", "as_is")
_VISITED = Template("experience", "visited_{slug}", "has_visited", "The user has visited {object}.", "place")
_OWNS = Template("other", "owns_{slug}", "owns", "The user owns this: {object}.")
_VEHICLE = (
    r"(?:(?:VW|Opel|BMW|Audi|Mercedes|Skoda|Škoda|Ford|Fiat|Renault|Toyota|Tesla|Volvo|Seat|Dacia|Hyundai|Kia|Mazda|Honda|Yamaha|Suzuki|Kawasaki|Harley|Peugeot|Citroën|Porsche|Mini|Smart|Nissan|Vespa)(?: [A-Z\d][\w-]*){0,2}"
    r"|(?:Golf|Polo|Passat|Käfer|Trabant|Trabi|Wartburg|Panda|Twingo|Corsa|Astra|Fiesta|Focus|Octavia|Fabia|Clio|Bulli)(?: [A-Z\d]+)?|Lastenrad|E-Bike|Rennrad|Liegerad|Motorrad|Roller|Wohnmobil|Camper|Elektroauto|Kombi)"
)
_DAY = r"(?:am (?:\w+)(?:abend|morgen|nachmittag|mittag)?|am \d{1,2}\. ?\w+|morgen(?: \w+)?|übermorgen|heute abend|nächste[nr]? \w+|kommende[nr]? \w+)"
_AT = r"(?:um (?:halb |viertel (?:vor|nach) )?[\w:.]+(?: uhr)? |vormittags |nachmittags |früh |wieder )?"
_APPOINTMENT = (
    r"(?:[\w-]*(?:physiotherapie|physio|therapie|massage|training|probe|zahnarzt|arzt|friseur|tüv|führung|vorsorge|ct|mrt|mrt-termin|blutabnahme|fahrstunde|fahrprüfung"
    r"|vorstellungsgespräch|klassentreffen|elternabend|elternsprechtag|chorprobe|premiere|auftritt|prüfung|klausur|turnier|wettkampf))\b"
)
_TO_MAKE = r"(?:\w*schein|abitur|abi|matura|meister|master|bachelor|ausbildung|lehre|umschulung|diplom|zertifikat|weltreise|sprachkurs|tauchkurs|hauptschulabschluss|realschulabschluss|fernstudium|studium|seepferdchen|sportabzeichen)"
_WORK = r"(?:Buch|Büchlein|Roman|Krimi|Gedichtband|Kinderbuch|Sachbuch|Kurzgeschichte|Masterarbeit|Bachelorarbeit|Doktorarbeit|Dissertation|Diplomarbeit|Abschlussarbeit|Podcast|Blog|Dokumentarfilm|Film|Drehbuch|Theaterstück)"

_LASTING = r"(?:immer|grundsätzlich|künftig|in zukunft|stets|nie|niemals|generell|jedes mal)"
_TOOL = r"(?P<o>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*)?)"
_COMPUTER = (
    r"(?:laptop|rechner|pc|computer|server|notebook|handy|nas|router|homeserver|tablet|raspberry(?: pi)?)"
)
_SCREEN_WORK = (
    r"(?:notizen|fotos|bilder|videos|texte|code|mails|rechnungen|passwörter|termine|aufgaben|listen|podcasts|musik|präsentationen|diagramme|skripte|dokumente|backups|grafiken|tabellen"
    r"|(?:zum|beim) (?:programmieren|coden|entwickeln|schreiben|zeichnen|schneiden|mischen|mailen|surfen|modellieren|rendern|notieren|layouten)|für (?:notizen|fotos|videos|mails|texte|code|passwörter|die buchhaltung|die navigation|musik))"
)
_NO_TOOL = rf"(?!(?:hand|papier|bleistift|kuli|füller|deutsch|englisch|schönschrift|ruhe|eile|hefte?|{CAPITAL}\w+isch)\b)"

RULES: tuple[Rule, ...] = (
    templates.RELATION.rule(
        rf"\b(?:mein|unser)(?:e[nmrs]?)? (?:\w+e[rnms]? )?(?P<r>{_WORDS}) (?:heißt|nennt sich|namens) {_NAME}",
        (
            ("mein jetziger Partner heißt Quirin.", "Quirin"),
            ("Unser kleiner Mops heißt Otto", "Otto"),
        ),
        ("Sein jetziger Partner heißt Quirin", "Wie heißt mein Partner?"),
    ),
    templates.RELATION.rule(
        rf"\b(?:mein|unser)(?:e[nmrs]?)? (?:\w+e[rnms]? )?(?P<r>{_WORDS})(?: (?:mütterlicher|väterlicher)seits)?, (?:der|die|das) (?!(?:Gute|Liebe|Arme|Alte|Kleine|Große|Älteste|Jüngste|Beste|Ärmste|Süße|Dicke|Neue|Zweite|Erste|Ältere|Jüngere|Einzige)\b)(?P<o>{CAPITAL}[\w-]+)(?=,| und\b|\.|$)",
        (("Meine Großmutter mütterlicherseits, die Resi, hat mir viel erzählt", "Resi"),),
        ("Seine Großmutter, die Resi, kommt", "Meine Oma, die Gute, kommt oft nicht, die"),
    ),
    templates.CHILD.rule(
        rf"\b(?:meine|unsere|die|zwei|drei|vier) (?:\w+e[n]? )?(?:kinder|söhne|töchter|zwillinge|jungs|buben|mädels|mädchen)(?: heißen|:|,) (?P<o>{CAPITAL}[\w-]+(?:, {CAPITAL}[\w-]+)* und {CAPITAL}[\w-]+)(?=$|[,.!?]| (?:sind|gehen|lieben|kommen)\b)",
        (("Unsere Kinder heißen Mia und Jonas.", "Mia|Jonas"),),
        ("Ihre Kinder spielen Ball und Seil", "Wie heißen meine Kinder?"),
    ),
    templates.FAMILY.rule(
        r"(?:\bich hab(?:e)?|\bwir haben|\b(?:und|,) hab(?:e)?|(?<=\w[ ])hab(?:e)? ich) (?P<o>(?:eine[nr]?|ein|'?ne|zwei|drei|vier|fünf|sechs|\d) (?:\w+e[nrs]? )?(?:Buben?|Jungs?|Jungen|Mädels?|Mädchen|Zwillinge|Enkelinnen|Enkelkinder|Urenkel|Töchter|Söhne|Stiefkinder|Patenkinder|Katzen|Hunde|Schafe|Ziegen|Hühner|Esel|Bienenvölker|Wellensittiche|Meerschweinchen))\b",
        (("Ich bin geschieden und hab drei Buben", "drei Buben"),),
        ("Er hat drei Buben", "Hab ich drei Buben?"),
    ),
    templates.CONDITION.rule(
        rf"{i('bin')}(?:fast |leicht |stark |völlig |komplett )?{BODILY}",
        (("Ich bin rot-grün-blind, drum keine Farbcodes.", "rot-grün-blind"),),
        ("Er ist farbenblind", "Bin ich farbenblind?", "Ich bin nicht schwanger"),
    ),
    templates.CONDITION.rule(
        rf"(?:\bich (?:hab|habe|leide)|^(?:hab|habe|leide)|(?<=\w[ ])(?:hab|habe|leide) ich) (?:seit \w+(?: \w+)? |leider |auch |übrigens |schon immer |unter |an )*(?:eine[nr]? )?{ILLNESS}",
        (("Ich hab leider Heuschnupfen.", "Heuschnupfen"),),
        ("Meine Tochter hat Heuschnupfen", "Hab ich Heuschnupfen?", "Ich habe keinen Heuschnupfen"),
    ),
    _WEIGHT.rule(
        r"\bich wiege (?:aktuell |derzeit |momentan |zurzeit |jetzt |etwa |ca\. |rund |knapp )*(?P<o>\d{2,3}(?:[.,]\d)? ?(?:kilo|kg))\b",
        (("ich wiege 92 kilo und will auf 80 runter", "92 kilo"),),
        ("Er wiegt 92 Kilo", "Ich wiege 92 Gramm Mehl ab", "Was wiege ich?"),
    ),
    _HEIGHT.rule(
        rf"{i('bin')}(?P<o>(?:1[.,]\d\d ?(?:m|meter)?|1\d\d ?(?:cm|zentimeter)|eins \w+)) groß",
        (("Ich bin 1,84 m groß", "1,84 m"),),
        ("Er ist 1,84 m groß", "Bin ich 1,84 m groß?"),
    ),
    replace(templates.LIMIT, shape="clause").rule(
        r"\bich (?P<o>rauch(?:e)? (?:seit [\w ]{2,20} )?nicht(?: mehr)?)(?=$|[,.!]| und\b)",
        (("Ich rauche nicht mehr.", "rauche nicht mehr"),),
        ("Er raucht nicht mehr", "Wenn ich nicht rauche"),
    ),
    _OWNS.rule(
        rf"{i('fahre?')}(?:seit [\w ]{{2,20}} |privat )?(?:eine?n?|'?nen|meine?n?|unsere?n?) (?:\w+e[nrs]? ){{0,3}}(?P<o>{_VEHICLE})\b",
        (("Ich fahre einen uralten Golf II, der läuft", "Golf II"),),
        ("Er fährt einen Golf", "Ich fahre einen Umweg", "Fahre ich einen Golf?"),
    ),
    _VISITED.rule(
        rf"(?:\bich bin|^bin|(?<=\w[ ])bin ich) (?:[^\n,.]{{1,40}} )?(?:(?:quer )?durch|nach) (?!Hause\b|Haus\b)(?P<o>{CAPITAL}[\w-]+) (?:getrampt|gereist|gewandert|geradelt|gepilgert)\b",
        (("Nach dem Abi bin ich ein Jahr durch Neuseeland getrampt.", "Neuseeland"),),
        ("Er ist durch Neuseeland getrampt", "Ich bin nach Hause gewandert"),
    ),
    templates.USES.rule(
        rf"\bmein(?:e|em)? (?:\w+e[rnm]? )?{_COMPUTER} läuft (?:noch |jetzt |auch )?(?:unter|mit|auf) {_TOOL}",
        (("Mein Laptop läuft unter Debian, der vom Büro mit Windows", "Debian"),),
        ("Sein Laptop läuft unter Debian", "Läuft mein Laptop unter Debian?"),
    ),
    templates.USES.rule(
        rf"{FRONT}{_SCREEN_WORK} (?:(?:nehm|nutz|benutz|verwend)e? ich|(?:schreib|mach|bearbeit|verwalt|organisier|plan|schneid|zeichn|speicher|hör|sicher|sammel|sammle)e? ich (?:[a-zäöü]+ )?(?:in|mit|über|bei)) (?:meistens |immer |nur |am liebsten |gern |gerne |hauptsächlich )?(?:in |mit )?{_NO_TOOL}{_TOOL}",
        (
            ("Zum Programmieren nehm ich Neovim, meine Kollegin nicht.", "Neovim"),
            ("Notizen schreib ich in Joplin und auf Papier.", "Joplin"),
        ),
        (
            "Notizen schreibt sie in Joplin",
            "Notizen schreib ich mit Bleistift",
            "Zum Backen nehm ich Mehl",
        ),
    ),
    templates.HABIT.rule(
        r"(?:^|(?<=[,.][ ]))(?P<o>(?:ins büro|zur arbeit|in die arbeit|zur schule|in die schule|zur uni|in die uni|in die firma|zum training|zum einkaufen|auf die arbeit|in die stadt) (?:fahr|geh|lauf|pendel|pendle|radel|radle|komm)e? ich (?:(?:immer|meist|meistens|nur|fast|jeden tag|täglich|im sommer|normalerweise) ){0,2}(?:mit (?:dem|der|m) \w+|zu fuß|per \w+))",
        (
            (
                "Ins Büro fahre ich mit dem Rad, auch im Winter",
                "Ins Büro fahre ich mit dem Rad",
            ),
        ),
        ("Ins Büro fährt er mit dem Rad", "Fahr ich ins Büro mit dem Rad?"),
    ),
    templates.HABIT.rule(
        r"(?:^|(?<=[,.][ ])|\bund )(?P<o>(?:jetzt |seitdem |meistens |inzwischen |sonst |immer )?(?:ich fahre?|fahre? ich) (?:jetzt |nur noch |meistens |viel |immer |seitdem )?(?:Velo|Rad|Fahrrad|Rennrad|Mountainbike|Bahn|Bus|Zug|Motorrad|Ski|Skateboard|Snowboard|Kajak|Einrad|Inliner)\b)",
        (
            (
                "Mein Töffli hab ich verkauft, jetzt fahr ich Velo und bin froh",
                "jetzt fahr ich Velo",
            ),
        ),
        ("jetzt fährt er Velo", "Morgen fahr ich Bahn", "Fahr ich Velo?"),
    ),
    templates.EVENT.rule(
        rf"\b{_DAY} (?:hab(?:e)?|haben) (?:ich|wir) {_AT}(?:(?:wieder|endlich) )?(?P<o>{_APPOINTMENT})",
        (("Am Freitag hab ich um halb neun Physiotherapie.", "Physiotherapie"),),
        ("Am Freitag hat sie Physiotherapie", "Freitags hab ich Physiotherapie"),
    ),
    templates.EVENT.rule(
        rf"(?:\b{_DAY} )(?P<o>(?:kommt|kommen|besucht|besuchen|heiratet|heiraten|zieht|ziehen)(?: mich| uns)? (?:meine?|unsere?) (?:\w+e[rn]? )?(?:{_WORDS}|eltern|schwiegereltern|großeltern)(?: {CAPITAL}\w+)?(?: (?:zu besuch|vorbei|aus|um|ein|an))?)(?=$|[,.!;]| (?:und|mit|da)\b)",
        (
            ("Morgen Abend kommt mein Onkel Hasso zu Besuch", "kommt mein Onkel Hasso zu Besuch"),
            (
                "Am 22. Juni heiratet meine Schwester Paula, ich freu mich",
                "heiratet meine Schwester Paula",
            ),
        ),
        (
            "Morgen kommt ihr Onkel zu Besuch",
            "Wann kommt mein Onkel zu Besuch?",
            "Mein Onkel kommt oft zu Besuch",
        ),
    ),
    replace(templates.GOAL, shape="clause").rule(
        rf"(?:\bich (?:will|möchte)|(?:will|möchte) ich|\bich werde) (?P<o>[^\n,.]{{0,50}}?{_TO_MAKE} (?:machen|nachholen|anfangen|absolvieren|ablegen|beginnen))(?=[\s,.!]|$)",
        (("Heuer will ich den Jagdschein machen.", "den Jagdschein machen"),),
        (
            "Er will den Jagdschein machen",
            "Will ich den Jagdschein machen?",
            "Ich will eine Liste machen",
        ),
    ),
    templates.PROJECT.rule(
        rf"\bmein(?:e|em|en)? (?:\w+e[nrsm]? )?(?P<o>{_WORK} (?:über|zu|zum thema) (?:[\wäöüß-]+ ){{0,2}}?{CAPITAL}[\w-]+)",
        (("Mein Büchlein über Moose ist fast fertig.", "Büchlein über Moose"),),
        ("Sein Büchlein über Moose", "Was taugt mein Buch?"),
    ),
    templates.BUDGET.rule(
        r"\b(?:mehr als|über|maximal|höchstens|bis zu) (?P<o>\d[\d.,]* ?(?:€|euro|franken|chf)(?: (?:warm|kalt|miete|im monat|pro monat))*) (?:(?:kann|will|möchte|darf|mag) ich (?:dafür |dabei |leider )?(?:nicht )?(?:zahlen|ausgeben|bezahlen|hinlegen|investieren))",
        (("Mehr als 600 Euro Miete kann ich nicht zahlen, such bitte danach.", "600 Euro Miete"),),
        ("Mehr als 600 Euro kann sie nicht zahlen", "Kann ich mehr als 600 Euro zahlen?"),
    ),
    templates.INSTRUCTION.rule(
        rf"^(?P<o>(?:bei|in|für|zu) (?:(?!\bich\b)[^\n,.!?]){{2,30}} bitte {_LASTING} [^\n.!?]{{4,100}})",
        (
            (
                "Bei Code bitte grundsätzlich englische Variablennamen verwenden",
                "Bei Code bitte grundsätzlich englische Variablennamen verwenden",
            ),
        ),
        ("Bei Regen bin ich immer zu Hause", "Bei Code hilft es immer, bitte"),
    ),
    templates.INSTRUCTION.rule(
        rf"^(?P<o>wenn ich (?:dich |dir |nach |um |einen? |was |etwas )[^\n,.!?]{{2,40}} (?:frage|bitte|schicke|gebe|poste|will|möchte|brauche|zeige), (?:dann |bitte )*(?:bitte )?{_LASTING} [^\n.!?]{{4,100}})",
        (
            (
                "Wenn ich nach Rezepten frage, dann immer für vier Personen rechnen.",
                "Wenn ich nach Rezepten frage, dann immer für vier Personen rechnen",
            ),
        ),
        (
            "Wenn ich nach Hause will, regnet es immer",
            "Wenn sie nach Rezepten fragt, dann immer so",
        ),
    ),
    templates.INSTRUCTION.rule(
        r"(?:^|[,;.] )(?P<o>(?:(?:drum|darum|deshalb|also|daher) )?bitte keine? [\w-]+(?: mehr)? in (?:deinen |den )?(?:antworten|tabellen|texten|listen|mails|e-mails|nachrichten|code|erklärungen|überschriften|diagrammen|grafiken|zukunft)\b)",
        (
            (
                "Ich sehe schlecht, drum bitte keine Farbcodes in Tabellen.",
                "drum bitte keine Farbcodes in Tabellen",
            ),
        ),
        ("Er will keine Farbcodes in Tabellen", "Gibt es keine Farbcodes in Tabellen?"),
    ),
)
