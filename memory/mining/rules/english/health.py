"""What the user's body and convictions do not allow: allergies, diets, conditions."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_DIET = r"(?:vegan|vegetarian|veggie|pescatarian|flexitarian|plant[- ]based|halal|kosher|gluten[- ]free|dairy[- ]free|sugar[- ]free|keto|paleo|low[- ](?:carb|sodium|sugar|fat|fodmap|salt)|teetotal(?:ler)?|sober)"
_CONDITION = (
    r"(?:type [12i]{1,2} diabet(?:ic|es)|diabet(?:ic|es)|pre-?diabet(?:ic|es)|(?:lactose|gluten|histamine|fructose)[- ]intoleran(?:t|ce)|coeliac(?: disease)?"
    r"|celiac(?: disease)?|asthma(?:tic)?|(?:red[- ]green )?colou?r[- ]?blind(?:ness)?|dyslexi(?:a|c)|dyscalculia|dyspraxi[ac]|ADHD|ADD|autis(?:m|tic)|OCD|PTSD|IBS|PCOS|GERD"
    r"|epilep(?:sy|tic)|(?:chronic |frequent )?migraines|(?:rheumatoid )?arthritis|high blood pressure|low blood pressure|hypertension|high cholesterol|(?:partially |legally |half )?(?:deaf|blind)(?: in (?:one|my) (?:\w+ )?(?:ear|eye))?|hearing loss"
    r"|tinnitus|anxiety disorder|bipolar disorder|eczema|hay fever|pollen allergy|psoriasis|scoliosis|crohn'?s(?: disease)?|fibromyalgia|endometriosis|lupus|multiple sclerosis|sleep apnoea|sleep apnea|insomnia"
    r"|an? (?:bad|dodgy|weak|trick|herniated|slipped|heart|thyroid|chronic) (?:knee|back|hip|shoulder|ankle|wrist|disc|condition|illness)|bad (?:knees|back|eyesight)|gout|anaemi[ac]|anemi[ac]|claustrophobi[ac]|arachnophobi[ac]|vertigo|afraid of heights|a fear of (?:flying|heights|needles|spiders)"
    r"|pregnant|breastfeeding|in a wheelchair|short-sighted|near-?sighted|far-sighted|a pacemaker|a prosthetic \w+|long covid|dysautonomia|chronic (?:pain|fatigue)|raynaud'?s|a stutter|a stammer|face blind(?:ness)?|aphantasia)"
)

RULES = (
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        many=True,
        confidence=0.9,
        pattern=clause(
            r"(?:<I'm>(?:severely |very |deathly |highly |mildly |slightly |seriously |extremely |a bit |badly |violently |super )?allergic to (?:things like )?"
            r"|(?:<have>|I suffer from )(?:an? )?(?:[a-z]+ ){0,3}allerg(?:y|ies) to |<my>allergies (?:are|include) |allergies: |allergic to )<list>"
        ),
        yes=(
            ("I'm allergic to peanuts and shellfish", "peanuts|shellfish"),
            ("I have a severe allergy to penicillin.", "penicillin"),
            ("I'm allergic to nuts, what can I eat?", "nuts"),
            ("im allergic to shellfish and, weirdly, kiwi", "shellfish|kiwi"),
        ),
        no=(
            "Am I allergic to cats?",
            "I'm not allergic to anything.",
            "My son is allergic to eggs.",
        ),
    ),
    Rule(
        kind="identity",
        key="allergy_{slug}",
        predicate="allergic_to",
        statement="The user is allergic to {object}.",
        confidence=0.9,
        pattern=clause(
            r"(?:(?:<have>|I suffer from )(?:an? )?(?:(?:pretty |very |rather |quite )?(?:bad|severe|serious|mild|nasty|slight|terrible|strong|life-threatening) )?|<my>)(?!food |an? |skin |the )(?P<o>[\w-]+(?: [\w-]+)?) allergy(?= |$|[.,;!])(?! (?:to|test|season|med|pill|spec|shot))"
        ),
        yes=(
            ("I've got a pretty bad peanut allergy so keep that in mind", "peanut"),
            ("I have a latex allergy", "latex"),
        ),
        no=("My son has a nut allergy.", "I have an allergy test tomorrow"),
    ),
    Rule(
        kind="constraint",
        key="intolerance_{slug}",
        predicate="is_intolerant_to",
        statement="The user does not tolerate {object}.",
        many=True,
        confidence=0.85,
        pattern=clause(
            r"(?:<I'm>(?!not )(?:\w+ )?(?:intolerant (?:to|of)|sensitive to) |(?:<have>|I suffer from )(?:an? )?(?:\w+ )?(?:intolerance to|sensitivity to) |(?:dairy|lactose|gluten) (?:doesn't agree|and I don't get along) )<list>"
        ),
        yes=(("I'm intolerant to fructose.", "fructose"),),
        no=("He is intolerant to dairy.", "I'm not sensitive to caffeine"),
    ),
    Rule(
        kind="constraint",
        key="diet",
        predicate="follows_diet",
        statement="The user's diet is {object}.",
        confidence=0.9,
        pattern=clause(
            rf"(?:<I'm>(?:an? |on an? |a strict |been |mostly |strictly |strict |going |raised |fully |doing |now )*|(?:I've|we've) been (?:an? )?(?:strict(?:ly)? |mostly )?|I (?:became|went|turned) (?:an? )?|<I>(?:eat|follow|keep|do|cook|stick to|stay) (?:an? )?(?:strictly |strict |mostly |only )?|<my>diet is )"
            rf"(?P<o>{_DIET})(?! (?:friend|cook|restaurant|recipe|book|leather|cafe|place|food blog|meal|dish|option|people))(?![\w-])"
        ),
        yes=(
            ("I'm a strict vegetarian.", "vegetarian"),
            ("I eat halal", "halal"),
            ("I've been pescatarian for about ten years", "pescatarian"),
            ("I'm on a low-carb diet", "low-carb"),
        ),
        no=("I'm not vegan.", "Is this vegan?", "I made a vegan cake."),
    ),
    Rule(
        kind="constraint",
        key="diet",
        predicate="follows_diet",
        statement="The user's diet is {object}.",
        confidence=0.85,
        pattern=sentence(
            rf"(?:(?:long-?time|lifelong|strict) )?(?P<o>{_DIET})(?: here\b|,? so (?:no|nothing)\b| household\b| for (?:\w+ )?years\b)"
        ),
        yes=(("Vegetarian here, so no meat please", "Vegetarian"),),
        no=("Vegan recipes please.", "There are vegetarian options here."),
    ),
    Rule(
        kind="constraint",
        key="condition_{slug}",
        predicate="has_condition",
        statement="The user has this condition: {object}.",
        confidence=0.85,
        pattern=clause(
            r"(?:<I'm>(?:an? |a bit |slightly |severely |partially |currently |\w+ (?:weeks|months) |insulin-dependent )*|<have>(?:been diagnosed with |quite |pretty |really |very )?(?:severe |mild |bad |chronic |terrible |a form of |a touch of )?(?:an? )?"
            r"|I (?:suffer from|was diagnosed with|got diagnosed with|live with|struggle with|deal with|was born) (?:severe |mild |chronic )?(?:an? )?|I've been diagnosed with (?:an? )?|I'm living with )"
            rf"(?P<o>{_CONDITION})(?![\w-])"
        ),
        yes=(
            ("I'm lactose intolerant.", "lactose intolerant"),
            ("I was diagnosed with ADHD last year", "ADHD"),
            ("I'm colour blind (red-green) so those charts are useless", "colour blind"),
        ),
        no=("My mother has diabetes.", "I don't have asthma."),
    ),
)
