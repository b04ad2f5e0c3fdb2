"""What a Spanish message tells in passing: who writes, from where, whose suegro it is."""

from dataclasses import replace

from memory.mining.rules import templates
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["es"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_CAP = r"(?-i:[A-ZÁÉÍÓÚÑ])"
_NAME = rf"(?P<o>{_CAP}[\w'\u2019-]+(?: {_CAP}[\w'\u2019-]+)?)"
_PLACE = rf"(?P<o>{_CAP}[\w-]+(?: (?:(?:de|del|la|los|las) )*{_CAP}[\w-]+)*)"
_JOB = r"(?P<o>(?:camarer[oa]|maestr[oa](?: de \w+)?|profesora?(?: de \w+)?|enfermer[oa]|médic[oa]|abogad[oa]|albañil|fontaner[oa]|electricista|cociner[oa]|peluquer[oa]|conductora?|taxista|camioner[oa]|dependient[ae]|cajer[oa]|carpinter[oa]|jardiner[oa]|mecánic[oa]|panader[oa]|carnicer[oa]|pescader[oa]|agricultora?|ganader[oa]|bomber[oa]|policía|periodista|traductora?|diseñadora?|programadora?|arquitect[oa]|ingenier[oa]|contable|administrativ[oa]|secretari[oa]|limpiadora?|niñera|cuidadora?|veterinari[oa]|farmacéutic[oa]|psicólog[oa]|fisioterapeuta|matrona|bibliotecari[oa]|costurera|modista|músic[oa]|pintora?|fotógraf[oa]|vendedora?|repartidora?|vigilante|soldadora?|autónom[oa]|funcionari[oa]|jubilad[oa](?: de \w+)?|pensionista|estudiante))"

RULES: tuple[Rule, ...] = (
    templates.NAME.rule(
        rf"(?:^|^(?:hola|buenas|buenos días|buenas tardes|buenas noches|hey|qué tal),? )soy {_NAME}(?=[,.!]| (?:y|de|del|la|el)\b|$)",
        (("buenas, soy Maricarmen, la del patrón de costura", "Maricarmen"),),
        ("buenas, soy de Murcia", "Dice que soy Maricarmen", "¿soy Maricarmen?"),
    ),
    templates.HOME.rule(
        rf"\b(?:viv[oi]|vivimos|resido) en (?:una? )(?:pueblo|aldea|barrio|ciudad|urbanización|piso|casa|masía|finca|isla)(?: \w+)? (?:de|en|cerca de|a las afueras de) {_PLACE}",
        (("vivo en un pueblo de Teruel, a 40 min del súper", "Teruel"),),
        ("vive en un pueblo de Teruel", "¿vivo en un pueblo de Teruel?"),
    ),
    templates.HOME.rule(
        rf"(?:\b(?:acab(?:o|amos) de mudar(?:me|nos)|me (?:mudé|he mudado)|nos (?:mudamos|hemos mudado)) a|\b(?:llevo|hace) [\wñ ]{{2,14}}(?:años|meses)? ?(?:que )?(?:estoy|vivo|viviendo) en) {_PLACE}",
        (
            ("Acabamos de mudarnos a Querétaro por el trabajo", "Querétaro"),
            ("Nacida en Rosario pero hace diez años que estoy en Valencia", "Valencia"),
        ),
        ("se mudaron a Querétaro", "hace diez años que está en Valencia"),
    ),
    templates.ORIGIN.rule(
        rf"^(?:soy )?(?:nacid[oa]|natural|oriund[oa]|nacid[oa] y criad[oa]) (?:en|de) {_PLACE}(?=,| pero\b| y\b|\.|$)",
        (("Nacida en Rosario pero hace diez años que estoy en Valencia", "Rosario"),),
        ("Una actriz nacida en Rosario",),
    ),
    templates.OCCUPATION.rule(
        rf"(?:\bcurro (?:de|como) |\b(?:al ser|siendo|como) (?:yo )?(?:una? )?(?=\w+[^\n]{{0,40}}, |\w+(?: de \w+)? me\b)|^|\btrabajo (?:de|como) )(?!(?:camarero|profesor)\b,? (?:una|un|la|el)\b){_JOB}(?=,? (?:de|en|y|me|con|desde|a|aquí)\b|[,.!]|$)",
        (
            ("curro de camarero en un chiringuito", "camarero"),
            ("al ser maestra de infantil me toca explicar los volcanes", "maestra de infantil"),
            ("jubilado de Renfe, 71 años y con ganas de aprender", "jubilado de Renfe"),
        ),
        ("El camarero de ayer", "busco camarero", "Mi hermana trabaja de camarera"),
    ),
    templates.AGE.rule(
        rf"^(?:soy )?{_JOB.replace('?P<o>', '?:')}[^\n,]{{0,25}}, (?:de )?(?P<o>[1-9]\d) años",
        (("jubilado de Renfe, 71 años y con ganas de aprender", "71"),),
        ("el jubilado, 71 años, se cayó",),
    ),
    templates.EMPLOYER.rule(
        rf"\b(?:en la|en el|en) \w+ (?:donde|en la que|en el que|en que) (?:trabajo|curro),? (?P<o>{_CAP}[\wáéíóúñ]*(?: (?:& |y )?{_CAP}[\wáéíóúñ]*)*)(?=,)",
        (
            (
                "En la gestoría donde trabajo, López & Asociados, nos obligan a fichar",
                "López & Asociados",
            ),
        ),
        ("En la gestoría donde trabaja, López, fichan",),
    ),
    templates.TRAIT.rule(
        r"\b(?:soy|como soy) (?P<o>zurd[oa]|diestr[oa]|celíac[oa]|diabétic[oa]|sord[oa]|cieg[oa]|daltónic[oa]|autónom[oa]|viud[oa]|madre soltera|padre soltero)(?= (?:cuando|al|para|y|así|con|de)\b|[,.!]|$)",
        (("Ten en cuenta que soy zurda cuando me expliques los puntos", "zurda"),),
        ("es zurda", "¿soy zurda?"),
    ),
    templates.RELATION.rule(
        rf"\b(?:mi|nuestr[oa]) (?:\w+ )?(?P<r>{_WORDS}) {_NAME}(?= |[,.!]|$)",
        (("mi suegro Evaristo cumple 80 y somos cinco", "Evaristo"),),
        ("su suegro Evaristo cumple 80", "mi suegro cumple 80"),
    ),
    templates.RELATION.rule(
        rf"(?:^|(?<=[,.!;:][ ]))(?!(?:gracias|hola|sí|no|oye|buenas|perdón)\b){_NAME}(?:, | \()(?:mi|nuestr[oa]) (?:\w+ )?(?P<r>{_WORDS})(?=[,).]|$)",
        (("Iker, mi novio, no come carne", "Iker"),),
        ("Iker, su novio, no come carne",),
    ),
    templates.RELATION.rule(
        rf"^(?:tengo |tenemos )?(?:dos|tres|cuatro|un|una) (?P<r>gata|gato|perro|perra|hijo|hija)s?[,:] {_NAME}(?=,| y\b)",
        (("dos gatas, Mora y Lenteja, y un sofá destrozado", "Mora"),),
        ("dos gatas, una negra",),
    ),
    templates.FAMILY.rule(
        r"\b(?:somos familia numerosa, |tenemos |tengo )(?P<o>(?:dos|tres|cuatro|cinco|seis) (?:hij[oa]s?|gemel[oa]s|mellizos|niet[oa]s?|herman[oa]s?|perr[oa]s?|gat[oa]s?))\b",
        (("Somos familia numerosa, cuatro hijos, el mayor se llama Gonzalo", "cuatro hijos"),),
        ("tiene cuatro hijos",),
    ),
    replace(templates.LIKES, shape="clause", many=False).rule(
        r"(?:^|[,.] )(?:lo que más (?:disfruto|me gusta|me relaja)|lo mío) es (?:el |la |los |las )?(?P<o>(?!que\b)[^\n,.;]{3,40})",
        (
            (
                "lo que más disfruto es caminar por el monte, pero tengo la rodilla operada",
                "caminar por el monte",
            ),
        ),
        ("lo que más le gusta es caminar", "lo que más me gusta es que funciona"),
    ),
    templates.PREFERS.rule(
        r"\ba m[ií] (?:el |la |los |las )?(?P<o>\w+(?: \w+)?) (?:me va|me van|me gusta|me gustan) (?:mucho )?más que\b",
        (("A mí el blanco me va más que el tinto", "blanco"),),
        ("A ella el blanco le va más que el tinto",),
    ),
    templates.INSTRUCTION.rule(
        r"^(?:por favor,? |y )*(?P<o>no me (?:pongas|des|hagas|uses|hables|escribas|mandes|trates) (?:más |nunca )[^\n?¿]{4,90}|(?:deja|dejá|para) de (?:poner|usar|pedir|decir|darme|hacerme|tratarme|disculparte)[^\n?¿]{3,80})",
        (
            (
                "no me pongas más listas con viñetas, siempre texto corrido",
                "no me pongas más listas con viñetas, siempre texto corrido",
            ),
        ),
        ("no me pongas eso", "él no me da más listas"),
    ),
    templates.REMEMBER.rule(
        r"(?:^|[,.!] )(?:apunta|anota|apúntate|toma nota|guarda(?: esto)?|para que lo tengas|nota)(?: bien)?: ?(?P<o>[^\n]{5,300})",
        (
            (
                "apunta: la llave del trastero está detrás del contador",
                "la llave del trastero está detrás del contador",
            ),
        ),
        ("él apunta: fuego", "¿apuntas esto?"),
    ),
)
