"""What people do, want, like and avoid, in Spanish."""

from memory.mining.rules import templates
from memory.mining.rules.table import Rule

_THE = r"(?:el |la |los |las |un |una )?"
_WHEN = r"(?:todos los \w+|todas las \w+|cada \w+|(?:los|las) (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|mañanas|tardes|noches))"
_CAP = r"(?-i:[A-ZÁÉÍÓÚÑ])"
_ORDER = r"(?:respóndeme|responde|contéstame|contesta|háblame|habla|escríbeme|escribe|trátame|tutéame|llámame|usa|utiliza|explícame|explica|dame|sé|pon|evita|resume)"
_DATED = r"(?:cita|examen|boda|reunión|entrevista|vuelo|viaje|concierto|operación|mudanza|revisión|consulta|fiesta|partido|presentación|dentista|médico|carrera|maratón|defensa|oposición)"

RULES: tuple[Rule, ...] = (
    templates.SURNAME.rule(
        r"(?<!\w)mis? apellidos? (?:es|son) <o>",
        (("Mi apellido es Etxeberria, con tx", "Etxeberria"),),
        ("Su apellido es Ruiz.", "¿Mi apellido es raro?"),
    ),
    templates.BIRTHDAY.rule(
        r"(?<!\w)(?:mi cumple(?:años)? es|cumplo años|nací) el (?P<o>\d{1,2} de [a-z]+(?: de \d{4})?)",
        (("Mi cumple es el 22 de febrero, por si acaso", "22 de febrero"),),
        ("Su cumple es el 22 de febrero.", "¿Cuándo es mi cumple?"),
    ),
    templates.MARITAL.rule(
        r"(?<!\w)(?:estoy|soy) (?:felizmente )?(?P<o>casad[oa]|divorciad[oa]|solter[oa]|viud[oa]|prometid[oa]|separad[oa])\b",
        (("Estoy casada con un holandés", "casada"),),
        ("No estoy casado.", "Ella está casada."),
    ),
    templates.SPOUSE.rule(
        rf"(?<!\w)(?:estoy|vivo) casad[oa] con (?:una? [^\n,]{{2,30}},? (?:que )?se llama )?(?P<o>{_CAP}\w+)",
        (("Estoy casada con un holandés, se llama Joost", "Joost"),),
        ("Estoy casado con un holandés.", "Ella está casada con Joost."),
    ),
    templates.OCCUPATION.rule(
        r"(?<!\w)(?:trabajo (?:como|de)|soy)(?: una?)? (?!un |el |la |muy |alérgic|diabétic|veget|vegan|celíac|nuev|bastante|fan)"
        r"(?P<o>[^\W\d_]*(?:er[oa]|or|ora|ista|nte|ogad[oa]|tect[oa]|médic[oa]|mecánic[oa]|electricista|cist[oa]|ólog[oa]|grafo|tric[oa]|maestr[oa]|informátic[oa]|poeta|chef|fontaner[oa]|jubilad[oa]|autónom[oa]|piloto|matrona|actriz|músic[oa])(?: de (?!la que|lo)\w+)?)(?= (?:en|y|por|desde|a)\b|[.,!]|$)",
        (
            ("soy arquitecta, bueno, casi", "arquitecta"),
            ("Soy profesor de música en Vigo", "profesor de música"),
        ),
        ("Soy alérgico.", "No soy arquitecto.", "Soy nuevo en esto."),
    ),
    templates.WORKED.rule(
        rf"(?<!\w)(?:antes |hasta [^\n,]{{2,20}} )?(?:trabajaba|trabajé|estuve trabajando|he trabajado) (?:[^\n,]{{1,20}} )??(?:en|para) (?P<o>(?:la |el )?{_CAP}[\w-]+(?: (?:de )?{_CAP}[\w-]+)*)",
        (("Antes trabajaba en Telefónica, veinte años", "Telefónica"),),
        ("Trabajaba en casa.", "Nunca trabajé en Seat."),
    ),
    templates.LIVED.rule(
        rf"(?<!\w)(?:viví|vivía|he vivido|vivimos antes) (?:[^\n,]{{1,25}} )??en (?P<o>{_CAP}[\w-]+(?: (?:de )?{_CAP}[\w-]+)*)",
        (("Viví tres años en Dublín", "Dublín"),),
        ("Vivió en Dublín.", "Nunca viví en París."),
    ),
    templates.STUDIES.rule(
        r"(?<!\w)(?<!\bel[ ])(?<!\bun[ ])(?<!\bmi[ ])(?<!\bdel[ ])(?<!\beste[ ])(?:estudio|estoy estudiando) (?!es\b|de\b|del\b|mucho|en |para |con )(?P<o>[^\n,.;]{3,40}?)(?= en\b| y\b|[,.!]|$)",
        (("Estudio biología en Granada", "biología"),),
        ("Estudio mucho.", "Ella estudia biología."),
    ),
    templates.FAVOURITE.rule(
        r"(?<!\w)mi (?P<r>\w+) (?:favorit[oa]|preferid[oa]) (?:es|sigue siendo) (?:el |la )?(?!que|un[oa]? que)<o>",
        (("Mi color favorito es el verde botella", "verde botella"),),
        ("Su color favorito es el rojo.", "¿Cuál es mi color favorito?"),
    ),
    templates.PREFERS.rule(
        r"(?<!\w)(?:prefiero|me gustan? más) (?:mil veces |mucho más )?(?!mil veces|que |esa?\b|est[ea]\b|la (?:segunda|primera))(?:el |la |los |las )?(?P<o>[^\n,.;]{2,50}?)(?= (?:al?|que|antes)\b|[,.!;]|$)",
        (("Prefiero el mate amargo al café", "mate amargo"),),
        ("Prefiero que lo hagas tú.", "Ella prefiere el té."),
    ),
    templates.LIKES.rule(
        r"(?<!\w)(?:me (?:flipan?|chiflan?|apasionan?|fascinan?|molan?|vuelven? loc[oa])|amo|adoro|soy (?:muy )?fan de) (?:mucho )?(?:el |la |los |las )?(?!que |est|es[ea])<list>",
        (("me flipan los juegos de mesa, sobre todo", "juegos de mesa"),),
        ("Le flipa el ajedrez.", "No me mola el rap."),
    ),
    templates.DISLIKES.rule(
        rf"(?<!\w)(?:no (?:soporto|aguanto|trago)|no me mola[n]?|me (?:repugna|horroriza)n?|me dan? asco) {_THE}(?!que |est|es[ea])<list>",
        (("No soporto el cilantro.", "cilantro"),),
        ("No soporto eso.", "No soporta el ruido."),
    ),
    templates.SPEAKS.rule(
        r"(?<!\w)hablo (?!con|de|por|mucho|muy)(?:perfectamente |un poco de |algo de |bien )?(?P<o>(?:\w+)(?:(?:,| y) (?:un poco de |algo de )?\w+)*?)(?= (?:con|desde|porque|en)\b|[,.!]|$)",
        (("Hablo gallego y algo de alemán", "gallego|algo de alemán"),),
        ("Hablo con mi madre.", "¿Hablas gallego?"),
    ),
    templates.CAN.rule(
        r"(?<!\w)(?:yo )?sé (?P<o>(?:tocar|cocinar|coser|programar|conducir|nadar|bailar|montar|esquiar|tejer|hablar|pintar) ?[^\n,.;]{0,40})",
        (("sé tocar el acordeón, mi abuelo me enseñó", "tocar el acordeón"),),
        ("No sé nadar.", "¿Sabes tocar el piano?"),
    ),
    templates.PLAYS.rule(
        r"(?<!\w)toco (?:el |la )(?!tema)<o>",
        (("Toco la guitarra.", "guitarra"),),
        ("Mi hija toca el violín.",),
    ),
    templates.LEARNING.rule(
        r"(?<!\w)(?:estoy aprendiendo|aprendo) (?:a )?<o>",
        (("Estoy aprendiendo japonés", "japonés"),),
        ("Ella aprende inglés.",),
    ),
    templates.GOAL.rule(
        r"(?<!\w)(?:mi (?:meta|objetivo|sueño|propósito)(?: [^\n,.]{2,25})? es|(?:yo )?(?:quiero|me gustaría|estoy ahorrando para|tengo pensado|pienso)(?= (?:sacarme|aprender|correr|mudarme|comprarme|viajar|dejar|perder|ahorrar|montar|abrir|aprobar|terminar|adelgazar|casarme|ser|hacerme|jubilarme|escalar|cambiar)\b)) <o>",
        (
            (
                "Quiero sacarme el carnet de moto antes del verano",
                "sacarme el carnet de moto antes del verano",
            ),
            ("Mi objetivo es correr un maratón", "correr un maratón"),
        ),
        ("Quiero una lista.", "No quiero mudarme.", "¿Cuál es mi meta?"),
    ),
    templates.PROJECT.rule(
        r"(?<!\w)estoy (?:escribiendo|montando|construyendo|desarrollando|programando|preparando|reformando|restaurando) (?!un (?:correo|mensaje|email))(?:un[oa]? )?<o>",
        (("Estoy escribiendo una novela", "novela"),),
        ("Está escribiendo una novela.", "Estoy escribiendo un correo."),
    ),
    templates.DIET.rule(
        r"(?<!\w)(?:soy|llevo una dieta|sigo una dieta|como) (?P<o>vegan[oa]|vegetarian[oa]|pescetarian[oa]|celíac[oa]|sin gluten|halal|kosher|keto)\b",
        (("Soy vegetariana desde 2010", "vegetariana"),),
        ("No soy vegano.", "Mi hija es vegana."),
    ),
    templates.AVOIDS.rule(
        rf"(?<!\w)(?:ya )?no (?:como|bebo|tomo|puedo (?:comer|tomar|beber)|tolero) {_THE}(?!nada|mucho|que|si)<list>",
        (("No como carne desde los quince años", "carne"),),
        ("No como nada.", "No come carne."),
    ),
    templates.CONDITION.rule(
        r"(?<!\w)(?:tengo|padezco|sufro)(?: de)? (?P<o>diabetes(?: tipo \d)?|hipertensión|asma|migrañas?|epilepsia|artritis|artrosis|intolerancia a [^\n,.]{3,25}|la tensión alta|tdah|vértigo|ansiedad|hipotiroidismo)\b",
        (("Tengo asma.", "asma"),),
        ("Mi hijo tiene asma.", "¿Tengo asma?"),
    ),
    templates.BUDGET.rule(
        r"(?<!\w)(?:mi|nuestro) presupuesto (?:es|ronda|son)(?: de)?(?: unos| como máximo| máximo)? (?P<o>\d[\d.,]* ?(?:€|euros|pesos|dólares)?)",
        (("Mi presupuesto es de 800 euros", "800 euros"),),
        ("¿Cuál es mi presupuesto?", "El presupuesto es bajo."),
    ),
    templates.EVENT.rule(
        rf"(?<!\w)(?:tengo|tenemos) (?:[^\n,]{{0,30}}? )??(?P<o>{_DATED}(?: (?:con|de|en) (?:el |la )?(?!julio|enero)\w+)?)",
        (("Mañana tengo cita con el dentista", "cita"),),
        ("Tengo una cita.", "¿Tengo mañana un examen?"),
    ),
    templates.EVENT.rule(
        r"(?<!\w)(?P<o>(?:me operan|nos casamos|me caso|me mudo|nos mudamos|vuelo|viajo|viajamos|defiendo)(?: [^\n,.]{2,40})?)",
        (("El 3 de julio de 2024 me operan de la rodilla", "me operan de la rodilla"),),
        ("Me operan de la rodilla.", "¿Me operan mañana?"),
    ),
    templates.HABIT.rule(
        rf"(?<!\w)(?P<o>{_WHEN},? (?:por la \w+ )?(?!me gust|tengo|hay|es\b|está)(?:me )?(?:\w+o|voy|doy|hago|salgo|juego) [^\n.;]{{2,80}})",
        (
            (
                "Todos los domingos como en casa de mi suegra",
                "Todos los domingos como en casa de mi suegra",
            ),
        ),
        ("Todos los domingos come con ella.", "¿Todos los lunes trabajo?"),
    ),
    templates.HABIT.rule(
        rf"(?:^|[,;] |\byo )(?P<o>(?:me )?(?!no\b|odio|quiero|tengo)(?:\w+o|voy|doy) [^\n,.;]{{0,50}}?(?:{_WHEN}|normalmente|siempre por la \w+)[^\n,.;]{{0,40}})",
        (("Salgo a correr todas las mañanas", "Salgo a correr todas las mañanas"),),
        ("Sale a correr todas las mañanas.",),
    ),
    templates.USES.rule(
        r"(?<!\w)(?:uso|utilizo|programo en|trabajo con) (?:el |la |un |una )?(?P<o>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*)?(?: y (?-i:[A-Z])[\w.+#-]*)?)",
        (("Uso Linux en el portátil", "Linux"),),
        ("¿Uso Linux?", "Usa Linux."),
    ),
    templates.INSTRUCTION.rule(
        rf"(?:^|[,;] )(?P<o>(?:por favor,? )?(?:(?:a partir de ahora|de ahora en adelante|en adelante|desde ahora),? (?!soy|vivo|trabajo|voy|las? |los |el |mi|es\b|ya\b|todo)[^\n.!?]{{4,120}}|(?:{_ORDER}|no (?:me )?(?:hables|trates|uses|respondas)) (?:[^\n.!?]{{0,60}} )?(?:siempre|nunca|jamás)\b[^\n.!?]{{0,80}}|siempre {_ORDER}[^\n.!?]{{3,80}}))",
        (
            (
                "A partir de ahora respóndeme siempre de tú y sin rodeos",
                "A partir de ahora respóndeme siempre de tú y sin rodeos",
            ),
            ("Respóndeme siempre en español.", "Respóndeme siempre en español"),
        ),
        ("Responde en español.", "Siempre llueve aquí."),
    ),
)
