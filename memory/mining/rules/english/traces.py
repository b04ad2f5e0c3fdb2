"""What years, rooms and ailments give away: "thirty years a postie", "my stutter gets worse"."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import AVOIDS, HOME, LIKES, Template

_YEARS = Template(
    "experience",
    "years_{slug}",
    "has_years_of",
    "The user has behind them: {object}.",
    "deed",
    confidence=0.75,
)
_CONDITION = Template(
    "constraint",
    "condition_{slug}",
    "has_condition",
    "The user has this condition: {object}.",
    confidence=0.8,
)
_RULE = Template(
    "constraint",
    "house_rule_{slug}",
    "has_rule",
    "A rule of the user's house: {object}.",
    confidence=0.75,
)

_COUNT = r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|twenty-\w+|thirty-\w+)"
_AILMENT = r"(?:stutter|stammer|asthma|epilepsy|eczema|psoriasis|tinnitus|arthritis|migraines?|ibs|crohn'?s|colitis|adhd|dyslexia|dyspraxia|diabetes|depression|anxiety|ptsd|ocd|insomnia|sciatica|gout|scoliosis|fibromyalgia|endometriosis|pcos|lupus|ms|cataracts?|glaucoma|macular degeneration|hearing aids?|pacemaker|cochlear implant|prosthesis|colou?r ?blindness|vertigo|hay fever|reflux|hypertension|high blood pressure|cholesterol|osteoporosis|carpal tunnel|rsi|tremor|long covid|chronic (?:pain|fatigue)|sleep apnoea|sleep apnea|coeliac disease|celiac disease|lactose intolerance|pregnancy)"

RULES = (
    _YEARS.worded(
        sentence(
            rf"<lead>(?:with |after |about |over |almost |nearly |I come from |I have |I've got |I've done |I did )*(?P<o>{_COUNT} years (?:at (?:the |an? )?|in (?!the (?:past|future|making)|a row|prison|length|age|jail|total|now|and\b|\d)(?:the )?|as (?:an? |the )|of (?!age\b|experience\b|old\b|data\b|age|service|warranty|history|war\b|marriage\b)|an? (?=[a-z-]+(?:[,.]| and\b))|with (?:the |an? )?)[^\n,.;:!?()\"]{{2,50}}?)(?= (?:and|but|so|we're|I'm|I|we|though|yet|has|have|before|until)\b|$|[,.;:!?()])(?=[^\n]{{0,140}}\b(?:I|I'm|I've|my|me|we|we're|our)\b)"
        ),
        (
            (
                "Forty years at the post office and not one dog bite, I want that in my memoir",
                "Forty years at the post office",
            ),
            (
                "After ten years of Fortran I need help with loops",
                "ten years of Fortran",
            ),
            (
                "Thirty years a postie, never once bitten, and my leaving do is near",
                "Thirty years a postie",
            ),
        ),
        (
            "Two years in a row it rained on my roof.",
            "He has ten years at IBM",
            "What do ten years in prison do?",
        ),
    ),
    HOME.worded(
        clause(r"(?:I'm|we're) (?:now |finally |both )?back in <place>"),
        (
            (
                "After 11 years in Doha we're back in Limerick and I can't get used to the rain",
                "Limerick",
            ),
        ),
        ("I'm back in business.", "She's back in Limerick", "I'm back in May"),
    ),
    _CONDITION.worded(
        sentence(
            rf"<lead>my (?:[a-z]+ )?(?P<o>{_AILMENT})(?! (?:level|levels|test|score|medication|app|group|nurse|clinic|friend|study|paper))(?![\w-])"
        ),
        (("My stutter gets worse on the phone, can you script the call", "stutter"),),
        ("Her asthma is worse.", "Is my asthma worse?", "my migraine paper is due"),
    ),
    _RULE.worded(
        sentence(
            r"<lead>(?<!her )(?<!his )(?<!their )(?:house|family|home|table|household) rules?(?: in this house| at home)?(?: of| is|:| says| -) (?P<o>(?:no|always|never|nothing|only)\b[^\n,.;!?()]{3,50}?)(?= (?:so|and|but|can|which)\b|$|[,.;!?()])"
        ),
        (
            (
                "a house rule of no screens at table, games for a long meal please",
                "no screens at table",
            ),
        ),
        ("The house rule is fair.", "her family rule of no screens"),
    ),
    _RULE.worded(
        sentence(
            r"<after>(?:the |our |my )(?:one |only |golden |first )?rule (?:in this house|in our house|at home|at ours|here) is (?:that )?(?P<o>[^\n,.;!?()]{4,50}?)(?= (?:so|and|but|can|which)\b|$|[,.;!?()])"
        ),
        (
            (
                "the one rule in this house is no screens after nine so can you schedule it",
                "no screens after nine",
            ),
        ),
        ("The rule here is that x is even?", "Her rule at home is no screens"),
    ),
    LIKES.worded(
        sentence(
            r"<after>(?P<o>(?!(?:this|that|it|which|what)\b)(?:[\w'-]+ ){0,3}?[\w'-]+) is (?:how|what) (?:I (?:stay sane|relax|unwind|switch off|wind down|recharge|cope)|keeps me sane|calms me)\b"
        ),
        (("Sewing is how I stay sane; currently a wedding dress", "Sewing"),),
        ("This is how I relax.", "Sewing is how she stays sane"),
    ),
    LIKES.worded(
        sentence(
            r"(?:(?:from|as|I'm|for) )?an? (?:lifelong|life-long|die-?hard|long-?suffering|huge|big|massive|mad|devoted|long-?time) (?P<o>(?-i:[A-Z])[\w'& -]{2,30}?) (?:fan|supporter|follower|devotee|nerd|nut|obsessive)(?: (?:is asking|here|since|for|and I|so I)\b|,|\.|$)"
        ),
        (("A lifelong Sunderland supporter is asking you for a joke", "Sunderland"),),
        ("A lifelong Sunderland supporter died.", "He is a big Muse fan"),
    ),
    AVOIDS.worded(
        clause(
            r"(?:I|we) (?:refuse to|swore off|have sworn off|swear off|boycott|steer clear of) (?:ever )?(?:(?:fly|use|buy|eat|drink|wear|drive|shop at|go to|watch|read|support|touch|fly with|work with) )?(?!it\b|this\b|that\b|believe|accept|pay\b|answer|admit|learn|do\b|let\b|give)(?P<o>[^\n,.;:!?()\"]{3,40}?)(?= (?:in|since|so|and|but|because|after|again|on)\b|$|[,.;:!?()])"
        ),
        (
            ("I refuse to fly Ryanair, which alternatives are there", "Ryanair"),
            ("I swore off social media in 2022, so no Instagram please", "social media"),
        ),
        ("I refuse to believe it.", "He refuses to fly Ryanair", "Should we boycott Acme?"),
    ),
)
