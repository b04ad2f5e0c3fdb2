"""What the user cannot or will not do, and what it may cost."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_FOOD = r"(?:meat|pork|beef|lamb|chicken|fish|seafood|shellfish|gluten|dairy|lactose|milk|cheese|eggs?|nuts|peanuts|sugar|alcohol|caffeine|coffee|tea|wheat|soy|spicy|fried|raw|red|wine|beer|bread|carbs|onions?|garlic|mushrooms?|fructose|grapefruit|bananas?|tomato(?:es)?|animal|pasta|sweets|chocolate|salt|anything|food|processed|grains?|rice|oats|corn|sushi|cilantro|coriander|walnuts?|almonds?|cashews?|hazelnuts?|pecans?|pistachios?|tree nuts|sesame|mustard|celery|lupin|kiwis?|strawberr(?:y|ies)|avocados?|pineapple|peppers|aubergines?|citrus|lentils|chickpeas|beans|fizzy|sodas?|booze|energy drinks)"
_MONEY = r"(?:(?:[$€£¥]|USD|EUR|CHF|GBP) ?\d[\d,.']{0,12}\d?[kKmM]?|\d[\d,.']{0,12} ?(?:dollars?|bucks|euros?|pounds|quid|francs|yen|rupees|kr|CHF|EUR|USD|GBP|€|£|\$|k\b|grand))(?: ?(?:a|per|each|/|every) ?(?:month|year|week|day|night|person|head)| ?(?:max(?:imum)?|total|tops))*"
_ABOUT = r"(?:about |around |roughly |only |up to |under |at most |max(?:imum)?\.? |of |approximately |something like |like |no more than |below |just |a strict |strictly |approx\.? |~ ?)*"

# A limit of this hour or this job, not of a life.
_PASSING = r"(?![^\n]{0,80}\b(?:today|tonight|this (?:morning|afternoon|evening|week)|right now|before (?:my|the|our) (?:bus|train|meeting|next|flight|lunch|call)|quick|tomorrow|until (?:the|my) (?:deadline|meeting))\b)"
_WORKS = r"(?![^\n]{0,40}\b(?:client|company|marketing|campaign|team|department|project|production|ad|event|school)(?:'s)? (?:\w+ ){0,2}(?:budget|limit))"

RULES = (
    Rule(
        kind="constraint",
        key="avoids_{slug}",
        predicate="avoids",
        statement="The user does not {r} {object}.",
        many=True,
        shape="limited",
        pattern=clause(
            rf"(?:I|we) (?:don't|do not|never|won't|no longer|mustn't|shouldn't|try not to|choose not to|refuse to|stopped|haven't|am not allowed to|avoid) (?:really |ever |usually |actually |normally )?(?P<r>eat|drink|consume|touch|cook with|buy|wear|use) (?:any |much |any kind of )?(?=[^\n]{{0,30}}?\b(?:{_FOOD}|leather|fur|wool|plastic)\b)<list>"
        ),
        yes=(
            ("I don't eat pork.", "pork"),
            ("I don't drink coffee or tea", "coffee|tea"),
            ("I don't eat meat on Fridays", "meat on Fridays"),
            ("I don't drink wine when I'm on call", "wine when I'm on call"),
        ),
        no=("I don't have time.", "I don't eat this much."),
    ),
    Rule(
        kind="constraint",
        key="avoids_{slug}",
        predicate="cannot_{r}",
        value="cannot {r} {object}",
        statement="The user cannot {r} {object}.",
        many=True,
        shape="limited",
        pattern=clause(
            rf"(?:I|we) (?:can't|cannot|can no longer|can never|must not|mustn't|shouldn't|am not allowed to|am not supposed to|'m not allowed to) (?:really |ever |actually |physically |safely )?(?P<r>eat|drink|have|consume|tolerate|digest|handle|do|process|stomach|take|touch) (?:any |much |any kind of |too much |most )?(?=[^\n]{{0,30}}?\b(?:{_FOOD}|ibuprofen|aspirin|penicillin|latex|nsaids|antibiotics|heat|needles|cold|wool|perfume)\b)<list>"
        ),
        yes=(
            ("I can't eat gluten or dairy", "gluten|dairy"),
            ("I can't eat gluten, coeliac", "gluten"),
            ("I can't drink coffee before playing", "coffee before playing"),
        ),
        no=("I can't eat this much.", "Why can't I eat gluten?", "He can't eat gluten"),
    ),
    Rule(
        kind="constraint",
        key="cannot_{slug}",
        predicate="cannot",
        statement="The user cannot {object}.",
        confidence=0.75,
        shape="limited",
        pattern=clause(
            r"(?:(?:I|we) (?:can't|cannot|can no longer|am unable to|am not allowed to|am not able to|was never able to)|<I'm>(?:unable|not able|not allowed|not supposed) to) "
            r"(?P<o>(?:drive|swim|fly|lift|climb stairs|run|jog|kneel|spend (?:more|over|much)|afford (?=more|over|anything over|to (?:pay|live|fly))|pay more|work (?:on |past |after |before |late|weekends|evenings|nights|mondays|more than)|travel|stay (?:out )?(?:late|past|after|longer)|walk (?:far|long|more|without|up)|stand (?:for )?long|sit (?:for )?(?:long|more|prolonged)[a-z]*|keep (?:pets|a (?:dog|cat|pet)|animals)|ride a|hear (?:on|in|with|high|well|out)|see (?:well|colours|colors|far|without|in the dark|out)|sleep (?:on|without|past|with)|wear (?:heels|contacts|contact|wool|nickel|glasses)|cook|smell|taste|leave (?:the|before|work)|take (?:time off|days off|holidays?)|go out (?:on|after|in)|do (?:heights|ladders|crowds|lifts|mornings|evenings|weekends|mondays|tuesdays|wednesdays|thursdays|fridays|stairs|calls|meetings|high|anything (?:before|after))|meet (?:on|before|after)|use my|install (?:software|anything)|have (?:pets|guests|a (?:dog|cat|pet))|donate|dance|whistle|ride|read (?:sheet|small|without|music))\b[^\n,.;:!?()\"]{0,70})"
        ),
        yes=(
            (
                "we can't spend more than £400 a month on groceries",
                "spend more than £400 a month on groceries",
            ),
            ("I can't swim", "swim"),
            ("I can't drive when it's dark", "drive when it's dark"),
        ),
        no=(
            "I never learned to swim",
            "I can't find the file.",
            "I can't see the button",
            "Can't you swim?",
        ),
    ),
    Rule(
        kind="constraint",
        key="avoids_{slug}",
        predicate="avoids",
        value="avoids {object}",
        statement="The user avoids {object}.",
        many=True,
        shape="limited",
        pattern=clause(
            r"(?:(?:I|we) (?:always |usually |generally |try to |have to |need to |must |should |am told to |'ve been told to )*(?:avoid|steer clear of|stay away from|stay off|keep away from|abstain from|(?:cut out|gave up|quit|stopped (?:eating|drinking|using|buying))(?! (?:smoking|vaping|gambling|(?:the )?cigarettes|nicotine|biting)\b)(?![^\n.;:!?]{2,70} (?:once|for (?:lent|dry january|(?:\w+ ){1,3}(?:days?|weeks?|weekends?|months?|while|bit)))\b)|have given up|have cut out)|(?:I've|we've) (?:given up|cut out|quit|stopped (?:eating|drinking|using|buying)|been (?:avoiding|off)|(?:not|never) (?:touched|had|eaten|drunk)(?: a drop of| any)?(?= (?:alcohol|meat|coffee|sugar|a cigarette|dairy|gluten|caffeine))|not smoked)|(?:I|we) haven't (?:touched|had|eaten|drunk)(?: a drop of| any)?(?= (?:alcohol|meat|coffee|sugar|a cigarette|dairy|gluten|caffeine)\b[^\n]{1,30}(?:years|months|since|weeks))|<I'm>(?:avoiding|off (?=alcohol|sugar|caffeine|coffee|meat|dairy|gluten|carbs|social)|trying to avoid|cutting out)) (?!it\b|this\b|that\b|these\b|(?:my job|the job|on (?:him|her|them|you|my|the))\b|google\b|using\b|any\b|making\b|adding\b|overpacking|buying|eating out|spending|(?:repeating|asking|saying|telling|calling|apologi[sz]ing|explaining|lecturing|interrupting|guessing|assuming|suggesting|answering|replying|ending|starting|quoting|addressing|reminding|hedging|padding|summari[sz]ing|translating)\b)(?P<o>[^\n;:!?()\"]{2,70}?)(?= (?:since|after (?:my|the|an?|our|[a-z]+ing)|in (?:\w+ ){1,2}(?:years|months|weeks)|in (?:(?:19|20)\d\d|january|february|march|april|may|june|july|august|september|october|november|december|my \w+)|for (?:health|religious|medical|ethical|years|a|the|now)|because|due to|last|this|as|years|\w+ (?:years|months|weeks) ago)\b|$|[.;:!?()\"])"
        ),
        yes=(
            ("I avoid dairy since last spring", "dairy"),
            ("I need to avoid screens after nine", "screens after nine"),
            ("I gave up alcohol two years ago", "alcohol"),
            ("I've given up smoking", "smoking"),
            ("I avoid caffeine after 2pm", "caffeine after 2pm"),
        ),
        no=(
            "I avoid it.",
            "How do I avoid traffic?",
            "She avoids dairy",
            "quit repeating my question back at me",
            "I quit smoking in 2018",
            "I gave up on him",
            "I gave up sugar for Lent once",
            "I cut out sugar for a month once, never again",
        ),
    ),
    Rule(
        kind="constraint",
        key="budget_for_{d}",
        predicate="has_budget_for_{d}",
        value="{object} for {d}",
        statement="The user's budget for {d} is {object}.",
        shape="as_is",
        pattern=clause(
            rf"{_WORKS}(?:my|our) (?:[\w'-]+ ){{0,2}}?budget for (?:the |my |our |an? |this )?(?P<d>(?!(?:it|this|that|now)\b)[a-z][\w'-]*(?: [\w'-]+){{0,3}}?) is {_ABOUT}(?P<o>{_MONEY})"
        ),
        yes=(
            ("My budget for the new keyboard is around $1,000", "$1,000"),
            ("our budget for groceries is 90 euros a week", "90 euros a week"),
        ),
        no=("My budget for it is 20 euros", "Her budget for shoes is $50"),
    ),
    Rule(
        kind="constraint",
        key="budget",
        predicate="has_budget",
        statement="The user's budget is {object}.",
        shape="as_is",
        pattern=clause(
            rf"{_WORKS}(?:(?:(?:my|our) (?:[\w'-]+ ){{0,3}}?|the )(?:budget|limit|price range|max(?:imum)?|rent budget|allowance)(?: (?:for|per) [\w '-]{{2,30}}?)? ?(?:is|of|:|=|are|can't exceed|tops out at|maxes out at) {_ABOUT}|(?:my |our )?(?:budget|max(?:imum)?|price limit) ?(?:is|of|:|=)? ?{_ABOUT}|<have>(?:got )?(?:an? )?(?:\w+ )?budget of {_ABOUT}|<have>(?:got )?(?:only )?{_ABOUT}(?=[^\n]{{2,25}} (?:a|per|each|every) (?:week|month|day) (?:for|to spend)\b)|(?:I|we) (?:can|could) (?:only )?(?:spend|afford|pay|stretch to|go up to)(?: up to| about| at most| around| no more than| a maximum of)? (?:up to )?|<I'm>on a budget of {_ABOUT}|(?:I|we) have (?:only )?{_ABOUT}(?=[^\n]{{3,20}} (?:to spend|left|for the (?:whole|trip|week)))|(?:I|we) don't want to spend more than )(?P<o>{_MONEY})"
        ),
        yes=(
            ("My budget is around $1,500.", "$1,500"),
            ("My monthly budget is 800 euros", "800 euros"),
            ("budget is 1200 pounds", "1200 pounds"),
        ),
        no=("My budget is tight.", "Her budget is 500 euros"),
    ),
    Rule(
        kind="constraint",
        key="budget",
        predicate="has_budget",
        statement="The user has a {object}.",
        shape="as_is",
        pattern=clause(
            r"(?:<I'm>on |<have>)(?:an? )(?P<o>(?:very |really |pretty |super )?(?:tight|small|limited|student|shoestring|strict|low|modest) budget)"
        ),
        yes=(("I'm on a tight budget", "tight budget"),),
        no=("They are on a tight budget.", "I'm on a call"),
    ),
    Rule(
        kind="constraint",
        key="constraint_{slug}",
        predicate="is_limited_by",
        statement="The user said: “I {said}”.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            rf"(?:I|we|I'm|we're) {_PASSING}"
            r"(?P<o>(?!(?:only have|have only|have just|just have) \d+ (?:minutes|mins?)\b(?! (?:for|a|per|each|every|before|after|at|in)\b))(?:(?:only have|have (?:only|just)|only get|have at most) (?=[^\n]{0,40}(?:\d+ ?(?:min|minutes|hours?|days)|hours?\b|minutes\b|weekends|evenings|an hour|one (?:oven|pan|hand|burner|room|day|car|bathroom)|\d+ ?(?:kg|m2|sqm|gb|mb)|a (?:microwave|kettle|hotplate|tiny|small|single)|two (?:burners|hobs|weeks)))"
            r"|(?:have to|need to|must|should) (?:be (?:home|back|out|up|in bed|at (?:work|school|the office)|done|finished|online|offline) (?:by|before|at|every)|leave (?:by|before|at|work)|pick up (?:my|the) (?:kids?|children|sons?|daughters?)|get up (?:at|before|by)|take (?:my )?(?:medication|meds|insulin|pills)|wear (?:a|an|glasses|hearing|orthotics|compression|contact)|sit down every|stay (?:under|within|below|off)|use (?:a (?:wheelchair|cane|screen reader|walker|stick|crutches)|crutches|hearing aids))"
            r"|only (?:eat|drink|work|sleep|have time) (?=[^\n]{0,40}\b(?:until|till|before|after|on|from|between|halal|kosher|gluten|organic|vegan)\b)|get (?:terrible |bad |really |very )?(?:seasick|carsick|travel ?sick|airsick|motion ?sick|motion sickness|cold sores|migraines|sunburnt|heartburn)\b|(?:'m|am) (?:housebound|bedridden)|can only (?!see|find|think|imagine|assume|hope|guess|use (?:one|this))|only (?:free|available|in the office|allowed|able to)|(?:not (?:free|available)|unavailable) (?:on|before|after|until|during) (?=\w)"
            r"|(?:have|got) no (?=(?:kitchen|oven|car|garden|dishwasher|freezer|balcony|internet|wifi|microwave|stove|lift|elevator|storage|air conditioning|sense of (?:smell|taste|direction)|driving licence)\b)"
            r"|(?:need|require|can only (?:have|eat)) (?=(?:step-free|wheelchair|large print|subtitles|captions|gluten|halal|kosher|vegan|vegetarian|ground[- ]floor|high contrast|nut-free|lactose|a (?:ground|gluten|wheelchair|screen reader|pet-friendly|visa)))|(?:use|wear) (?=(?:a )?(?:wheelchair|hearing aids?|screen reader|cane|crutches|insulin pump|prosthe|glasses|orthotics|voiceover)))[^\n,.;!?()\"]{0,80})"
        ),
        yes=(
            ("I get seasick easily", "get seasick easily"),
            ("I can only work out on weekends.", "can only work out on weekends"),
            ("I have to be home by six", "have to be home by six"),
            ("I only have 20 minutes for lunch", "only have 20 minutes for lunch"),
        ),
        no=("Can I only use one?", "I have to go.", "I need a regex"),
    ),
    Rule(
        kind="constraint",
        key="constraint_{slug}",
        predicate="is_limited_by",
        statement="The user said: “{said}”.",
        confidence=0.75,
        shape="deed",
        pattern=sentence(
            rf"(?:please,? )?(?P<o>(?:no|nothing with|nothing containing|absolutely no) (?!more\b|need\b)(?=[^\n]{{0,30}}\b(?:{_FOOD})\b)[^\n,.;!?()\"]{{2,40}} for (?:me|us))\b"
        ),
        yes=(("No shellfish for me please", "No shellfish for me"),),
        no=("No idea for now.", "No word for it"),
    ),
    Rule(
        kind="constraint",
        key="avoids_{slug}",
        predicate="avoids",
        statement="The user avoids {object}.",
        many=True,
        confidence=0.8,
        pattern=clause(
            r"my (?:doctor|gp|dentist|nutritionist|dietitian|physio|therapist|cardiologist|midwife)(?: has| just)? (?:told me to|wants me to|advised me to|says (?:I (?:should|must|have to|need to)|to)|said (?:I (?:should|must|have to|need to)|to)|recommended (?:that )?I) (?:avoid|cut out|cut|stay off|stay away from|give up|cut down on|limit) <list>"
        ),
        yes=(("my doctor told me to avoid salt", "salt"),),
        no=("my doctor told me to rest", "Her doctor told me to avoid salt"),
    ),
    Rule(
        kind="constraint",
        key="unavailable_{slug}",
        predicate="is_unavailable",
        statement="The user is not available: {object}.",
        confidence=0.75,
        pattern=clause(
            r"(?P<o>(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:mornings?|evenings?|afternoons?))?|mornings|evenings|weekends|weekdays|nights) (?:don't|doesn't|never|won't) work for (?:me|us)"
        ),
        yes=(("Mondays don't work for me", "Mondays"),),
        no=("This doesn't work for me", "Do Mondays not work for me?"),
    ),
    Rule(
        kind="constraint",
        key="unavailable_{slug}",
        predicate="is_unavailable",
        statement="The user is not available: {object}.",
        confidence=0.75,
        pattern=clause(
            r"(?P<o>(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:mornings?|evenings?|afternoons?))?|(?:weekday |weekend )?(?:mornings|evenings|afternoons)|weekends|weekdays|nights|anything (?:before|after) [\w:]{1,8}(?: ?[ap]m)?) (?:are|is) (?:impossible|out|a no(?:-go)?|no good|not (?:possible|an option)|off limits|tricky|taken)(?: (?:of the question|for me|for us))?(?=$|[,.;!()]| (?:because|since|as|due)\b)"
        ),
        yes=(("weekday mornings are impossible for me, school run", "weekday mornings"),),
        no=("Sundays are lovely.", "Are Sundays out?", "Her Mondays are out"),
    ),
    Rule(
        kind="constraint",
        key="constraint_{slug}",
        predicate="is_limited_by",
        statement="The user said: “{said}”.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            r"(?P<o>(?:my|our) (?:knees?|back|shoulders?|hips?|wrists?|ankles?|eyes|ears|legs|feet|hands|teeth|nerves|joints|stomach|eyesight|hearing|memory|sense of smell|balance|lungs|heart) (?:is|are) (?:shot|bad|terrible|poor|weak|going|ruined|failing|dodgy|not great|wrecked|awful|damaged|fused)|(?:my|our) (?:flat|apartment|house|place|kitchen|studio|home|office|dorm|room|building) (?:has|doesn't have|hasn't got) (?:no |a |an |any )?(?=(?:balcony|oven|garden|lift|elevator|dishwasher|freezer|storage|parking|air conditioning|natural light|internet|washing machine|tiny|single|stove|bath)\b)[\w -]{3,40}?)(?=$|[,.;!?()]| (?:and|so|but|since|when|if|from|because)\b| \()"
        ),
        yes=(
            ("My eyes are bad (minus 8 both sides), so print it large", "My eyes are bad"),
            ("my knees are shot, so nothing with jumping please", "my knees are shot"),
            ("My flat has no balcony and gets no sun", "My flat has no balcony"),
        ),
        no=("My knees are cold.", "My flat has a new door."),
    ),
    Rule(
        kind="constraint",
        key="avoids_{slug}",
        predicate="avoids",
        statement="The user avoids {object}.",
        many=True,
        confidence=0.75,
        pattern=clause(
            r"(?:(?P<o>(?!(?:it|this|that|he|she|they|which|what|you|these|those)\b)[\w' -]{3,40}?) (?:is|are) (?:something|things|a thing|one thing|foods?) (?:that )?(?:I|we) (?:try to |always |have to )?(?:avoid|can't have|don't touch|stay away from))"
        ),
        yes=(("meat is something I avoid, mostly for the climate", "meat"),),
        no=("This is something I avoid.", "meat is something she avoids"),
    ),
)
