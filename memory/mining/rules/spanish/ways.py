"""Spanish told by the verb alone or after something else: customs, tools, errands with a day, orders."""

from memory.mining.rules import templates
from memory.mining.rules.table import Rule

_CAP = r"(?-i:[A-ZÁÉÍÓÚÑ])"
_START = r"(?:^|(?<=[,;.!][ ])|\b(?:yo|y|pero|que|pues|también|además) )"
_ILL = r"(?:daltónic[oa]|celíac[oa]|diabétic[oa]|asmátic[oa]|hipertens[oa]|epiléptic[oa]|sord[oa]|cieg[oa]|alérgic[oa] al? [\wáéíóúñ]+|intolerante a (?:la |el )?[\wáéíóúñ]+|miope|hemofílic[oa]|disléxic[oa]|autista)"

RULES: tuple[Rule, ...] = (
    templates.HABIT.rule(
        r"(?:^|(?<=[,;.][ ])|\by )(?P<o>siempre (?:me )?(?:desayuno|almuerzo|como|ceno|meriendo|bebo|tomo|duermo|salgo|voy|camino|corro|leo|escucho|madrugo|cocino|trabajo|estudio|compro|pago|viajo|entreno|nado) (?!si\b|que\b)[^\n,.;:!?]{3,50})",
        (
            (
                "Siempre desayuno tostadas con tomate.",
                "Siempre desayuno tostadas con tomate",
            ),
        ),
        ("Siempre desayuna tostadas", "¿Siempre desayuno tostadas?", "Siempre como si nada"),
    ),
    templates.CONDITION.rule(
        rf"{_START}soy [\wáéíóúñ]+ y (?P<o>{_ILL})(?=$|[,.!;])",
        (("Soy zurdo y daltónico, un cuadro.", "daltónico"),),
        ("Es zurdo y daltónico", "No soy zurdo y daltónico", "¿Soy zurdo y daltónico?"),
    ),
    templates.INSTRUCTION.rule(
        r"^(?P<o>(?:cuando|si|siempre que|cada vez que) te (?:pida|pregunte|mande|pase|escriba|hable)[^\n,.!?]{2,40},? (?:siempre )?(?:ponlo|ponme|dame|hazlo|dámelo|contesta|contéstame|responde|respóndeme|escríbelo|escribe|usa|evita|resume|sé|explícame|no (?:me )?(?:pongas|des|uses|hagas))[^\n.!?]{3,80})",
        (
            (
                "Cuando te pida código, ponlo sin comentarios, siempre.",
                "Cuando te pida código, ponlo sin comentarios, siempre",
            ),
        ),
        ("Cuando te pida código, dudarás", "Cuando le pida código, ponlo"),
    ),
    templates.USES.rule(
        rf"{_START}(?:edito|dibujo|diseño|grabo|mezclo|maqueto|retoco|programo|escribo) (?:(?:el|la|los|las|mis?|todas?|todos?) )*(?:vídeos?|videos?|fotos?|imágenes|notas|textos?|código|podcasts?|música|canciones|planos|páginas|ilustraciones|apuntes) (?:con|en) (?P<o>{_CAP}[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*)?)",
        (("Edito los vídeos con DaVinci Resolve", "DaVinci Resolve"),),
        ("Edita los vídeos con DaVinci", "¿Edito los vídeos con DaVinci?"),
    ),
    templates.CHILD.rule(
        rf"{_START}(?:tengo|tenemos) (?:dos|tres|cuatro|cinco) (?:hij[oa]s|niñ[oa]s|gemel[oa]s|mellizos|peques)(?::|,) (?P<o>{_CAP}[\wáéíóúñ-]+(?:, {_CAP}[\wáéíóúñ-]+)* y {_CAP}[\wáéíóúñ-]+)",
        (("Tengo dos hijos: Bruno y Candela.", "Bruno|Candela"),),
        ("Tiene dos hijos: Bruno y Candela", "¿Tengo dos hijos: Bruno y Candela?"),
    ),
    templates.EVENT.rule(
        r"(?<!\w)(?P<o>(?:llevo|llevamos) (?:a (?:la|el|mi|mis|los|las) [\wáéíóúñ]+|al? [\wáéíóúñ]+|el [\wáéíóúñ]+|la [\wáéíóúñ]+) (?:al|a la) (?:veterinario|médico|dentista|taller|pediatra|aeropuerto|hospital|itv|colegio|peluquería|fisio|notario))",
        (
            (
                "Mañana a las nueve llevo a la perra al veterinario.",
                "llevo a la perra al veterinario",
            ),
        ),
        ("Mañana lleva a la perra al veterinario.", "¿Mañana llevo a la perra al veterinario?"),
    ),
    templates.HOME.rule(
        rf"{_START}(?:vivo|vivimos|resido) en (?:un|una) (?:piso|bajo|ático|casa|chalé|chalet|apartamento|estudio|buhardilla|cabaña|pueblo|caravana|loft|dúplex)[^\n,.;:!?]{{0,40}}? en (?P<o>{_CAP}[\wáéíóúñ-]+(?: (?:de (?:la |los )?)?{_CAP}[\wáéíóúñ-]+)?)",
        (("Vivo en un bajo con poca luz en Cádiz.", "Cádiz"),),
        ("Vive en un bajo en Cádiz", "No vivo en un bajo en Cádiz"),
    ),
    templates.EMPLOYER.rule(
        rf"(?P<lead>\bya no (?:trabajo|estoy|curro) (?:en|para) [^\n,.]{{2,30}}, )(?:ahora|desde \w+) (?:estoy|trabajo|curro) (?:en|para) (?P<o>{_CAP}[\wáéíóúñ&-]*(?: {_CAP}[\wáéíóúñ&-]*)?)",
        (("Ya no trabajo en Iberia, ahora estoy en Renfe", "Renfe"),),
        ("Ya no trabaja en Iberia, ahora está en Renfe",),
    ),
)
