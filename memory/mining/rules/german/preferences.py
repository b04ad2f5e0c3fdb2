"""What people like and dislike, in German."""

from memory.mining.rules import templates
from memory.mining.rules.german.grammar import FILL, i
from memory.mining.rules.table import Rule

_THING = r"(?P<o>(?!das|es|die|der|dies)[^\n,.]{2,40}?)"
_HATE = (
    r"hasse|verabscheue|mag (?:überhaupt |gar )?kein(?:en?)?|(?:esse|trinke) (?:sehr )?ungern"
    r"|mag(?=[^\n,.]{2,40} nicht\b)"
)

RULES: tuple[Rule, ...] = (
    templates.PREFERS.rule(
        rf"(?:{i('mag|trinke?|esse?|nehme?|lese?|höre?|fahre?')}lieber |{i('bevorzuge?')})<o>",
        (
            ("ich mag lieber Tee als Kaffee", "Tee"),
            ("Ich bevorzuge Zug statt Auto", "Zug statt Auto"),
        ),
        ("Ich mag Tee.", "Magst du lieber Tee?"),
    ),
    templates.DISLIKES.rule(
        rf"{i(_HATE)}(?!ich)<list>",
        (
            ("Ich mag keine Pilze.", "Pilze"),
            ("Ich hasse laute Musik", "laute Musik"),
            ("Ich mag Koriander nicht.", "Koriander"),
        ),
        ("Ich hasse es.", "Ich mag Käse."),
    ),
    templates.DISLIKES.rule(
        rf"(?:^|, ){_THING} (?:kann ich (?:überhaupt |gar |einfach )*nicht (?:leiden|ausstehen|ab\b|riechen)|mag ich (?:überhaupt |gar |so )*nicht|hasse ich|finde ich (?:ekelhaft|eklig|furchtbar|schrecklich))",
        (("Rosenkohl kann ich überhaupt nicht leiden", "Rosenkohl"),),
        ("Das mag ich nicht.", "Rosenkohl mag ich sehr."),
    ),
    templates.DISLIKES.rule(
        rf"\bich kann {FILL}(?P<o>[^\n,.]{{2,40}}?) (?:überhaupt |gar |einfach )*nicht (?:leiden|ausstehen|ab\b|riechen)",
        (("Ich kann Rosenkohl nicht ausstehen", "Rosenkohl"),),
        ("Ich kann das nicht leiden.", "Er kann Hunde nicht leiden."),
    ),
    templates.LIKES.rule(
        rf"(?:{i('mag|liebe|steh auf|stehe auf|(?:esse|trinke|höre|lese|schaue|gucke|spiele|koche|sammle) (?:sehr |total |am liebsten )?gerne?')})(?!keine?|nicht|lieber|und\b|(?:(?!,? aber\b)[^\n.!?;]){{1,80}} nicht\b)(?:(?:am liebsten|gerne?|sehr|besonders|vor allem|total) )*<list>",
        (
            ("Ich mag Wandern, Jazz und Käse.", "Wandern|Jazz|Käse"),
            ("Ich liebe dunkle Schokolade", "dunkle Schokolade"),
            ("Ich esse gern Sushi", "Sushi"),
        ),
        (
            "Ich mag keine Pilze.",
            "Ich mag Pilze nicht.",
            "Mag ich Tee?",
            "Ich mag das.",
            "Ich mag die zweite Version.",
            "Wenn ich Tee mag, was passt dazu?",
        ),
    ),
    templates.LIKES.rule(
        rf"(?:^|, ){_THING} (?:mag|liebe|esse|trinke|höre|lese|spiele) ich (?:sehr|total|besonders|am liebsten|gerne?|wahnsinnig)",
        (("Krimis lese ich gern", "Krimis"), ("Jazz mag ich sehr", "Jazz")),
        ("Das mag ich sehr.", "Jazz mag ich nicht."),
    ),
    templates.LIKES.rule(
        r"(?:\bich (?:bin|gehe) (?:ein )?(?:gro(?:ß|ss)er? |riesiger? |totaler? )?fan von |\bmir (?:schmeckt|schmecken|gefällt|gefallen) )(?!nicht|das|dein)<list>",
        (("Ich bin großer Fan von Krimis", "Krimis"),),
        ("Mir gefällt das.", "Mir gefällt deine Antwort."),
    ),
    templates.LIKES.rule(
        r"\bam liebsten (?:esse|trinke|höre|lese|spiele|schaue) ich <list>",
        (("Am liebsten esse ich Lasagne", "Lasagne"),),
        ("Am liebsten isst sie Lasagne.",),
    ),
    templates.FAVOURITE.rule(
        r"\bmeine? liebling(?:s)(?P<r>[a-zäöüß]+) (?:ist|sind|bleibt|war schon immer|hei(?:ß|ss)t)(?: immer noch| und bleibt)? (?!nicht|kein)<o>",
        (("Meine Lieblingsfarbe ist Dunkelgrün.", "Dunkelgrün"),),
        ("Was ist meine Lieblingsfarbe?", "Ihr Lieblingsbuch ist Momo"),
    ),
)
