"""What a German subordinate clause tells in passing, with its verb at the end: "weil ich in Graz wohne"."""

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import BETWEEN, CAPITAL, SINCE_I, SPOT, TONGUE, TRADE
from memory.mining.rules.german.words import FOOD, ILLNESS, INSTRUMENT, KNOW_HOW
from memory.mining.rules.table import Rule

_END = r"(?=$|[,.!;?)–—-]| (?:und|oder|aber|–|-)\b| [–—-])"
_BY = r"(?:(?:in|bei|auf|für|an|im|am) (?:der |dem |einer |einem )?)"

RULES: tuple[Rule, ...] = (
    templates.HOME.rule(
        rf"{SINCE_I}{BETWEEN}{{0,4}}?in {SPOT} (?:wohne|wohn|lebe|leb|wohnen|leben){_END}",
        (
            ("Da ich in Goslar wohne, fahr ich oft in den Harz", "Goslar"),
            ("weil wir seit drei Jahren in Graz wohnen", "Graz"),
        ),
        (
            "Weil sie in Goslar wohnt, fahr ich hin",
            "Wenn ich in Goslar wohne, was dann?",
            "Weil ich nicht in Goslar wohne",
        ),
    ),
    templates.HOME.rule(
        rf"\b(?:haus|wohnung|dorf|ort|stadt|gegend|kaff|bauernhof|hof|wg|viertel|altbau), (?:in|auf) (?:dem|der) (?:ich|wir) {BETWEEN}{{0,3}}?(?:wohne|wohn|lebe|wohnen|leben), (?:steht|liegt|ist|befindet sich|heißt) (?:mitten |direkt |übrigens )?(?:in |bei )?(?P<o>{CAPITAL}[\w-]+(?: (?:am|an der|im|ob der) {CAPITAL}\w+)?)",
        (("Das Haus, in dem ich wohne, steht in Goslar und ist von 1720.", "Goslar"),),
        (
            "Das Haus, in dem er wohnt, steht in Goslar",
            "Das Haus, in dem ich wohne, steht leer",
        ),
    ),
    templates.EMPLOYER.rule(
        rf"\b(?:firma|betrieb|unternehmen|laden|klinik|büro|agentur|verlag|kanzlei|praxis|hotel|verein|bank|werk|schule), (?:bei der|bei dem|in der|in dem|für die|für das|wo) ich {BETWEEN}{{0,3}}?(?:arbeite|schaffe|angestellt bin|beschäftigt bin), (?:heißt|ist|nennt sich) (?:die |der |das )?(?P<o>{CAPITAL}[\w&.-]*(?: (?:& |und )?{CAPITAL}[\w&.-]*){{0,3}})",
        (
            (
                "Die Firma, bei der ich arbeite, heißt Krombacher, ja, die mit dem Bier.",
                "Krombacher",
            ),
        ),
        (
            "Die Firma, bei der er arbeitet, heißt Krombacher",
            "Die Firma, bei der ich arbeite, ist pleite",
        ),
    ),
    templates.EMPLOYER.rule(
        rf"{SINCE_I}{BETWEEN}{{0,3}}?bei (?:der |dem )?{SPOT} (?:arbeite|schaffe|jobbe|angestellt bin|beschäftigt bin){_END}",
        (("weil ich bei Siemens arbeite, krieg ich Rabatt", "Siemens"),),
        ("weil er bei Siemens arbeitet", "falls ich bei Siemens arbeite"),
    ),
    templates.OCCUPATION.rule(
        rf"{SINCE_I}(?:als (?:\w+e[rsn]? )?(?P<o>{CAPITAL}[\w-]+)(?: {_BY}?{CAPITAL}[\w-]+)? (?:arbeite|jobbe|tätig bin|unterwegs bin))",
        (("Da ich als Erzieherin arbeite, bin ich oft erkältet", "Erzieherin"),),
        ("Da sie als Erzieherin arbeitet", "ob ich als Erzieherin arbeite"),
    ),
    templates.OCCUPATION.rule(
        rf"{SINCE_I}(?:gelernte[rs]? |ausgebildete[rs]? |selbst |von beruf )?(?P<o>{TRADE}) bin{_END}",
        (("weil ich Altenpfleger bin, arbeite ich im Schichtdienst", "Altenpfleger"),),
        ("weil er Altenpfleger ist", "weil ich kein Altenpfleger bin"),
    ),
    templates.STUDIES.rule(
        rf"{SINCE_I}(?:im \w+ semester )?(?P<o>{CAPITAL}[\w-]+)(?: (?:in|an der) {CAPITAL}[\w-]+)? studiere{_END}",
        (("weil ich Geologie studiere", "Geologie"),),
        ("weil sie Geologie studiert", "wenn ich Geologie studiere"),
    ),
    templates.ALLERGY.rule(
        rf"{SINCE_I}(?:stark )?(?:gegen|auf) (?P<o>[^\n,.!?]{{3,40}}?) allergisch (?:bin|reagiere){_END}",
        (("weil ich gegen Soja allergisch bin", "Soja"),),
        ("weil sie gegen Soja allergisch ist", "weil ich nicht gegen Soja allergisch bin"),
    ),
    templates.ALLERGY.rule(
        rf"{SINCE_I}allergisch (?:gegen|auf) (?P<o>[^\n,.!?]{{3,40}}?) (?:bin|reagiere){_END}",
        (("da ich allergisch auf Wespen reagiere", "Wespen"),),
        ("da er allergisch auf Wespen reagiert",),
    ),
    templates.DIET.rule(
        rf"{SINCE_I}(?:strikt |rein )?(?P<o>vegan(?:erin|er)?|vegetarisch|vegetarier(?:in)?|glutenfrei|laktosefrei|zuckerfrei|halal|koscher) (?:bin|lebe|esse|koche|leben|essen){_END}",
        (("weil ich vegan lebe, koche ich viel selbst", "vegan"),),
        ("weil sie vegan lebt", "wenn ich vegan lebe", "weil ich nicht vegan lebe"),
    ),
    templates.AVOIDS.rule(
        rf"{SINCE_I}keine?n? (?P<o>{FOOD}) (?:mehr )?(?:esse|trinke|vertrage|nehme|essen|trinken|essen darf|trinken darf){_END}",
        (("da ich keinen Alkohol trinke, fahre ich", "Alkohol"),),
        ("da er keinen Alkohol trinkt", "wenn ich keinen Alkohol trinke"),
    ),
    templates.CONDITION.rule(
        rf"{SINCE_I}(?:an |unter )?{ILLNESS} (?:habe|hab|leide){_END}",
        (("weil ich Zöliakie habe", "Zöliakie"), ("da ich unter Migräne leide", "Migräne")),
        ("weil mein Sohn Zöliakie hat", "falls ich Zöliakie habe"),
    ),
    templates.CANNOT.rule(
        rf"(?:{SINCE_I}|\bda ich )(?:leider |gar |überhaupt |noch immer |immer noch )*nicht (?P<o>{KNOW_HOW}) kann{_END}",
        (("weil ich nicht schwimmen kann, bleib ich lieber am Ufer", "schwimmen"),),
        (
            "weil sie nicht schwimmen kann",
            "wenn ich nicht schwimmen kann",
            "weil ich nicht schlafen kann",
        ),
    ),
    templates.CANNOT.rule(
        rf"(?:\bich kann|(?<=\w[ ])kann ich) (?:leider |gar |überhaupt |immer noch |noch immer |absolut )*nicht (?P<o>{KNOW_HOW})(?=$|[,.!;]| (?:und|aber|weil)\b)",
        (("Ich kann leider nicht schwimmen.", "schwimmen"),),
        ("Ich kann nicht kommen.", "Er kann nicht schwimmen.", "Kann ich nicht schwimmen?"),
    ),
    templates.SPEAKS.rule(
        rf"{SINCE_I}(?:fließend |gut |etwas |ein bisschen |ganz gut )?(?P<o>{TONGUE}) (?:spreche|kann|sprechen|rede){_END}",
        (("weil ich gut Spanisch spreche", "Spanisch"),),
        ("weil er gut Spanisch spricht", "weil ich kein Spanisch spreche"),
    ),
    templates.PLAYS.rule(
        rf"{SINCE_I}{BETWEEN}{{0,3}}?(?P<o>{INSTRUMENT}) spiele{_END}",
        (("Da ich seit Jahren Geige spiele, tut mir der Hals weh", "Geige"),),
        ("Da sie Geige spielt", "wenn ich Geige spiele"),
    ),
    templates.DISLIKES.rule(
        rf"{SINCE_I}(?P<o>(?:\w+e[nrs]? )?{CAPITAL}[\w-]+) (?:hasse|(?:gar |überhaupt )?nicht (?:mag|leiden kann|ausstehen kann)|verabscheue){_END}",
        (("weil ich Koriander nicht mag", "Koriander"),),
        ("weil er Koriander nicht mag", "weil ich Koriander mag", "falls ich Koriander nicht mag"),
    ),
    templates.LIKES.rule(
        rf"{SINCE_I}(?P<o>(?:\w+e[nrs]? )?{CAPITAL}[\w-]+) (?:so |sehr |total |besonders )*(?:liebe|mag|gern (?:mag|esse|trinke|höre|lese)){_END}",
        (("weil ich Lakritz liebe", "Lakritz"),),
        ("weil er Lakritz liebt", "weil ich Lakritz nicht mag", "wenn ich Lakritz liebe"),
    ),
)
