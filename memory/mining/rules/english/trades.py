"""What the user does day in, day out, told by the verb alone: "I tile bathrooms"."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import Template

_DOES = Template("behaviour", "does_{slug}", "does", "What the user does: {object}.", "deed", confidence=0.7)
_WORKS = Template(
    "identity",
    "does_for_work_{slug}",
    "does_for_work",
    "The user's work: {object}.",
    "deed",
    confidence=0.75,
)
_DID = Template(
    "experience",
    "experience_{slug}",
    "experienced",
    "The user said: “I {said}”.",
    "deed",
    confidence=0.7,
)
_IS = Template("identity", "trait_{slug}", "is", "The user is {object}.", confidence=0.75)
_WEAK = Template(
    "constraint",
    "constraint_{slug}",
    "is_limited_by",
    "The user said: “{said}”.",
    "deed",
    confidence=0.75,
)

_TRADE = (
    r"(?:tile|plaster|weld|solder|roof|lay (?:bricks|floors|carpets?|cables?|pipes?)|clean (?:offices|houses|hotels?|windows|pools|carpets|schools)"
    r"|drive (?:a|the) (?:school |night )?(?:bus|truck|lorry|forklift|tram|train|taxi|cab|van|ambulance|tractor|crane|digger|coach|tow truck|delivery)"
    r"|fly (?:planes|helicopters|gliders|cargo|drones)|sell (?!it|this|that|them|my|the )|fix (?:boilers|cars|bikes|roofs|watches|pianos|phones|lifts|elevators|engines|shoes|guitars)"
    r"|repair (?:boilers|cars|bikes|watches|pianos|phones|lifts|engines|shoes|guitars|clocks|instruments)|tune pianos|groom (?:dogs|horses)|walk dogs|shear|milk|farm"
    r"|train (?:dogs|horses|guide dogs|for)|shoe horses|blow glass|bind books|upholster|film weddings|homeschool|foster|childmind|teach (?!me|it|this|that|them|you)|tutor|lecture"
    r"|run (?:a |an |the )(?:[\w-]+ ){0,3}(?:barbershop|salon|bakery|shop|caf[eé]|stall|farm|practice|kennel|nursery|school|club|group|troop|choir|studio|kitchen|bar|pub|clinic|garage|charity|food ?bank|book club|bed and breakfast|guesthouse|dojo|gym|surgery|lab|team|ward|store|kiosk|food truck|campsite|agency|library|museum|channel|server)"
    r"|serve (?:on|in) (?:the|a)|sit on (?:the|a) (?:board|council|committee|jury)|chair (?:the|a|our)"
    r"|manage (?:a |an |the )(?:[\w-]+ ){0,2}(?:team|shop|store|showroom|restaurant|hotel|ward|bar|branch|department|warehouse|building|estate|band|project|office|lab|kitchen|gallery|gym|farm|league|budget)"
    r"|work (?:on (?:oil rigs|ships|boats|cruise ships|a (?:farm|boat|ship|ranch|rig|dairy))|in (?:a|an) (?:[\w-]+ ){0,2}(?:hospital|school|warehouse|factory|kitchen|bakery|library|shop|lab|bank|prison|museum|cinema|call cent(?:re|er)|nursery|care home|bookshop|brewery|garage|hotel|restaurant|bar|clinic|pharmacy|supermarket|morgue|mine|theatre|zoo|butcher'?s)|with (?:refugees|children|kids|teenagers|adults|horses|animals|wood|leather|clay|glass|metal|bees|dementia|patients|offenders|the elderly))"
    r"|do (?:archival|field|shift|night|contract|freelance|agency|voluntary|restoration|social|community|consulting|security|translation|bookkeeping|alterations|odd|stand-?up|improv|amateur|parkrun|triathlons|crossfit|karate|judo|bjj|taekwondo|aikido|kendo|ballet|salsa|tango|pottery|calligraphy|taxidermy|wedding|hair|nails|tattoos|voiceover)\b"
    r")"
)
_PASTIME = (
    r"(?:keep (?:bees|chickens|hens|goats|sheep|pigeons|horses|pigs|koi|tropical fish|snakes|tarantulas|alpacas|ducks|quail)"
    r"|grow (?:my own|our own|vegetables|tomatoes|orchids|roses|dahlias|chill?is|mushrooms|bonsai|grapes|olives|apples|garlic)|breed|ride horses|bake (?!it|this|that|them|the )"
    r"|brew (?!it|this|that)|ferment|distil|roast (?:coffee|my own)|knit|crochet|sew|quilt|weave|spin|embroider|carve|whittle|turn (?:wood|bowls)|throw pots|restore"
    r"|collect (?!it|this|that|them|data|my |the |information|logs|feedback|evidence|money)|paint (?:miniatures|warhammer|icons|portraits|landscapes|houses|murals|in)|draft (?:in|on)"
    r"|write (?:fantasy|poetry|fan ?fiction|haiku|novels|plays|romance|crime|thrillers|left-handed|by hand|longhand|grants|software|firmware|jingles|obituaries|for (?:a living|a local|the))"
    r"|compose (?!an? (?:email|mail|letter|message))|play (?:in|at|for) (?:a|an|the|my)|sing (?:in|at|alto|bass|tenor|soprano)|busk|dj|mc\b|perform|act in|direct (?:a|the|plays)"
    r"|photograph|babysit|coach|mentor|lead (?:a|the|walks|tours|worship|hikes)"
    r"|help (?:out )?(?:at|with) (?:the|a|our|my) (?:food ?bank|soup kitchen|school|church|mosque|temple|library|shelter|hospice|youth club|scouts|brownies|cubs|kids' \w+)|volunteer"
    r"|eat (?:once a day|twice a day|vegan|halal|kosher|mostly|low|only)|fast (?:on|during|for|until)|cycle to|commute"
    r"|live (?:alone|with my|on a|off[- ]grid|above|next to|on (?:\d+|five|ten) acres)|speedrun|stream|game on|main\b|gm\b|dm\b|run (?:d&d|dnd|a d&d|games|tabletop)|larp|cosplay|birdwatch"
    r"|forage|hunt|fish (?:for|on|in)|scuba|freedive|surf|ski|climb|boulder|row|kayak|swim (?:in|at|every|open)|lift\b|box\b|fence\b|ref\b|referee|umpire|skate|sail|race\b|hike|bake by"
    r"|read (?:tarot|palms|braille|lips|music)"
    r")"
)
# The verb is not cut inside a word ("performed").
_WHOLE = r"(?:(?<=\s)|(?!\w))"
_NOT = r"(?![^\n]{0,40}\b(?:it|this|that|them|these|those|today|tonight|tomorrow|yesterday|right now|for you|your|the (?:page|link|file|line|code|button|following))\b)"
_TRAIT = (
    r"(?:tone[- ]deaf|face[- ]blind|long[- ]sighted|short[- ]sighted|double[- ]jointed|flat[- ]footed|left[- ]footed|(?:very |quite |really )?(?:tall|short)(?= (?:for|so|and))|bald|ginger|a redhead|a (?:twin|triplet|middle child|only child)|homeschooled|self[- ]taught|home[- ]educated|bilingual|trilingual|deaf|mute|a stammerer|sober|teetotal|squeamish|clumsy|shy|an introvert|an extrovert|a night owl|an early bird|a morning person|a light sleeper|a heavy sleeper|a (?:support|tank|healer|jungle|mid|adc|top) main|a completionist|a lurker|a minimalist|a maximalist|a hoarder|a perfectionist|a procrastinator|a Luddite|a (?:slow|fast|visual|auditory|kin(?:a)?esthetic) (?:reader|learner|eater|walker|thinker)"
    r"|new to the (?:country|city|uk|us|area)|originally a|an? (?:eu|us|uk|british|irish|canadian|german|french|dual) (?:citizen|national|resident)|a dual (?:citizen|national)|in the (?:army|navy|air force|marines|reserves|national guard|police|coast guard|fire service|merchant navy|civil service)|on (?:disability|benefits|maternity leave|paternity leave|parental leave|sick leave|probation|a (?:student|work|spouse|tourist|h1b|tier 2|skilled worker) visa|a zero[- ]hours contract|minimum wage|a gap year|sabbatical|furlough|the night shift|nights|call every \w+)|between (?:jobs|flats|houses)|in (?:recovery|remission|debt)|estranged from [\w ]{3,20}|the (?:only|first) (?:woman|man|girl|boy|one|person) in (?:the|my|our) [\w' -]{3,40}?|the (?:treasurer|secretary|chair|chairman|chairwoman|president|captain|vice[- ]captain|goalkeeper|drummer|bassist|singer|lead|vicar|caretaker|executor|trustee|youngest|oldest|eldest|baby) (?:of|for|in) (?:the|my|our|a) [\w' -]{3,40}?)"
)
_LIFE = (
    r"(?:dropped out of|flunked out of|failed (?:my|the) (?:driving|bar|exams?|finals|a-levels|boards|degree)|(?:had|survived|got over|came through) (?:an? )?(?:stroke|heart attack|breakdown|burnout|cancer|brain tumou?r|aneurysm|eating disorder|head injury|coma|near-death|tbi)|waited tables|tended bar|worked (?:the (?:bar|door|land|docks|mines|fields|night shift|wards?|pits|farm|counter|tills)|nights|summers|behind)|sold (?:kitchens|cars|insurance|houses|shoes|ice cream|my (?:house|flat|car|business|company|farm|shop|share|bike|motorbike|harley|boat|horse|stake))|ran (?:a|an|the|my own) (?:[\w-]+ ){0,2}(?:shop|pub|bar|restaurant|caf[eé]|farm|business|company|marathon|school|stall|club|hotel|hostel)"
    r"|was (?:raised (?:by|in|on|as|catholic|muslim|jewish|hindu|mormon|baptist|vegetarian)|brought up (?:by|in|on)|adopted|born (?:with|deaf|blind|on|two|three|at)|homeschooled|bullied|fostered|stationed|posted|deployed|evacuated|drafted|expelled|kicked out|orphaned|widowed|in the (?:army|navy|marines|air force|merchant navy|peace corps|scouts|reserves|cadets|choir|band))|learned (?:it|english|my trade|on|from my|in|at) |learnt (?:english|my trade|on|from my|in) |picked up (?:oils|the|painting|running|knitting|chess|guitar|piano|watercolou?rs?|pottery|golf)|took up|came (?:to|over|here) (?:as|from|when|with|in \d|at)|fled|immigrated|defected|got (?:sober|clean|my (?:citizenship|green card|licen[cs]e|degree|papers|visa|diagnosis))|lost (?:my|our) (?:dad|mum|mom|father|mother|husband|wife|son|daughter|brother|sister|dog|cat|greyhound|labrador|horse|partner|best friend|nan|gran|job|licence|sight|hearing|hair|leg|arm|sense)"
    r"|co-?wrote|co-?founded|self-published|illustrated|choreographed|conducted|refereed|umpired|captained|fostered|nursed|cared for my|trained (?:as|under|with|in|for)|apprenticed|served (?:in|on|with|two|three|my)|homeschooled|busked|hitch-?hiked|inter-?railed|au paired|deckhanded|skippered|crewed|summited|thru-hiked|paddled|kayaked|biked across|cycled (?:across|from|the|around)|walked (?:the|across|from)|swam the|once (?!(?:\w+ (?:it|this|that)|wanted|had to|was (?:an?|so|very))\b)(?:\w+ed|got|had|met|saw|ate|won|lost|broke|spent|drove|fell|ran|sang|flew|swam|built|wrote|made|went|did|was|took)\b)"
)

RULES = (
    _WORKS.worded(
        clause(
            rf"(?:I|we) (?:mostly |mainly |only |also |now |still |usually )*(?P<o>{_TRADE}{_WHOLE}(?: ?{_NOT}[^\n,.;:!?()\"]{{2,70}}?)?)(?= (?:and (?:I|we|my|the)|but|so|because|since|which|where)\b|$|[,.;:!?()])"
        ),
        (
            ("I tile bathrooms. Have done since I was sixteen.", "tile bathrooms"),
            ("we homeschool, three kids, and I need a curriculum", "homeschool"),
            ("i clean offices at night and my english is not so good", "clean offices at night"),
        ),
        (
            "I sell it.",
            "She tiles bathrooms",
            "Do I tile bathrooms?",
            "If I tile bathrooms, what VAT?",
        ),
    ),
    _DOES.worded(
        clause(
            rf"(?:I|we) (?:mostly |mainly |only |also |now |still |usually )*(?P<o>{_PASTIME}{_WHOLE}(?: ?{_NOT}[^\n,.;:!?()\"]{{2,70}}?)?)(?= (?:and (?:I|we|my|the)|but|so|because|since|which|where)\b|$|[,.;:!?()])"
        ),
        (
            (
                "I keep bees on the roof and one hive is ill",
                "keep bees on the roof and one hive is ill",
            ),
            ("I collect fountain pens, forty odd by now", "collect fountain pens"),
        ),
        ("I collect data for this", "She keeps bees", "Should I keep bees?"),
    ),
    _DOES.worded(
        sentence(
            rf"(?:on )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends|mornings|evenings|most days|nights|in my spare time|in summer|in winter|for fun|for money|for work|at work)(?: (?:mornings?|evenings?|afternoons?|nights?))?,? (?:I|we) (?P<o>{_PASTIME}{_WHOLE}(?: ?{_NOT}[^\n,.;:!?()\"]{{2,70}}?)?)(?= (?:and|but|so|because|till|until|which)\b|$|[,.;:!?()])"
        ),
        (("Saturdays I help at the food bank till two", "help at the food bank till two"),),
        ("Saturdays I rest.", "On Saturdays she helps at the food bank"),
    ),
    _DID.worded(
        clause(
            rf"(?:I|we|I've|we've|I have) (?P<o>{_LIFE}(?: ?(?!(?:it|this|that|them|today|yesterday|tonight)\b)[^\n,.;:!?()\"]{{2,70}})?)(?= (?:and (?:I|we|my)|but|so|because|which)\b|$|[,.;:!?()])"
        ),
        (
            (
                "Last year I dropped out of law school. Best thing I did.",
                "dropped out of law school",
            ),
            ("Back in uni I waited tables at a Greek place", "waited tables at a Greek place"),
            (
                "once got stung by a man o' war in Byron Bay",
                "once got stung by a man o' war in Byron Bay",
            ),
        ),
        (
            "I failed to see it.",
            "He dropped out",
            "If I dropped out of law school, what then?",
            "Once I had seen it, I left",
        ),
    ),
    _IS.worded(
        clause(
            rf"I'm (?:also |pretty |totally |completely |basically )*(?P<o>{_TRAIT})(?=$|[,.;:!?()]| (?:and|but|so|in|since|because|who|with|until|from|here|at)\b)"
        ),
        (
            ("I'm tone deaf. Apps?", "tone deaf"),
            (
                "I'm the only woman in the metalsmithing programme, which comes up",
                "the only woman in the metalsmithing programme",
            ),
        ),
        ("She's tone deaf.", "Am I tone deaf?", "I'm in the kitchen"),
    ),
    _WEAK.worded(
        sentence(
            r"<after>(?P<o>(?:my )?(?:(?:left|right|bad|dodgy|lower|upper) )?(?:hand|arm|knee|knees|hip|hips|back|shoulder|wrist|wrists|ankle|neck|hearing|eyesight|vision|eyes|memory|balance|grip|foot|feet|leg|heart|lungs|stomach|gut|ear|ears|voice)(?:'s| is| are) (?:weak|shot|gone|bad|terrible|dodgy|knackered|wrecked|fused|numb|paralysed|paralyzed|not what (?:it|they) (?:was|were)|going|failing|damaged|arthritic|permanently \w+|half gone|buggered|titanium|artificial)(?: in (?:the|my|one) \w+ \w+)?)(?=$|[,.;:!?()]| (?:and|so|but|since|after|from|these)\b)"
        ),
        (
            ("my right hand's weak, so one-handed cooking tips please", "my right hand's weak"),
            ("Ex-Navy tech, hearing's shot in the left ear.", "hearing's shot in the left ear"),
        ),
        ("The memory is bad.", "her back is bad", "Is my back bad?"),
    ),
)
