"""The commonest statements about oneself in Spanish."""

import re

from memory.mining.rules.spanish import asides, daily, pursuits, ways
from memory.mining.rules.table import Language, Rule, said
from memory.text import kinship

KIN = kinship.KIN["es"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[^\W\d_a-zñáéíóú])[\w'\u2019-]*(?: (?:de )?(?-i:[^\W\d_a-zñáéíóú])[\w'\u2019-]*){0,2})"

RULES = (
    Rule(
        kind="identity",
        key="name",
        predicate="named",
        statement="The user's name is {object}.",
        shape="name",
        confidence=0.9,
        pattern=said(r"\b(?:me llamo|mi nombre es) <o>"),
        yes=(("Me llamo Íñigo Montoya.", "Íñigo Montoya"), ("Hola, mi nombre es Lucía", "Lucía")),
        no=("¿Cómo me llamo?", "No me llamo Bob.", "Se llama Tom."),
    ),
    Rule(
        kind="identity",
        key="home_city",
        predicate="lives_in",
        statement="The user lives in {object}.",
        shape="place",
        confidence=0.9,
        pattern=said(
            r"(?<!\w)(?:(?:yo )?vivo(?: actualmente| ahora)? en|vivimos en|me (?:he mudado|mudé) a) <place>"
        ),
        yes=(
            ("Vivo en Sevilla.", "Sevilla"),
            ("Me mudé a Buenos Aires por trabajo", "Buenos Aires"),
            ("Vivo en Madrid, ¿conoces un buen bar?", "Madrid"),
        ),
        no=("Si vivo en París, ¿qué necesito?", "No vivo en Madrid.", "Mi hermana vive en Lima."),
    ),
    Rule(
        kind="identity",
        key="hometown",
        predicate="comes_from",
        statement="The user comes from {object}.",
        shape="place",
        pattern=said(r"(?<!\w)(?:yo )?soy (?:originari[oa] )?de <place>"),
        yes=(("Soy de Bogotá.", "Bogotá"),),
        no=("Soy de los que leen.", "No soy de Madrid."),
    ),
    Rule(
        kind="identity",
        key="age",
        predicate="aged",
        statement="The user is {object} years old.",
        shape="as_is",
        confidence=0.9,
        pattern=said(r"(?<!\w)tengo (?P<o>1?\d{1,2}) años"),
        yes=(("Tengo 34 años", "34"),),
        no=("Mi hijo tiene 5 años",),
    ),
    Rule(
        kind="preference",
        key="preference_{slug}",
        predicate="likes",
        value="likes {object}",
        statement="The user likes {object}.",
        many=True,
        confidence=0.8,
        pattern=said(r"(?<!\w)me (?:gustan?|encantan?) (?:mucho )?(?:el |la |los |las )?<list>"),
        yes=(
            ("Me gusta el senderismo y el jazz.", "senderismo|el jazz"),
            ("Me encanta bailar", "bailar"),
        ),
        no=("No me gusta el café.", "Me gusta eso.", "¿Me gusta el té?", "Me gustaría un café."),
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
            r"(?<!\w)(?:no me gustan?(?: nada)?|(?<!\bel[ ])(?<!\bdel[ ])(?<!\bal[ ])(?<!\bsu[ ])(?<!\btu[ ])odio(?! es\b)|detesto) (?:el |la |los |las )?<list>"
        ),
        yes=(("No me gusta el café.", "café"), ("Odio las aceitunas", "aceitunas")),
        no=("No me gusta eso.", "Me gusta el café."),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        pattern=said(
            r"(?<!\w)(?:soy alérgic[oa]|tengo alergia) (?:a )?(?:el |la |los |las )?(?!lunes\b|madrug|trabaj|mentir|compromiso|estupid|gente\b|deporte|ejercicio|tonter|reuniones)<list>"
        ),
        yes=(("Soy alérgica a los cacahuetes.", "cacahuetes"),),
        no=("No soy alérgico a los gatos.", "Soy alérgica a los lunes"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(rf"(?<!\w)(?:mi|nuestr[oa]) (?P<r>{_WORDS})(?: mayor| menor)?(?: se llama|,)? {_NAME}"),
        yes=(("Mi esposa se llama Wang Min.", "Wang Min"), ("Mi hermana Ana vive en Lima", "Ana")),
        no=("Mi hermana vive en Lima.", "¿Cómo se llama mi jefe?"),
    ),
    Rule(
        kind="relationship",
        key="",
        predicate="",
        statement="{object} is the user's {label}.",
        shape="name",
        confidence=0.9,
        pattern=said(rf"(?:^|[,;] ){_NAME} es mi (?P<r>{_WORDS})\b"),
        yes=(("Ana es mi hermana.", "Ana"),),
        no=("¿Quién es mi jefe?", "Esta es mi mujer."),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=said(
            r"(?<!\w)(?:yo )?trabajo (?:como \w+ )?(?:en|para) (?=(?-i:[^\W\d_a-z])|la universidad)<o>"
        ),
        yes=(("Trabajo en Telefónica.", "Telefónica"), ("Trabajo como médica en Roche", "Roche")),
        no=("Trabajo en casa.", "No trabajo en Telefónica.", "Ella trabaja en Roche."),
    ),
    Rule(
        kind="experience",
        key="former_employer_{slug}",
        predicate="worked_at",
        statement="The user no longer works at {object}.",
        shape="organisation",
        ended=True,
        pattern=said(r"(?<!\w)ya no trabajo (?:en|para) <o>"),
        yes=(("Ya no trabajo en Telefónica.", "Telefónica"),),
        no=("Trabajo en Telefónica.",),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        pattern=said(
            r"(?<!\w)(?:trabajo (?:como|de)|soy) (?P<o>[^\W\d_]*(?:er[oa]|or|ora|ista|ic[oa]|nte|ogad[oa]|uitect[oa]))(?= en\b| y\b|[.,!]|$)"
        ),
        yes=(("Trabajo como enfermera.", "enfermera"), ("Soy ingeniero en Roche", "ingeniero")),
        no=("Soy alto.", "No soy médico."),
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
            r"(?:^|\bpor favor,? )(?:recuerda|recuérdalo|acuérdate de|no olvides|ten en cuenta|anota)(?: que|:|,) (?P<o>[^\n]{5,300})"
        ),
        yes=(("Recuerda que la llave está bajo la maceta.", "la llave está bajo la maceta"),),
        no=("¿Recuerdas la película?",),
    ),
)

SPANISH = Language(
    code="es",
    cue=re.compile(
        r"\b(?:yo|me|mis?|nos|vivo|vivimos|viv[íi]a?|soy|estoy|tengo|tenemos|trabaj\w+|odio|detesto|prefiero|hablo|sé|toco"
        r"|como|bebo|tomo|uso|utilizo|programo|estudio|amo|adoro|quiero|aprendo|cumplo|nací|soporto|aguanto|padezco"
        r"|vuelo|viajo|todos|todas|cada|siempre|nunca|ahora|adelante|nuestr[oa]|recuerda|acuérdate|olvides|ten en cuenta"
        r"|edito|dibujo|diseño|grabo|mezclo|maqueto|retoco|escribo|resido|anota|apunta|apúntate|guarda|nota|curro|al ser|siendo|nacid[oa]|jubilad[oa]|resido|dos|tres|cuatro|no me|acabamos|mí|acabo|cumplí|llevo|vengo|crecí|corro|ceno|leo|nado|voy|hago|salgo|duermo|entreno|desayuno|almuerzo|medito|cocino|camino|estamos|normalmente|generalmente|ando)\b",
        re.IGNORECASE,
    ),
    veto=re.compile(
        r"\b(?:si|apenas|no|nunca|jamás|quizás?|tal vez|ojalá|(?:dic|dij|cre|piens)\w* que|se|le|les|como si"
        r"|dónde|donde|cuándo|cómo|qué|quién|cuál)\b|¿",
        re.IGNORECASE,
    ),
    imagined=re.compile(
        r"\b(?:imagin\w+|supong\w+|supón|por ejemplo|finge|finjamos|juguemos|juego de rol|hagamos como|pongamos"
        r"|(?:me |le |nos )?(?:dijo|dice|dijeron|contó|(?<!en )cuenta|escribió)|(?:en|esta|esa|la) (?:la )?(?:película|novela|canción|libro|serie)"
        r"|fig[úu]rate|haz (?:como si|de cuenta)|(?:en|dentro de) (?:la|el|mi|este|esta|un|una|nuestra) (?:partida|juego|videojuego|campaña|sueño|obra(?: de teatro)?|guion|guión|cuento)|nunca he dicho|si (?:yo )?\w+(?:ra|se|ría))\b",
        re.IGNORECASE,
    ),
    stop=re.compile(
        r"\s+(?:y|pero|o)\s+(?:yo|me|mi|quiero|tengo|soy|vivo|busco|puedes|él|ella|no|trabajo)\b"
        r"|\s+(?:pero|porque|aunque|cuando|que|gracias|por|con|desde|como|para|de toda la vida)\b",
        re.IGNORECASE,
    ),
    refused=re.compile(
        r"(?:.*\b(?:versión|opción|variante|respuesta|propuesta|idea|borrador|poema)\b|eso|esto|est[ea]s?|es[ea]s?|tu|tus|él|ella|lo|todo|nada|más|cómo|que|qué|la idea|la forma|los|las)"
        r"(?:\s|$)",
        re.IGNORECASE,
    ),
    rules=(*daily.RULES, *pursuits.RULES, *asides.RULES, *RULES, *ways.RULES),
    kin=KIN,
)
