"""The commonest words of several languages, which say nothing about the subject of a text."""

_ENGLISH = """
a about above after again ago all almost already also always am an and another any anyone anything
are aren't around as ask at away back be because been before being between both but by can can't
cannot could couldn't did didn't do does doesn't doing don't done down each either else enough
especially ever every everyone everything few find first for from further get give given go going
gone got had has have haven't having he hello help her here hers herself hey hi him himself his how
however i i'd i'll i'm i've if in indeed instead into is isn't it it's its itself just keep know
last later least let let's like list look made make many may maybe me mean might mine more most
much must my myself need never new next no nor not nothing now of off often oh ok okay on once one
only or other others our ours out over own perhaps please possible probably put quite rather really
remember remind same say see seem shall she should show since so some someone something sometimes
soon still such suggest sure take tell than thank thanks that that's the their theirs them then
there there's these they they're thing things think this those though through thus to today
together tomorrow too try two under until up upon us use used usually very want was wasn't way we
we're well went were what what's when where whether which while who who's whom whose why will with
within without won't would yes yesterday yet you you'd you'll you're you've your yours yourself
recommend explain describe write read create compare given based assuming using during including
after despite although meanwhile finally second third additionally moreover furthermore also
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december
"""
_GERMAN = """
aber alle als also am an auch auf aus bei bin bis bitte da danke dann das dass dein deine dem den
denn der des deshalb die dies diese dieser dieses doch dort du ein eine einem einen einer er es
etwas euch für gab ganz gibt haben habe hast hat hatte hatten hier ich ihm ihn ihr ihre im immer in
ist ja jetzt kann kannst kein keine können mal man mehr mein meine meinem meinen meiner mich mir mit
muss nach nein nicht noch nun nur ob oder ohne schon sehr sein seine seit sich sie sind so soll
über um und uns unser unsere unter vom von vor wann war waren warum was wegen weil welche welcher
welches wem wen wenn wer werden wie wieder wir wird wo woher wohin zu zum zur
"""
_ROMANCE = """
acerca al algo algún algunos antes aquel aquí así aunque ayer bien bueno cada casi como cómo con
conmigo creo cual cuál cuales cuando cuándo cuanto cuánto cuántos de del desde después día donde
dónde dos durante e el él ella ellas ellos en entonces era eran eres es esa ese eso esos esta está
están estas este esto estos estoy fue fueron gracias gusta ha había hace hacer han hasta hay he hola
la las le les lo los más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra
otro para pero por porque puede puedes que qué quien quién quiero recuerda recuerdas se sé ser si sí
siempre sin sobre solo son soy su sus también te tengo ti tiene todo todos tu tú tus un una uno
unos usted y ya yo
afin ai ainsi alors après as au aussi autre aux avant avec avez avons beaucoup bien bonjour ça car
ce ceci cela celle celui ces cet cette chez ci comme comment d dans depuis des deux dire dit donc
dont du elle elles est et était étaient été être eu eux faire fait hier ici il ils j je jusque l
là leur leurs lui ma mais merci mes moi moins mon même n ne non nos notre nous on ont où ou oui par
parce pas pendant peu peux plus pour pourquoi pourrais puis qu quand quel quelle quelles quels qui
quoi rien s sa sans ses soit sommes son sont souviens suis sur ta tes toi ton toujours tous tout
toute toutes très tu une va vais vers veux voici voilà vos votre vous
che chi ci ciao cosa così cui da dal dalla dei della delle di dopo dov dove due ed ero fa fatto gli
grazie ho il io lei loro lui mia miei mio nel nella noi non ora per perché più poi prima qual quale
quando quanti quanto quella quello questa questo sei sempre senza sia siamo solo sono stato sua suo
sul sulla ti tra tua tuo tutti tutto un' uno vi voglio voi è
agora ainda aquele as até com da das dele dela do dos ela ele em então essa esse estava eu fazer
foi há isso isto já lhe mais mas mesmo meu meus minha minhas muito na não nas nem nós nossa nosso
num numa obrigado obrigada olá ou pela pelo pode porquê quais qual quem são sem seu seus sim sou
sua tem tenho ter também tudo um uma umas uns você vocês
"""
_RUSSIAN = """
а без более бы был была были было быть в вам вами вас весь во вот все всё всегда всех всего вы где
да даже для до его ее её ей ему если есть еще ещё же за здесь и из или им их к как какая какие
какой какую ко когда которая которые который кто куда ли либо меня мне много мной могу может можно
мои мой моих моя моё моего моей мою мы на над надо нам нас наш наша не него нее неё нет ни них но
ну о об один она они оно от очень по под помнишь после потом потому почему при привет про пожалуйста
раз с сам сейчас сегодня сколько скажи со спасибо так такой там тебе тебя тем теперь то тобой того
тоже только том тот ты у уже хочу чего чей чем через что чтобы чтоб эта эти это этого этой этот эту
я вчера завтра
"""

ENGLISH = frozenset(_ENGLISH.split())
RUSSIAN = frozenset(_RUSSIAN.split())
COMMON_WORDS = frozenset(" ".join((_ENGLISH, _GERMAN, _ROMANCE, _RUSSIAN)).split())

# Chinese characters that mostly carry grammar, not a subject.
COMMON_CHARACTERS = frozenset(
    "我你您他她它们的了是在有和与就不人都一个上也很到说要去会着没看好自这那什么呢吗吧啊呀哦谁哪几多少怎样"
    "为以之于其及被把给对从让向还又再已曾能可想请问告诉地得来时候里中下前后过年月日号点分天"
)
