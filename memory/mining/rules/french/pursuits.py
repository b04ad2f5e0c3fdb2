"""What people do, want, like and avoid, in French."""

from memory.mining.rules import templates
from memory.mining.rules.table import Rule

_Q = r"['\u2019]"
_THE = rf"(?:le |la |les |l{_Q}|un |une |du |de la |des |de l{_Q})?"
_CAP = r"(?-i:[A-ZÉÈÀÂÎÔÇŒ])"
_NAMED = rf"(?P<o>(?:la |le |l{_Q})?{_CAP}[\w-]+(?: (?:de |du )?{_CAP}[\w-]+){{0,2}})"
_DAY = r"(?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|jours|matins?|soirs?|semaines|mois|week-ends?|ans|étés)"
_WHEN = rf"(?:tous les {_DAY}(?: (?:soir|matin)s?)?|toutes les semaines|chaque \w+|le {_DAY} (?:soir|matin))"
_ORDER = r"(?:réponds(?:-moi)?|tutoie-moi|vouvoie-moi|parle(?:-moi)?|écris(?:-moi)?|utilise|appelle-moi|explique(?:-moi)?|donne(?:-moi)?|fais|sois|évite|mets|cite)"
_DATED = r"(?:rendez-vous|rdv|examen|mariage|réunion|entretien|vol|voyage|concert|opération|déménagement|partiel|soutenance|fête|match|bilan|contrôle|dentiste|concours|marathon|course)"
_JOB = (
    r"(?P<o>[^\W\d_]*(?:teur|trice|ieur|deur|leur|neur|ceur|reur|seur|feur|euse|nier|nière|mier|mière|cier|cière|tier|tière|lier|lière|gère|ger|iste|icien|icienne|cin|ocate?|tecte|gnante?|logue|graphe|peute|taire|valier)"
    r"|sage-femme|prof(?:esseure?)?|maître|maîtresse|cuistot|chef|cheffe|maire|architecte|pompier|juge|psy|kiné|notaire|vétérinaire|chirurgienne?|comptable|libraire|fleuriste|secrétaire|cadre|boucher|boulanger|boulangère)"
)

RULES: tuple[Rule, ...] = (
    templates.SURNAME.rule(
        r"\bmon nom de famille(?:,)? (?:c['\u2019])?est <o>",
        (("Mon nom de famille est Lefèvre", "Lefèvre"),),
        ("Son nom de famille est Petit.",),
    ),
    templates.BIRTHDAY.rule(
        rf"\b(?:mon anniv(?:ersaire)?,? (?:c{_Q})?est|je suis née?) le (?P<o>\d{{1,2}}(?:er)? [a-zéû]+(?: \d{{4}})?)",
        (("Mon anniversaire c'est le 3 mai", "3 mai"),),
        ("Son anniversaire est le 3 mai.", "Quand est mon anniversaire ?"),
    ),
    templates.MARITAL.rule(
        r"\bje suis (?P<o>mariée?|divorcée?|célibataire|veuve|veuf|pacsée?|fiancée?)\b",
        (("Je suis célibataire.", "célibataire"),),
        ("Je ne suis pas mariée.", "Elle est mariée."),
    ),
    templates.OCCUPATION.rule(
        rf"(?<!dont[ ])(?<!que[ ])\b(?:je (?:travaille comme|suis)|je bosse comme|je suis actuellement) (?:une? |le |la )?(?!allergique|premier|dernier|(?:en )?colère|fier|première|dernière|léger|entier|fière|propriétaire|régulier|particulier|hospitalier|prisonnier|héritière?|locataire|étranger|étrangère|en danger)(?:ancienne? )?{_JOB}(?= (?:chez|à|au|en|et|dans|de|d{_Q}|depuis|pour|libérale?|à la)\b|[.,!]|$)",
        (
            ("Je suis sage-femme en libéral", "sage-femme"),
            ("Je suis professeur de maths", "professeur"),
        ),
        ("Je suis le premier.", "Je ne suis pas médecin.", "Elle est actrice."),
    ),
    templates.OCCUPATION.rule(
        r"\bje suis (?:à la |en )?(?P<o>retraite|retraitée?|chômage|étudiante?|lycéenne?|lycéen|apprentie?)\b(?! (?:de|en)\b)",
        (("Je suis à la retraite depuis janvier", "retraite"),),
        ("Il est à la retraite.", "Je ne suis pas étudiant."),
    ),
    templates.WAS.rule(
        rf"(?:\bje suis [^\n,]{{3,40}}, ancien(?:ne)? |\bj{_Q}étais (?:une? )?(?=[^\n,]{{3,30}} avant\b|{_JOB.replace('(?P<o>', '(?:')})|\bavant j{_Q}étais (?:une? )?)<o>",
        (("Je suis à la retraite depuis janvier, ancien conducteur de TGV", "conducteur de TGV"),),
        ("J'étais fatigué.", "Il était boulanger."),
    ),
    templates.EMPLOYER.rule(
        rf"\bje (?:bosse|travaille) (?:[^\n,]{{1,20}} )??(?:chez|pour) {_NAMED}",
        (("je bosse chez Decathlon, au rayon vélo", "Decathlon"),),
        ("Je bosse chez moi.", "Il bosse chez Orange."),
    ),
    templates.WORKED.rule(
        rf"\b(?:je (?:travaillais|bossais)|j{_Q}ai (?:travaillé|bossé)) (?:[^\n,]{{1,25}} )??(?:chez|pour|à|au) {_NAMED}",
        (("Avant je travaillais chez Peugeot à Sochaux", "Peugeot"),),
        ("Il travaillait chez Peugeot.", "Je travaille chez Peugeot."),
    ),
    templates.LIVED.rule(
        rf"\b(?:j{_Q}ai (?:vécu|habité)|j{_Q}habitais|je vivais) (?:[^\n,]{{1,25}} )??(?:à|au|en) {_NAMED}",
        (("J'ai vécu trois ans à Dublin", "Dublin"),),
        ("Il a vécu à Dublin.", "J'habite à Lyon."),
    ),
    templates.STUDIES.rule(
        r"\bje (?:suis étudiante?|suis en fac|fais des études|suis en master|suis en licence) (?:en |de |d['\u2019])(?P<o>[^\n,.;]{3,30}?)(?= à\b| et\b|[,.!]|$)",
        (("je suis étudiante en droit à Assas", "droit"),),
        ("Elle est étudiante en droit.",),
    ),
    templates.FAVOURITE.rule(
        rf"\b(?:mon|ma) (?P<r>\w+) (?:préférée?|favorite?)(?:,)? (?:est|c{_Q}est|reste) (?!quoi|que|pas)(?:le |la |l{_Q})?<o>",
        (
            ("Ma couleur préférée c'est le jaune moutarde", "jaune moutarde"),
            ("Mon plat préféré reste la blanquette de ma mère", "blanquette de ma mère"),
        ),
        ("Sa couleur préférée est le bleu.", "Quel est mon plat préféré ?"),
    ),
    templates.PREFERS.rule(
        rf"\bje préfère (?!que|cette|ce |celle|celui|la (?:première|deuxième|seconde))(?:le |la |les |l{_Q})?(?P<o>[^\n,.;]{{2,50}}?)(?= (?:à|au|aux|plutôt|que)\b|[,.!;]|$)",
        (("Je préfère le thé au café", "thé"),),
        ("Je préfère que tu le fasses.", "Elle préfère le thé."),
    ),
    templates.LIKES.rule(
        rf"\b(?:je (?:raffole|suis fan|suis fou|suis folle) d(?:e |u |es |{_Q})|je kiffe |je suis passionnée? (?:de |d{_Q}|par ))(?:le |la |les |l{_Q})?(?!ça|cette|ce )<list>",
        (("Je suis fan de polars", "polars"),),
        ("Il raffole de chocolat.",),
    ),
    templates.DISLIKES.rule(
        rf"\b(?:je ne supporte pas|je supporte pas|j{_Q}ai horreur (?:de |du |des |d{_Q})|je hais) ?(?:le |la |les |l{_Q})?(?!ça|que|quand)<list>",
        (("Je ne supporte pas la coriandre", "coriandre"),),
        ("Je ne supporte pas ça.", "Elle ne supporte pas le bruit."),
    ),
    templates.SPEAKS.rule(
        rf"(?:\bje parle |\bje me débrouille en |\bje maîtrise )(?:couramment |un peu |bien |très bien )*(?:le |la |l{_Q})?(?!de|du|à|avec|trop)(?P<o>\w+(?: et (?!je)(?:un peu )?(?:le |la |l{_Q})?\w+)?)",
        (("Je parle couramment l'allemand et je me débrouille en italien", "allemand|italien"),),
        ("Je parle à ma mère.", "Tu parles breton ?"),
    ),
    templates.PLAYS.rule(
        rf"\bje joue (?:[^\n,]{{1,15}} )??(?:du |de la |de l{_Q})<o>",
        (("Je joue du violoncelle.", "violoncelle"),),
        ("Elle joue du piano.", "Je joue aux cartes."),
    ),
    templates.CAN.rule(
        r"\bje sais (?P<o>(?:jouer|coudre|cuisiner|nager|coder|programmer|conduire|tricoter|skier|danser|souder|peindre) ?[^\n,.;]{0,40})",
        (("Je sais coudre.", "coudre"),),
        ("Je ne sais pas nager.", "Sais-tu coudre ?"),
    ),
    templates.LEARNING.rule(
        rf"\bj{_Q}apprends (?:à |le |la |l{_Q}|les )?(?!que|beaucoup)<o>",
        (("j'apprends le breton, oui oui", "breton"),),
        ("J'apprends que tu pars.", "Il apprend le breton."),
    ),
    templates.GOAL.rule(
        rf"\b(?:mon (?:objectif|but|rêve|projet)(?: [^\n,.]{{2,25}})?,? (?:c{_Q})?est (?:de |d{_Q})?|je (?:veux|voudrais|compte|prévois de) (?=(?:apprendre|courir|devenir|m{_Q}acheter|passer mon|perdre|arrêter|déménager|ouvrir|voyager|changer|monter|économiser|visiter|réussir|finir)\b)|j{_Q}économise pour )<o>",
        (
            ("Je veux apprendre le piano cette année", "apprendre le piano cette année"),
            ("Mon objectif est de courir un marathon", "courir un marathon"),
        ),
        ("Je veux une liste.", "Quel est mon but ?", "Il veut courir."),
    ),
    templates.PROJECT.rule(
        rf"\b(?:je suis en train d(?:e |{_Q})(?:écrire|construire|monter|développer|rénover|préparer|coder|restaurer)|j{_Q}écris (?=(?:un|une|mon) (?:roman|livre|recueil|thèse|blog|essai|scénario))|je (?:développe|construis|rénove|restaure)) ?(?!un (?:mail|message))(?:une? |mon |ma )?<o>",
        (("Je suis en train d'écrire un recueil de nouvelles", "recueil de nouvelles"),),
        ("Il écrit un roman.", "Je suis en train de manger."),
    ),
    templates.DIET.rule(
        r"\bje (?:suis|mange) (?P<o>végétarienne?|végétarien|végane?|vegan|végétalienne?|pescétarienne?|halal|casher|sans gluten)\b",
        (("Je suis végétarienne mais je mange du poisson", "végétarienne"),),
        ("Je ne suis pas végane.", "Ma fille est végane."),
    ),
    templates.AVOIDS.rule(
        rf"\bje (?:ne |n{_Q})?(?:mange|bois|supporte|peux pas manger|peux pas boire|consomme|tolère)(?: pas| plus| jamais) (?:de |d{_Q}|le |la )(?!tout)<list>",
        (("Je ne mange pas de porc.", "porc"),),
        ("Je ne mange pas.", "Il ne mange pas de porc."),
    ),
    templates.CONDITION.rule(
        rf"\b(?:j{_Q}ai|je souffre|je fais) (?:du |de la |de l{_Q}|de |d{_Q}|une? |des )?(?P<o>diabète|hypertension|asthme|migraines?|épilepsie|arthrose|endométriose|intolérance au [^\n,.]{{3,20}}|vertige|tdah|apnée du sommeil)\b",
        (("J'ai de l'asthme.", "asthme"),),
        ("Mon fils a de l'asthme.", "Est-ce que j'ai de l'asthme ?"),
    ),
    templates.CONDITION.rule(
        r"\bje suis (?P<o>diabétique|asthmatique|intolérante? au \w+|daltonienne?|daltonien|épileptique|malentendante?|cœliaque)",
        (("Je suis diabétique.", "diabétique"),),
        ("Il est diabétique.",),
    ),
    templates.BUDGET.rule(
        r"\b(?:mon|notre) budget,? (?:c['\u2019])?est (?:de |d['\u2019])?(?:environ )?(?P<o>\d[\d ,.]*(?:€|euros|francs)?)",
        (("Mon budget est de 800 euros", "800 euros"),),
        ("Quel est mon budget ?", "Son budget est de 800 euros."),
    ),
    templates.EVENT.rule(
        rf"\b(?:j{_Q}ai|nous avons|on a(?= (?:une?|des|les?|la|nos|notre|rendez|rdv|déjà|encore|aussi)\b)) (?:[^\n,]{{0,20}}? )??(?P<o>{_DATED}(?: (?:chez|avec|de|d{_Q}|à) (?:le |la |l{_Q}|mon |ma )?(?!demain)[\w-]+)?)",
        (("J'ai rendez-vous chez l'ophtalmo demain à 11h", "rendez-vous chez l'ophtalmo"),),
        ("J'ai un rendez-vous.", "Ai-je un rendez-vous demain ?"),
    ),
    templates.EVENT.rule(
        rf"\b(?P<o>(?:je me fais opérer|on se marie|nous nous marions|je me marie|je déménage|je pars|nous partons|je prends l{_Q}avion)(?: [^\n,.]{{2,40}})?)",
        (("On se marie le 3 mai", "On se marie le 3 mai"),),
        ("On se marie.", "Ils se marient le 3 mai."),
    ),
    templates.HABIT.rule(
        rf"\b(?P<o>{_WHEN},? (?:je (?!suis|déteste|hais|veux)|j{_Q}(?!ai|aime))[^\n,.;]{{2,80}})",
        (
            (
                "tous les mardis soir je fais de la poterie",
                "tous les mardis soir je fais de la poterie",
            ),
        ),
        ("Tous les mardis il court.", "Que fais-je tous les mardis ?"),
    ),
    templates.HABIT.rule(
        rf"\bje (?P<o>(?!suis|déteste|veux|ne\b)\w+ (?:[^\n,.;]{{1,50}} )?(?:{_WHEN}|régulièrement|d{_Q}habitude)[^\n,.;]{{0,40}})",
        (("Je cours tous les matins", "cours tous les matins"),),
        ("Elle court tous les matins.",),
    ),
    templates.USES.rule(
        rf"\b(?:j{_Q}utilise|je (?:code|programme|développe) (?:en|avec)|je travaille (?:sur|avec)|je suis sous) (?P<o>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z\d])[\w.+#-]*)?(?: et (?-i:[A-Z])[\w.+#-]*)?)",
        (("J'utilise Obsidian pour toutes mes notes", "Obsidian"),),
        ("Elle utilise Obsidian.", "J'utilise la voiture."),
    ),
    templates.INSTRUCTION.rule(
        rf"(?:^|[,;] )(?P<o>(?:s{_Q}il te plaît,? )?(?:(?:désormais|dorénavant|à partir de maintenant|à l{_Q}avenir),? (?!je|j{_Q})[^\n.!?]{{4,120}}|{_ORDER} (?:[^\n.!?]{{0,60}} )?(?:toujours|systématiquement|à chaque fois)\b[^\n.!?]{{0,80}}|(?:ne |n{_Q})[\w-]+(?:-moi)? jamais [^\n.!?]{{3,80}}))",
        (
            ("Réponds-moi toujours en français", "Réponds-moi toujours en français"),
            ("Désormais, tutoie-moi", "Désormais, tutoie-moi"),
        ),
        ("Réponds en français.", "Il pleut toujours."),
    ),
)
