"""What the user's body and convictions do not allow: allergies, diets, conditions."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_DIET = r"(?:vegan|vegetarian|veggie|pescatarian|flexitarian|plant[- ]based|halal|kosher|gluten[- ]free|nut[- ]free|dairy[- ]free|sugar[- ]free|keto|paleo|low[- ](?:carb|sodium|sugar|fat|fodmap|salt))"
CONDITION = (
    r"(?:type [12i]{1,2} diabet(?:ic|es)|diabet(?:ic|es)|pre-?diabet(?:ic|es)|(?:lactose|gluten|histamine|fructose)[- ]intoleran(?:t|ce)|coeliac(?: disease)?"
    r"|celiac(?: disease)?|asthma(?:tic)?|(?:red[- ]green )?colou?r[- ]?blind(?:ness)?|dyslexi(?:a|c)|dyscalculia|dyspraxi[ac]|ADHD|ADD|autis(?:m|tic)|OCD|PTSD|IBS|PCOS|GERD"
    r"|epilep(?:sy|tic)|(?:chronic |frequent )?migraines|(?:rheumatoid )?arthritis|high blood pressure|low blood pressure|hypertension|high cholesterol|(?:partially |legally |half )?(?:deaf|blind)(?: in (?:one|my) (?:\w+ )?(?:ear|eye))?|hearing loss"
    r"|tinnitus|anxiety disorder|bipolar disorder|eczema|hay fever|pollen allergy|psoriasis|scoliosis|crohn'?s(?: disease)?|fibromyalgia|endometriosis|lupus|multiple sclerosis|sleep apnoea|sleep apnea|insomnia"
    r"|afraid of flying|an? (?:bad|dodgy|weak|trick|herniated|slipped|heart|thyroid|chronic) (?:knee|back|hip|shoulder|ankle|wrist|disc|condition|illness)|bad (?:knees|back|eyesight)|gout|anaemi[ac]|anemi[ac]|claustrophobi[ac]|arachnophobi[ac]|vertigo|afraid of heights|a fear of (?:flying|heights|needles|spiders)"
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
            r"|(?:<have>|I suffer from )(?:an? )?(?:[a-z]+ ){0,3}allerg(?:y|ies) to |<my>allergies (?:are|include) |allergies: |allergic to )(?!mornings|mondays|work\b|people\b|exercise|stupid|bullshit|nonsense|small talk|boredom|fun\b|meetings|early|commitment|drama)<list>"
        ),
        yes=(
            ("I'm allergic to peanuts and shellfish", "peanuts|shellfish"),
            ("I have a severe allergy to penicillin.", "penicillin"),
            ("I'm allergic to nuts, what can I eat?", "nuts"),
            ("im allergic to shellfish and, weirdly, kiwi", "shellfish|kiwi"),
            ("im allergic to penicillin and also, annoyingly, cats", "penicillin|cats"),
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
            rf"(?:<I'm>(?:an? |on an? |a strict |been |mostly |strictly |strict |going |raised |fully |doing |now )*|(?:I've|we've) been (?:an? )?(?:strict(?:ly)? |mostly )?|I (?:became|went|turned)(?![^\n,.;:!?]{{2,50}} for (?:\w+ ){{1,3}}(?:days?|weeks?|months?|years?)\b) (?:an? )?|<I>(?:eat|follow|keep|do|cook|stick to|stay) (?:an? )?(?:strictly |strict |mostly |only )?|<my>diet is )"
            rf"(?P<o>{_DIET})(?! (?:friend|cook|restaurant|recipe|book|leather|cafe|place|food blog|meal|dish|option|people))(?![\w-])"
        ),
        yes=(
            ("I'm a strict vegetarian.", "vegetarian"),
            ("I eat halal", "halal"),
            ("I've been pescatarian for about ten years", "pescatarian"),
            ("I'm on a low-carb diet", "low-carb"),
        ),
        no=(
            "I'm not vegan.",
            "Is this vegan?",
            "I made a vegan cake.",
            "I went vegan for a year in college",
        ),
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
            rf"(?P<o>{CONDITION})(?![\w-])"
        ),
        yes=(
            ("I'm lactose intolerant.", "lactose intolerant"),
            ("I was diagnosed with ADHD last year", "ADHD"),
            ("I'm colour blind (red-green) so those charts are useless", "colour blind"),
        ),
        no=("My mother has diabetes.", "I don't have asthma."),
    ),
    Rule(
        kind="constraint",
        key="alcohol",
        predicate="drinks",
        statement="The user is {object}.",
        confidence=0.85,
        pattern=clause(
            r"(?:<I'm>(?:now |proudly |\w+ (?:years|months) )?|(?:I've|we've) been )?(?P<o>sober|teetotal|a teetotaller|teetotaler|alcohol-free)(?= |$|[.,;!])(?! (?:thoughts?|up|look|living))"
        ),
        yes=(("Sober for two years now", "Sober"), ("I'm teetotal", "teetotal")),
        no=("He's sober", "I'm not sober"),
    ),
    Rule(
        kind="constraint",
        key="medication_{slug}",
        predicate="takes",
        statement="The user takes {object}.",
        confidence=0.8,
        many=True,
        pattern=clause(
            r"(?:<I'm>on |I (?:take|have to take|need to take) (?:\w+ ?mg (?:of )?)?)(?=[^\n]{0,25}(?:blood thinners|insulin|antidepressants|statins|beta[- ]blockers|metformin|warfarin|lithium|ssris?|antihistamines|methotrexate|levothyroxine|the pill|dialysis|ritalin|adderall|sertraline|prozac|medication for|meds for|tablets for|steroids|immunosuppressants|vitamin d|iron supplements|antiepileptics|birth control|hrt))<list>"
        ),
        yes=(("I'm on blood thinners", "blood thinners"),),
        no=("She's on insulin", "I'm on the bus"),
    ),
    Rule(
        kind="constraint",
        key="intolerance_{slug}",
        predicate="is_intolerant_to",
        statement="The user does not tolerate {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?!(?:it|this|that|he|she|they|which|what|you|these|those|the (?:news|thought|idea))\b)(?P<o>[\w' -]{3,40}?) (?:makes? me (?:sick|ill|bloated|nauseous|break out)|gives? me (?:(?:an? )?(?:terrible |bad |splitting |awful )*(?:migraines?|headaches?|rash)|hives|heartburn|a rash|indigestion|stomach ?aches?|cramps|headaches)|(?:doesn't|don't) agree with me|upsets? my stomach|triggers? my \w+)"
        ),
        yes=(("gluten makes me sick", "gluten"), ("Red wine gives me migraines", "Red wine")),
        no=("This makes me sick", "He makes me sick of it"),
    ),
)
