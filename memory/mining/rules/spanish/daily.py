"""Further ways of speaking of oneself in Spanish: who one is, whom one has, what one does."""

from memory.mining.rules import templates
from memory.mining.rules.table import Rule
from memory.text import kinship

KIN = kinship.KIN["es"]

_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_NAME = r"(?P<o>(?-i:[^\W\d_a-zñáéíóú])[\w'\u2019-]*(?: (?-i:[^\W\d_a-zñáéíóú])[\w'\u2019-]*){0,1})"
_PLACE = r"(?P<o>(?-i:[A-ZÁÉÍÓÚ])[\w-]+(?: (?:de (?:la |los )?|del )?(?-i:[A-ZÁÉÍÓÚ])[\w-]+)*)"
_START = r"(?:^|(?<=[,;.!][ ])|\b(?:yo|y|pero|que|pues|también|además) )"
_JOB = (
    r"(?P<o>(?:profe|profesora?|maestr[oa]|contable|camarer[oa]|enfermer[oa]|médic[oa]|abogad[oa]|ingenier[oa]|arquitect[oa]|electricista|fontaner[oa]|albañil|cociner[oa]|chef|conductora?|taxista|policía|bomber[oa]"
    r"|periodista|diseñadora?|programadora?|desarrolladora?|psicólog[oa]|veterinari[oa]|farmacéutic[oa]|peluquer[oa]|mecánic[oa]|carpinter[oa]|panader[oa]|dependient[ae]|administrativ[oa]|secretari[oa]|traductora?|fotógraf[oa]|músic[oa]|actor|actriz|dentista|fisioterapeuta|cartero|piloto|azafata|biólog[oa]|químic[oa]|físic[oa]|economista|consultora?|comercial|vendedora?|funcionari[oa]|bibliotecari[oa])(?: de (?!la\b|el\b|los\b)[\wáéíóú]+)?)"
)
_COUNT = r"(?:un|una|dos|tres|cuatro|cinco|seis|\d)"
_FAMILY = r"(?:herman[oa]s?|hij[oa]s?|niet[oa]s?|sobrin[oa]s?|mellizos|gemel[oa]s|perr[oa]s?|gat[oa]s?|caballos?|conejos?|gallinas?)(?: (?:mayor|menor|pequeñ[oa]|gemel[oa])(?:es|s)?)?"
_OFTEN = r"(?:(?:una|dos|tres|cuatro|cinco) ve(?:z|ces) (?:por|a la) (?:semana|mes|día)|todos los (?:días|lunes|martes|miércoles|jueves|viernes|sábados|domingos|meses|años)|todas las (?:mañanas|noches|tardes|semanas)|cada (?:día|mañana|noche|semana|domingo|sábado|verano|año))"
_USUALLY = r"(?:normalmente|generalmente|por lo general|casi siempre|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|fines de semana)|por las (?:mañanas|noches|tardes)|entre semana)"
_VERB = r"(?!tengo\b|quiero\b|creo\b|pienso\b|necesito\b|puedo\b|debo\b|como (?:si|que)\b|hago una pregunta)(?:me )?(?:\w+[^oa\W]o|ceno|corro|leo|nado|veo|voy|hago|salgo|juego|duermo|entreno|desayuno|almuerzo|medito|cocino|camino|estudio|trabajo)\b"
_DEVICE = r"(?P<r>móvil|celular|teléfono|portátil|ordenador|computadora|tableta|coche|carro|auto|bici|bicicleta|moto|cámara|impresora|reloj)"
_BRAND = (
    r"(?P<o>(?-i:[A-Z])?[\w-]*(?-i:[A-Z\d])[\w-]*(?: [\w-]*(?-i:[A-Z\d])[\w-]*)*)(?=$|[,.!]| (?:y|con|del)\b)"
)

RULES: tuple[Rule, ...] = (
    templates.NAME.rule(
        rf"^(?:hola,? )?soy {_NAME}(?=,? (?:mucho gusto|encantad[oa]|un placer|y (?:soy|vivo|tengo|trabajo|vengo)|de (?-i:[A-Z]))|, )(?!, (?:tu|su|el|la)\b)",
        (("soy Andrés, mucho gusto", "Andrés"),),
        ("soy Española de corazón", "No soy Andrés", "¿Soy Andrés, no?"),
    ),
    templates.NICKNAME.rule(
        rf"\b(?:me (?:dicen|llaman|conocen como)|todos me (?:dicen|llaman)|mis amigos me (?:dicen|llaman)) {_NAME}",
        (("me dicen Pancho", "Pancho"),),
        ("Le dicen Pancho", "me dicen que no"),
    ),
    templates.AGE.rule(
        r"\b(?:acabo de cumplir|cumplí|he cumplido|ya cumplí) (?:los )?(?P<o>[1-9]\d)(?: años|$|[,.!]| (?:ayer|hace|la|este|el)\b)",
        (("acabo de cumplir 40 años", "40"),),
        ("Acaba de cumplir 40 años", "cumplí 40 tareas"),
    ),
    templates.HOME.rule(
        rf"{_START}(?:(?:vivo|vivimos|resido)(?: (?!no\b|con\b)\w+){{0,4}}? (?:en|cerca de|a las afueras de)|llevo (?:\w+ ){{1,3}}viviendo en|me mudé (?:a|para)) {_PLACE}",
        (
            ("vivimos cerca de Bilbao", "Bilbao"),
            ("llevo tres años viviendo en Lima", "Lima"),
        ),
        ("Vive en Bilbao", "No vivo en Bilbao", "vivo en paz"),
    ),
    templates.ORIGIN.rule(
        rf"{_START}(?:vengo de|nací(?: y crecí)? en|crecí en|me crié en|soy natural de|soy originari[oa] de) {_PLACE}",
        (("vengo de Cuba", "Cuba"), ("nací en Quito", "Quito")),
        ("Nació en Quito", "vengo de comprar", "Vengo de la calle"),
    ),
    templates.OCCUPATION.rule(
        rf"{_START}(?:soy (?:un |una )?|trabajo (?:como|de) |me dedico a ser |ejerzo de ){_JOB}(?![\w-])(?= (?:en|y|desde|por|pero|jubilad[oa]|autónom[oa])\b|[,.!;]|$)",
        (("trabajo como contable", "contable"), ("soy profe de historia", "profe de historia")),
        ("Mi padre trabaja como contable", "No soy profe", "imagina que soy médico"),
    ),
    templates.TRAIT.rule(
        rf"{_START}(?:soy|estoy) (?:un |una )?(?P<o>zurd[oa]|diestr[oa]|jubilad[oa]|en paro|desemplead[oa]|autónom[oa]|hij[oa] únic[oa]|gemel[oa]|viud[oa]|católic[oa]|judí[oa]|musulman[a]?|ate[oa]|evangélic[oa]|gay|lesbiana|introvertid[oa]|ama de casa|mexican[oa]|español[a]?|argentin[oa]|colombian[oa]|chilen[oa]|peruan[oa]|venezolan[oa]|cuban[oa]|ecuatorian[oa]|uruguay[oa]|bolivian[oa]|paraguay[oa]|catalán|catalana|vasc[oa]|galleg[oa]|andaluz[a]?|italian[oa]|alemán|alemana|frances[a]?|brasileñ[oa]|daltónic[oa]|sord[oa]|trans)(?=$|[,.!;]| (?:y|pero|desde|de|así)\b)",
        (("soy zurdo", "zurdo"), ("estoy en paro", "en paro"), ("soy mexicana", "mexicana")),
        ("Es zurdo", "No soy zurdo", "¿Soy zurdo?"),
    ),
    templates.LIKES.rule(
        rf"{_START}soy (?:muy |un gran |una gran )?(?:fan|fanático|fanática|hincha|aficionad[oa]|amante|forofo) (?:de|del|a) (?:la |los |las |el )?<o>",
        (("soy fan del Betis", "Betis"),),
        ("Es fan del Betis", "No soy fan del Betis"),
    ),
    templates.RELATION.rule(
        rf"\b(?:tengo|tenemos) (?:un|una) (?:\w+ )?(?P<r>{_WORDS})(?: mayor| menor)?(?:,| que se llama| llamad[oa]| de nombre) {_NAME}",
        (
            ("tenemos un gato que se llama Bigotes", "Bigotes"),
            ("tengo un hermano, Hugo", "Hugo"),
        ),
        ("tienen un gato que se llama Bigotes", "tengo un gato"),
    ),
    templates.RELATION.rule(
        rf"(?<!\w)(?:mi|nuestr[oa]) (?:mejor )?(?P<r>{_WORDS}) es {_NAME}(?=$|[,.!])",
        (("mi mejor amiga es Fanny", "Fanny"),),
        ("su mejor amiga es Fanny", "mi hermano es alto"),
    ),
    templates.CHILD.rule(
        r"\b(?:mis|nuestr[oa]s) (?:hij[oa]s|niñ[oa]s|gemel[oa]s|mellizos) (?:se llaman|son) (?P<o>(?-i:[A-ZÁÉÍÓÚ])[\w-]+(?:(?:, | y )(?-i:[A-ZÁÉÍÓÚ])[\w-]+)*)",
        (("mis hijos se llaman Leo y Mila", "Leo|Mila"),),
        ("sus hijos se llaman Leo y Mila", "mis hijos son altos"),
    ),
    templates.FAMILY.rule(
        rf"{_START}(?:tengo|tenemos) (?P<o>{_COUNT} {_FAMILY})(?=$|[.!;]|,(?! (?-i:[A-ZÁÉÍÓÚ]))| (?:y|en|de)\b)",
        (("tengo dos hijos", "dos hijos"),),
        ("Tiene dos hijos", "Tengo dos preguntas", "No tengo hijos"),
    ),
    templates.HABIT.rule(
        rf"{_START}(?P<o>{_VERB}(?: [^\n,.;:!?]{{1,30}})? {_OFTEN})",
        (("corro tres veces por semana", "corro tres veces por semana"),),
        (
            "Corre tres veces por semana",
            "Como si nada todos los días",
            "Todos los días sale el sol",
        ),
    ),
    templates.HABIT.rule(
        rf"(?:^|[,.] )(?P<o>{_USUALLY},? {_VERB}[^\n,.;:!?]{{3,40}})",
        (("normalmente ceno a las diez", "normalmente ceno a las diez"),),
        ("Normalmente cena a las diez", "Normalmente creo que sí"),
    ),
    templates.CONDITION.rule(
        rf"{_START}soy (?P<o>intolerante (?:a la lactosa|al gluten|a la fructosa)|celíac[oa]|diabétic[oa]|asmátic[oa]|hipertens[oa]|epiléptic[oa])",
        (("soy intolerante a la lactosa", "intolerante a la lactosa"),),
        ("Es intolerante a la lactosa", "No soy celíaca"),
    ),
    templates.LIMIT.rule(
        rf"{_START}(?P<o>no (?:tengo|tenemos) (?:carnet(?: de conducir)?|coche|carro|horno|lavavajillas|jardín|balcón|lavadora)|no sé (?:nadar|conducir|manejar|cocinar|montar en bici))",
        (("no tengo carnet de conducir", "no tengo carnet de conducir"),),
        ("no tiene carnet", "no tengo tiempo", "No sé qué hacer"),
    ),
    templates.GOAL.rule(
        rf"{_START}(?:estoy|estamos|ando) ahorrando para <o>",
        (("estoy ahorrando para una casa", "una casa"),),
        ("Está ahorrando para una casa", "estoy ahorrando"),
    ),
    templates.DEVICE.rule(
        rf"\bmi (?:nuev[oa] |viej[oa] )?{_DEVICE} es (?:un |una |el |la )?{_BRAND}",
        (("mi móvil es un iPhone 12", "iPhone 12"),),
        ("su móvil es un iPhone 12", "mi móvil es viejo"),
    ),
    templates.PROJECT.rule(
        r"\b(?:estoy|estamos) (?:reformando|construyendo|restaurando|renovando|montando|desarrollando|creando|diseñando) (?P<o>(?:un|una|nuestr[oa]|mi|el|la) (?:casa|piso|cocina|baño|barco|furgo\w*|cabaña|empresa|negocio|app|aplicación|web|juego|huerto|coche|moto)(?: [\w-]+){0,2})",
        (("estamos reformando una casa vieja", "una casa vieja"),),
        ("están reformando una casa", "estoy creando una tabla"),
    ),
    templates.FAMILY.rule(
        r"\b(?P<o>(?:mi|nuestr[oa]) (?:\w+ )?(?:hij[oa]|bebé|niet[oa]|niñ[oa]|peque|nene|nena)(?: (?:mayor|menor|pequeñ[oa]))?(?: tiene| cumple| de|,| \()? ?(?:\d{1,2}|un|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce) (?:años|añitos|meses))\b",
        (
            ("mi hija de 3 años no duerme", "mi hija de 3 años"),
            ("mi hijo tiene ocho años y lee mucho", "mi hijo tiene ocho años"),
        ),
        ("su hija tiene 3 años", "¿Cuántos años tiene mi hija?"),
    ),
)
