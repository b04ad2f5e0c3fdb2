"""What the user has done and been."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_STUDY = r"(?:degree|phd|doctorate|master'?s|bachelor'?s|mba|apprenticeship|internship|studies|training|certification|residency|military service|national service|course|bootcamp|thesis|diploma|exchange|gap year|conservation|a-levels|abitur|school|high school|university|college)"
_RACE = r"(?:marathons?|half[- ]marathons?|triathlons?|ironman|10k|5k|ultra\w*|races?|pilgrimage|camino|trail|thru-hike)"
_KEPT = r"(?:house|home|flat|apartment|car|boat|van|cabin|farm|company|business|startup|bike|motorbike|horse|dog|cat|puppy|kitten|piano|guitar|camper\w*|land|plot)"
_DONE = (
    rf"(?:attended (?!(?:all|from|on|in|at|it|this|that|both|them)\b|the (?:meeting|call)|a (?:meeting|call))|joined (?!it\b|this|in\b|them|the (?:call|meeting)|an? (?:new )?(?:facebook|online|linkedin|few))|adopted|graduated|(?:completed|finished|did|got|earned) (?:my|an?|the) (?:[\w'-]+ ){{0,3}}?{_STUDY}\b|(?:completed|finished|did|ran|walked|won) (?:my|an?|the|two|three|\d+) (?:[\w'-]+ ){{0,3}}?{_RACE}\b|finished reading (?!about|it\b|this\b|that\b|your)|ran (?:the|my) (?:first )?(?-i:[A-Z])|won (?!t\b|like\b|[$€£\d]|the (?:argument|game)\b)|climbed|summited|(?:hiked|trekked)(?! (?:this|that|it)\b)|cycled (?:from|across|through|around|along|over|down|up|to (?-i:[A-Z])|the|\d)|biked|sailed|walked (?:the (?-i:[A-Z])|across|from)|backpacked|hitchhiked|interrailed|travell?ed (?:to|through|around|across|the world|for|with|alone|solo)|toured"
    rf"|volunteered|participated in|took part in|competed in|started (?:learning|volunteering|my own|an? (?:band|business|company|blog|podcast|family|garden)|playing|therapy)|signed up for (?:an? |the )(?:[\w'-]+ ){{0,3}}?(?:race|marathon|course|class|gym|triathlon|degree|programme?|bootcamp)\b|enrolled in|broke my (?!phone|code|build|laptop|screen|promise)|sprained|fractured|tore my|lost my (?:job|dad|mum|mom|father|mother|leg|sight|wife|husband|dog|cat|brother|sister|grand\w+)"
    rf"|(?:bought|sold) (?:an?|my|our|some|two|\d+) (?:[\w'-]+ ){{0,3}}?{_KEPT}\b|hosted (?!the call|a call)|served (?:in|as|on)|led an? |managed (?:an? |the )?(?:team|shop|store|restaurant|hotel|department|bar|band)|published (?:an?|my|two|three|several|\d+)|founded|co-founded|celebrated|built (?:an?|my|our) (?:[\w'-]+ ){{0,3}}?(?:house|home|cabin|boat|shed|company|business|bike|guitar|robot|treehouse|kayak|telescope|pc)|(?:wrote|written) (?:an?|my|two|three|several|\w+) (?:[\w'-]+ ){{0,2}}?(?:novels?|books?|plays?|memoirs?|screenplays?|albums?|theses|thesis|dissertation|songs)|recorded (?:an?|my|two|three) |performed (?:in|at|with|for)|exhibited|taught (?!me\b|you\b|myself$)|coached|studied (?:abroad|(?!for\b|all\b|th|my\b)[\w ]{{3,40}}? (?:at|in|under)\b)|majored|interned|trained (?:as|for|in|with)|apprenticed|emigrated|immigrated|survived|overcame|beat cancer|quit (?:smoking|drinking|vaping|gambling|my job)|stopped (?:smoking|drinking)|gave up (?:smoking|drinking|vaping|gambling)|kicked (?:smoking|nicotine)|(?:went|turned) (?:vegan|vegetarian|pescatarian|keto|paleo|gluten[- ]free) for "
    r"|had (?:my (?:appendix|tonsils|wisdom|gallbladder|first (?:child|baby|kid|daughter|son)|knee|hip|heart|spleen|kidney)|an? (?:stroke|heart attack|baby|miscarriage|operation|surgery|transplant|knee|hip|c-section|concussion|career|band|startup|business|company|shop|bakery|blog|stutter|car accident|car crash|burnout|breakdown|seizure)|(?:surgery|covid|cancer|chickenpox|malaria|braces|knee surgery|back surgery|chemo|two (?:kids|knee|operations|miscarriages)))|got (?:into (?-i:[A-Z])|a (?:degree|scholarship|tattoo|divorce|promotion|phd))|went (?:skydiving|bungee|on an? (?:exchange|safari|cruise|pilgrimage|expedition|retreat)|to (?:law|med|medical|art|film|boarding|culinary|catholic|music|business|drama|night) school|to (?:university|college|uni|school) (?:in|at)|through (?:an? )?(?:divorce|chemo\w*|ivf|rehab|burnout|breakup|bankruptcy|cancer))"
    r"|spent (?:an?|two|three|four|five|six|seven|ten|my|several|many|\d+|most of|the) [^\n,]{0,30}?(?:year|month|summer|semester|childhood|twenties|thirties|decade|gap)|moved (?:\w+ times|(?:house|out)\b(?![^\n.;!?]{0,60}\b(?:from|to|into|in) (?-i:(?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[A-Z]))|schools)|played (?:for (?-i:[A-Z])|in (?:an?|the) (?:band|orchestra|league|team)|college|semi|professional)|acted in|danced (?:in|with|for)|sang (?:in|with|for)|drove (?:from|across|trucks|taxis|the (?-i:[A-Z]))|flew solo|crossed the|visited (?-i:[A-Z])|lived (?:in|with|on|through|abroad|off)|worked (?:as|abroad|for|at|with (?:kids|children|animals|refugees|horses)|nights|in (?:an?|the (?!same)|[a-z]+ing\b|finance|retail|tech|film|hospitality|construction|healthcare|logistics))|grew up (?:with|on|without|speaking|as)"
    r"|was (?:awarded|diagnosed|hospitali[sz]ed|in (?:the (?:army|navy|air force|marines|military|peace corps|scouts|coast guard|band|choir)|a (?:band|choir|coma|car (?:crash|accident)|gang)|foster care|boarding school)|on the (?:team|jury)|captain|head girl|head boy|class president|homeless)|met (?:my (?:wife|husband|partner|girlfriend|boyfriend|best friend|idol)|barack)|swam (?:the|across|in)|dove (?:in|the|with)|saw (?:the northern lights|\w+ live|[A-Z]\w+(?: \w+)? (?:live|in concert)))"
)
_STATE = r"(?:(?:quit|gave up|stopped) (?:smoking|vaping|gambling)|got (?:married|divorced|engaged|promoted|laid off|fired|certified|sober|naturali[sz]ed)|gave birth|retired|eloped|(?:was|got) (?:made redundant|laid off|widowed|knighted|deployed|drafted)|became (?:an?|the) [\w ]{3,30})"
_LATER = r"(?:[^\n.;:!?()\",]{1,90})"

RULES = (
    Rule(
        kind="experience",
        key="visited_{slug}",
        predicate="has_visited",
        statement="The user has been to {object}.",
        shape="place",
        pattern=clause(
            r"(?:<did>(?:visited|travell?ed (?:to|around|through|across|in)|been to|toured|backpacked (?:through|around|across|in)|went on (?:an? )?(?:\w+ )?(?:trip|holiday|vacation|honeymoon|exchange) (?:to|in)|went backpacking (?:in|through|around)|honeymooned in)|(?:I'm|we're|I|we) (?:just )?(?:got |came |am |)back from(?: (?:a|my|our) [\w-]+(?: [\w-]+)? (?:to|in))?) "
            r"(?![\w ]{1,25}'s )(?P<o>(?-i:[^\W\d_a-z])[^\n.;:!?()\"]{1,60})"
        ),
        yes=(
            ("I visited Iceland in 2019.", "Iceland"),
            ("I've been to Japan twice", "Japan"),
            ("I just got back from a trip to Hawaii", "Hawaii"),
        ),
        no=("I've never been to Japan.", "I visited the doctor."),
    ),
    Rule(
        kind="experience",
        key="was_{slug}",
        predicate="was",
        statement="The user used to be {object}.",
        confidence=0.75,
        many=True,
        pattern=clause(
            r"(?:previously,? |formerly,? |once,? |before that,? |in a (?:former|previous) life,? |years ago,? |for (?:\w+ )?years,? )?(?:(?:I|we) (?:was|were|used to be|spent (?:\w+ ){1,3}years as|worked (?:for (?:\w+ ){1,3}years )?as)|I've been) (?:once |briefly |previously |formerly )?(?!an? (?:bit|little|mess|fan|kid|child|teenager|baby|student (?:when)|wreck|disaster|joke|huge|idiot|fool|big)\b)(?P<o>an? (?:[\w-]+ ){0,4}?(?:\w+(?:er|or|ist|ian|eer|man|woman|ess)|nurse|chef|cook|au pair|barista|pilot|monk|nun|vet|paralegal|librarian|clerk|intern|guide|athlete|model|accountant|assistant|coach|soldier|cadet|medic|scout|lifeguard|apprentice|judge|consultant|postman|mechanic|nanny|temp|consultant|gymnast|attendant|mayor|priest|refugee|twin|champion|captain|vegan|vegetarian|smoker|swimmer|agent|analyst)(?: (?:in|at|for|with|on) [^\n,.;:!?()]{2,40}?)?)(?= (?:for|before|until|till|in|during|when|back|from|between|once|then|and|at|years|\w+ years)\b|$|[,.;!?])"
        ),
        yes=(
            ("previously I was a barista for ages", "a barista"),
            ("I used to be a flight attendant", "a flight attendant"),
        ),
        no=("I was a bit tired.", "She was a nurse.", "If I was a nurse, what then?"),
    ),
    Rule(
        kind="experience",
        key="was_{slug}",
        predicate="was",
        statement="The user used to be {object}.",
        confidence=0.75,
        pattern=sentence(
            r"[^\n]{0,60}\bI (?:was|used to be|worked as) an? [^\n,.;]{3,50}?,? (?:and )?then (?P<o>(?:an? )?(?:\w+ )?(?:\w+(?:er|or|ist|ian|eer|man|woman)|nurse|chef|au pair|barista|pilot))\b"
        ),
        yes=(("previously I was a barista for ages, then a bus driver", "a bus driver"),),
        no=("I was ill and then better.", "He was a cook, then a waiter"),
    ),
    Rule(
        kind="experience",
        key="experience_{slug}",
        predicate="experienced",
        statement="The user said: “I {said}”.",
        confidence=0.7,
        shape="deed",
        pattern=clause(
            rf"(?:I|we|I've|we've|I have|we have)(?: (?:once|recently|also|previously|both))? (?P<o>{_DONE}{_LATER}|{_STATE}(?: {_LATER})?)"
        ),
        yes=(
            ("I ran a marathon in Berlin last year.", "ran a marathon in Berlin last year"),
            ("I recently attended a photography workshop", "attended a photography workshop"),
            ("I got promoted in June", "got promoted in June"),
            ("I quit smoking.", "quit smoking"),
            ("I had my appendix out as a kid", "had my appendix out as a kid"),
            (
                "In my twenties I volunteered with MSF in South Sudan.",
                "volunteered with MSF in South Sudan",
            ),
            (
                "I hiked the Camino in 2019 with a broken toe",
                "hiked the Camino in 2019 with a broken toe",
            ),
            ("I've written two novels, both unpublished", "written two novels"),
        ),
        no=(
            "If I completed the course, would it help?",
            "I haven't finished reading it.",
            "She won a prize.",
            "Have I booked a table?",
        ),
    ),
    Rule(
        kind="experience",
        key="used_to_{slug}",
        predicate="used_to",
        statement="The user used to {object}.",
        confidence=0.75,
        shape="deed",
        pattern=clause(
            r"(?:I|we) used to (?!\w+ (?:that|this|it|them|at least|so much|so many)\b|(?:love|like|hate|enjoy|prefer|adore)\b|be\b(?! (?:able|an?|in|on))|think|believe|know\b|have (?:it|this)|get (?:this|an error)|live\b|work (?:at|for)\b|love it|like it)<o>"
        ),
        yes=(("I used to sing in a choir", "sing in a choir"),),
        no=("I used to think so.", "She used to sing", "I'm used to it"),
    ),
)
