"""Words by which the second stage of recall finds the question in a message and what it lacks.

English, German, Spanish, French, Italian, Portuguese, Russian, Chinese, Japanese, Korean, Arabic.
"""

QUESTION_LABEL = (
    r"(?m:^[ \t>*#_-]*(?:(?:the )?(?:user(?:'s)?|current|actual|final|my|human)[ _])?"
    r"(?:question|query|request|message|frage|pregunta|domanda|pergunta|вопрос|问题|質問|질문|سؤال)"
    r"[ \t*_]*[:：][ \t*_]*"
    r"|^[ \t>*#_-]*(?:user|human)[ \t*_]*:[ \t*_]*"
    r"|(?:我真正想问的(?:问题)?是|我(?:其实|实际)?想问的(?:问题)?是|实际想问的问题是)[:：]?)"
)
# Questions that need no question mark.
QUESTION_ENDINGS = r"[吗呢]\s*$|です?か。?\s*$|ますか。?\s*$|(?:나요|까요|니까|는지)\.?\s*$"
ASKING = (
    r"\b(?:what|when|where|which|who|whom|whose|why|how|did i|do i|have i|was i|am i|remind me|"
    r"remember|wann|wo|was|wer|wie|welche\w?|warum|qué|cuándo|dónde|quién|cuál|cómo|quand|où|qui|"
    r"quel\w*|comment|pourquoi|quando|dove|chi|quale|onde|quem|qual|когда|где|кто|что|как\w*|"
    r"почему|сколько|متى|أين|من|ماذا|ما|كيف|لماذا)\b|"
    r"什么|谁|哪|几|多少|怎么|何|いつ|どこ|誰|どの|なぜ|언제|어디|누구|무엇|뭐|왜"
)
PERSONAL = (
    r"\b(?:i|i'm|i've|my|me|mine|we|our|us|ich|mein\w*|mir|mich|wir|unser\w*|yo|mi|mis|je|j'\w+|mon|"
    r"ma|mes|moi|io|mio|mia|miei|eu|meu|minha|meus|minhas|я|мой|моя|моё|мои|моего|моей|моих|мою|"
    r"мне|меня|мы|наш\w*|нас|나|내|저|제|우리|나는|내가|저는|제가|أنا|لي|عندي)\b|我|私|僕|俺"
)
# How system prompts and templates speak.
ORDERING = (
    r"\b(?:you are an?|you must|you should|you will|your (?:task|role|job|goal|answers?|response)|"
    r"always|never|do not|don't|make sure|ensure|respond|the assistant|the user|if the|ask yourself|"
    r"du bist ein|du darfst|du sollst|antworte\w?|der nutzer|die nutzerin|der kunde|frage dich|"
    r"eres un|nunca|siempre debes|el usuario|pregúntate|la usuaria|"
    r"tu es un|l'utilisateur|jamais|sei un|l'utente|você é um|o usuário|nunca|"
    r"ты —|вы —|пользовател\w+|никогда)\b|你是一|不要|必须|用户|ユーザー|사용자|المستخدم"
)

ABOUT_ASSISTANT = (
    r"\b(?:did|have|had|were) (?:you|u)\b.{0,24}\b(?:suggest|recommend|tell|told|say|said|mention|"
    r"give|gave|given|advise|propose|describe|share|write|written|wrote|explain|list|provide|call|"
    r"referring|show|shown|come up)",
    r"\b(?:you|u)(?:'d|'ve| had| have| also| just| once| previously| earlier|"
    r" specifically| already| originally)* (?:suggested|recommended|told|said|mentioned|gave|"
    r"provided|advised|wrote|explained|listed|created|made|proposed|described|shared|referred|were referring|showed|"
    r"drafted|came up with|pointed out|promised|put together)\b",
    r"\bremind me (?:of|what|which|who|how|where|when|about|again)\b(?!.{0,12}\b(?:my|i)\b)",
    r"\bour (?:last|previous|earlier|past) (?:chat|talk|conversation|discussion|session|game)s?\b",
    r"\b(?:hast|hattest) du\b.{0,60}\b(?:gesagt|empfohlen|vorgeschlagen|erwähnt|geraten|genannt|"
    r"erklärt|geschrieben)\b|\b(?:haben|hatten) sie mir\b",
    r"\b(?:dijiste|recomendaste|sugeriste|mencionaste|aconsejaste|propusiste|explicaste)\b",
    r"\b(?:m'as|m'avez|as-tu|avez-vous|tu as|vous avez)\b.{0,40}\b(?:dit|recommandée?s?|"
    r"conseillée?s?|suggérée?s?|proposée?s?|mentionnée?s?|expliquée?s?)\b",
    r"\b(?:hai|avevi|avete)\b.{0,20}\b(?:detto|consigliat\w|suggerit\w|raccomandat\w|propost\w|"
    r"menzionat\w)\b",
    r"\b(?:disseste|recomendaste|você (?:me )?(?:disse|recomendou|sugeriu|mencionou|"
    r"indicou|falou))\b",
    r"\b(?:ты|вы)\b.{0,30}\b(?:сказал\w*|говорил\w*|советовал\w*|посоветовал\w*|рекомендовал\w*|"
    r"порекомендовал\w*|предложил\w*|предлагал\w*|упоминал\w*|упомянул\w*)\b",
    r"(?<![跟和对给向])[你您](?:之前|上次|刚才|曾经?|以前|昨天|给我|跟我|向我|都|还|是)*(?:说|推荐|建议|提到|提|告诉|介绍|写|列)"
    r"[我给]{0,2}(?:过|的|了)|[你您](?:之前|上次|刚才|曾经?|以前)",
    r"(?:言って|勧めて|薦めて|おすすめして|推薦して|提案して|教えて|書いて)(?:くれた|くださった|いた|た)|"
    r"(?:言った|勧めた|提案した|おすすめした)",
    r"(?:추천|제안|말|이야기|얘기|언급|설명)(?:해|했|하셨|하신|해\s?준|해\s?줬|해\s?주신)(?:던|어|나|었|니|지|\s|준|줬|주|$)",
    r"(?:قلت|اقترحت|نصحت|أوصيت|ذكرت|أخبرتني|نصحتني)",
)

# Openings that continue what was said before.
FOLLOW_UP = (
    r"\W*(?:and|but|what about|how about|what else|anything else|any others?|or|then|so|go on|"
    r"tell me more|more|continue|und|aber|was ist mit|wie ist es mit|mehr|weiter|y|pero|qué tal|"
    r"más|et|mais|plus|e|ma|altro|mas|а|и|но|ещё|еще|что насчёт|а что|그럼|그리고|و|وماذا)\b"
)
POINTING_BACK = (
    r"\b(?:it|its|that|this|these|those|they|them|their|he|him|his|she|her|hers|one|ones|there|"
    r"the (?:first|second|third|fourth|fifth|last|other|former|latter|same|next)(?: one| two)?|"
    r"both|es|das|den|dem|ihn|sie|ihr|dort|davon|damit|dazu|(?:der|die|das) (?:erste|zweite|dritte|"
    r"letzte|andere)|eso|ese|esa|esto|él|ella|allí|(?:el|la) (?:primer[oa]|segund[oa]|otr[oa]|"
    r"últim[oa])|ça|cela|il|elle|celui|celle|là|(?:le|la) (?:premi\w+|deuxième|second\w*|derni\w+|"
    r"autre)|quello|quella|lui|lei|(?:il|la) (?:prim[oa]|second[oa])|isso|esse|essa|ele|ela|"
    r"это|этот|эта|тот|та|он|она|они|его|её|ее|ему|ей|них|там|перв\w+|втор\w+|друг\w+|"
    r"그거|그건|그것|저건|이건|거기|هذا|هذه|ذلك|هو|هي|هناك)\b"
)
POINTING_BACK_UNSPACED = (
    r"[那这](?:个|些|里|呢|是)|它|他|她|第[一二三四五]个|另外?一?个?[?？]|^.{0,5}呢[?？]?$|^为什么|^怎么样|^然后|还有|"
    r"それ|あれ|これ|その|なぜ|どうして|もう一|二つ目|一つ目|他に"
)
