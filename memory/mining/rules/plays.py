"""Frames of play: words by which a whole turn becomes a game, a part or somebody else's voice."""

import re

from memory.mining.rules.english.voices import another_voice

_ENGLISH = (
    r"\Ayou are (?-i:[A-Z])\w+|\b(?:role-?play|pretend|now,? (?:output|ask (?:a|the|this) user)|their profile|act (?:as|like)|position yourself|imagine (?:that|if|you|being|an?|we|I|my)\b|scenario|fictional|(?:fellow|large|am a|i'm a) (?:ai )?language model|my character|the character|in character|scene (?:one|two|three|\d+)\b|I(?:['\u2019](?:m|ll be|ll play)| am| play| will be| will play) (?:the|an?) (?:[\w-]+ ){0,2}[\w-]+,? (?:and )?(?:then )?you(?:['\u2019](?:re|ll be)| are| play| be| will be) (?:the|an?|my) (?!best|great|good|star|gem|lifesaver|genius|legend|hero|wonder|bot|machine|assistant|expert|AI|big|real|huge|robot|model|program|computer)|as (?:if|though) you (?:were|are|was) (?:an?|the|my|(?-i:[A-Z])\w+)\b|(?:in |from )(?:the )?first person|first[- ]person (?:voice|perspective|narration)|you(?:['\u2019](?:re|ll be)| are| be) (?:the )?(?-i:[A-Z])\w+,? (?:and )?I(?:['\u2019](?:m|ll be)| am) (?:the )?(?-i:[A-Z])\w+|you(?:['\u2019](?:re|ll be)| are| play| be) (?:the|an?|my) (?:[\w-]+ ){0,2}[\w-]+,? (?:and )?I(?:['\u2019](?:m|ll be)| am| play| will be) (?:the|an?)\b|you are (?:an?|my|writing|playing|the (?!best|man|one|greatest|only|first|same))\b"
    r"|you['\u2019]re (?:a|an) (?!great|good|lifesaver|star))\b"
)
# A text that is ordered in the voice of somebody or something else.
_VOICES = (
    r"\b(?:aus (?:der )?(?:sicht|perspektive) (?:eine[rs]|des|der|von)|in (?:der )?ich-(?:form|perspektive)|ich-erzähler\w*|in der ersten person"
    r"|en primera persona|desde (?:el punto de vista|la perspectiva) de (?:un|una|el|la)\b|desde (?:el punto de vista|la perspectiva) del"
    r"|à la première personne|du point de vue (?:d['\u2019]une?|du|de la|de l['\u2019])|dans la peau d(?:['\u2019]une?|u|e)"
    r"|от первого лица|от (?:лица|имени) (?!меня\b|моего\b|нас\b)\w+)"
)
_GERMAN = (
    r"\b(?:stell(?:t euch| dir| ihr euch| du dir|en wir uns)(?: (?:mal|einfach|bitte|kurz|jetzt))* vor|rollenspiel|tu(?:t|n wir)?(?: (?:mal|einfach|bitte|jetzt))* so,? als"
    r"|tu so|du spielst|(?:wir|lass uns|ich will|ich möchte)(?: \w+){0,3} (?:spielen|spiele):|ich spiele (?:jetzt )?(?:eine?n? )(?-i:[A-ZÄÖÜ])\w+,|du bist (?:jetzt|nun|ab jetzt|ab sofort|von nun an|heute|für heute) (?:eine? |der |die |das |meine? )(?-i:[A-ZÄÖÜ])"
    r"|(?:mein|dein) (?:charakter|avatar)\b|(?:meine|deine) (?:figur|rolle) (?:heißt|lebt|wohnt|spricht|im spiel)|ich bin (?:jetzt |nun |ab jetzt |mal )?in der rolle)"
)
_SPANISH = (
    r"\b(?:imag[ií]n(?:a|ad|ate|aos|ese|en|emos|émonos)\b|fig[úu]rate|juego de rol|juguemos|haz(?:me)? (?:como si|de cuenta)|hag(?:amos|an|ámonos) (?:como si|como que|de cuenta)"
    r"|(?:eres ahora|ahora eres|a partir de ahora eres|desde ahora eres|hoy eres|tú eres ahora) (?:una?|el|la|mi)\b|mi personaje)"
)
_FRENCH = (
    r"\b(?:imagin(?:e|ez|ons)(?:[- ](?:toi|vous|nous))? (?:que|qu['\u2019]|un instant|une seconde)|imaginons|imagine[- ]toi|jeux? de rôles?|jouons|fai(?:s|tes|sons) (?:comme si|semblant)"
    r"|(?:tu es|vous êtes) (?:maintenant|désormais|à présent|dorénavant) (?:une?|le|la|mon|ma|notre)\b|(?:maintenant|désormais|dorénavant|à partir de maintenant),? (?:tu es|vous êtes) (?:une?|le|la|mon|ma|notre)\b|mon personnage)"
)
_RUSSIAN = (
    r"\b(?:представь(?:те)?(?! (?:мне|нам|список|данные|отч[её]т))|вообрази(?:те)?|ролев\w+|поигра(?:ем|й)|сыгра(?:ем|й)|притворись|притворимся|давай как будто"
    r"|(?:ты|вы) (?:теперь|отныне|сейчас) (?:\w+ )?(?:мо[йяё]|мои|наш\w?|врач|учител\w+|психолог|юрист|доктор|эксперт)\b|\bты (?-i:[А-ЯЁ])\w+, ?(?:а )?я (?-i:[А-ЯЁ])\w+|теперь (?:ты|вы)\s*[—–-]|мой персонаж)"
)
_CHINESE = r"我(?:们)?(?:来|就|演|扮|当|做|是)(?!不是)[^\n，,。！？]{1,12}[，,]\s*你(?:来|就)*(?:演|扮|当|做|是)(?!不是|我|怎|如何|否|说|谁|什么|哪|觉得|认为|想|AI|人工|机器|模型|助手|最|真|很|一个(?:AI|助手|模型))[^\n，,。！？]{1,12}|(?:他|她)?本人(?:还|都|并)?不知道|(?:替|代)(?:我)?(?:们)?(?:的)?(?:一?个)?(?:朋友|同事|室友|同学|家人|别人|亲戚|老板|邻居|闺蜜|哥们|爸|妈|老公|老婆|孩子)[^\n，,。]{0,6}(?:问|咨询|求助)|帮(?:我|我们)?(?:的)?(?:一?个)?(?:朋友|同事|室友|同学|别人|亲戚|老板|邻居|闺蜜|学生|客户|员工|同乡)[^\n，,。]{0,4}(?:改|润色|看|写|填|优化)[^\n，,。]{0,6}(?:简历|介绍|文书|稿|文案|邮件|信|帖)|以下(?:是|为)(?!我|本人)|(?<!我的)口头禅|这句(?:话|诗|歌词)?[^\n，,。]{0,4}(?:里|中|能|怎么|对不对|通不通|什么意思)|例句|造句|排练|情景对话|对话练习|你(?:来)?(?:当|演|扮)(?!我的)[^\n，,。]{1,8}(?:官|师|员|方|角色|客|医生|护士)|(?:这|那)(?:条|段|个|篇|则)?(?:(?:小红书|朋友圈|微博|抖音|公众号)(?:文案|帖子|笔记|推文)|文案|帖子)|跑团|建卡|人设[:：是]|假设|想象|扮演|玩个游戏|演一[段场出]|(?:我们|咱们?|咱俩)(?:来|一起|就)*演(?!讲|示|练|唱|出|戏)|(?:^|[\s，。！？,!?]|你|我们|咱们?|咱俩|一起|接下来)(?:来|就|都)*假装(?:你|我|自己|咱)|角色设定"

_PLAY = re.compile(
    "|".join((_ENGLISH, _VOICES, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN, _CHINESE)), re.IGNORECASE
)


def is_play(words: str) -> bool:
    """Whether a turn sets up a play, or has something told in another's voice."""
    return bool(_PLAY.search(words)) or another_voice(words)
