"""Stop words of several languages."""

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

# Chinese characters that mostly carry grammar, not meaning.
COMMON_CHARACTERS = frozenset(
    "我你您他她它们的了是在有和与就不人都一个上也很到说要去会着没看好自这那什么呢吗吧啊呀哦谁哪几多少怎样"
    "为以之于其及被把给对从让向还又再已曾能可想请问告诉地得来时候里中下前后过年月日号点分天"
)

# Function words by language. They identify the language of a text, and a query ignores them. Lower case,
# with accents; a word may belong to several languages.
_GERMAN_FUNCTION = """
aber alle allem allen aller alles als also am an ander andere anderen anderes ans auch auf aus bei
beim bin bis bist bitte da dabei dafür damals damit danach dann daran darauf daraus darin darum das
dass davon dazu dein deine deinem deinen deiner dem den denen denn der deren des deshalb dessen dich
die dies diese diesem diesen dieser dieses dir doch dort du durch dürfen eben ein eine einem einen
einer eines einige einmal er es etwa etwas euch euer für gab ganz gar gegen gehabt genau gerade gern
gerne geworden gibt habe haben habt hast hat hatte hatten hattest hätte hier hin ich ihm ihn ihnen
ihr ihre ihrem ihren ihrer im immer in ins irgendwann irgendwo ist ja jede jedem jeden jeder jedes
jetzt kann kannst kaum kein keine keinem keinen keiner können könnte konnte letzte mal man manche
mehr mein meine meinem meinen meiner meines mich mir mit mochte möchte musste muss müssen nach
nachdem nein nicht nichts nie noch nun nur ob oder oft ohne schon sehr sei sein seine seinem seinen
seiner seit selbst sich sie sind so sogar soll sollen sollte sondern sonst über um und uns unser
unsere unserem unseren unserer unter viel viele vom von vor wann war waren warst warum was wegen
weil welche welchem welchen welcher welches wem wen wenig wenn wer werde werden wessen wie wieder
wieso will wir wird wirst wo wobei wodurch wofür wogegen woher wohin wollen wollte womit woran
worauf worin worüber worum wovon wozu wurde wurden während zu zum zur zwar zwischen
"""
_SPANISH = """
a acerca ahí ahora al algo alguien algún alguna algunas alguno algunos allí ante antes aquel aquella
aquellos aquí así aun aún aunque ayer bajo bien cada casi como cómo con conmigo contra cual cuál
cuáles cuando cuándo cuánta cuántas cuánto cuántos cuyo de debe del desde después día donde dónde
dos durante e el él ella ellas ellos en encima entonces entre era eran eras eres es esa esas ese eso
esos esta está estaba estaban estado están estar estas este esto estos estoy fue fueron fui fuimos
gracias ha había habían hace hacia han has hasta hay he hemos hola hoy iba la las le les lo los luego
más me mi mí mientras mío mis misma mismo mucha muchas mucho muchos muy nada nadie ni ningún ninguna
no nos nosotras nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para
pero poco por porque pues que qué quien quién quiénes se sea según ser será si sí sido siempre sin
sino sobre sois solo sólo somos son soy su sus suya suyo también tampoco tan tanto te tenemos tener
tengo tenía ti tiene tienen toda todas todavía todo todos tras tu tú tus un una unas uno unos usted
ustedes va vamos van varios voy vuestra vuestro y ya yo
"""
_FRENCH = """
a à afin ai aie ailleurs ainsi alors après as assez au aucun aucune aujourd auquel aussi autre autres
aux auxquels avaient avais avait avant avec avez aviez avions avons ayant beaucoup bien bonjour c ça
car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez ci combien comme comment
d dans de depuis des desquels dès dont donc du duquel durant elle elles en encore entre es est et
étaient étais était été êtes être eu eux fait faut fois font fus fut hier ici il ils j je jusqu
jusque l la là laquelle le lequel les lesquelles lesquels leur leurs lors lorsque lui m ma mais me
même mêmes mes mien mienne moi moins mon n ne ni non nos notre nous on ont ou où oui par parce
parfois pas pendant personne peu peut peux plus plusieurs pour pourquoi près puis qu quand que quel
quelle quelles quels qui quoi quoique rien s sa sans se sera serait ses si sien soi soit sommes son
sont sous souvent suis sur t ta tandis tant te tel telle tes toi ton toujours tous tout toute toutes
très trop tu un une vers vos votre vous vu y
"""
_ITALIAN = """
a abbiamo ad adesso agli ai al alcuni alla alle allo allora altra altre altri altro anche ancora
anni aveva avevo avere avete bene c che chi ci ciò circa col come con contro cosa così cui da dagli
dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro di dopo dove dov dovuto
durante e è ed era erano ero essere eri fa fatto fino fra fu gli ha hai hanno ho i il in io la là le
lei li lo loro lui ma me mentre mi mia mie miei mio molta molto ne negli nei nel nell nella nelle
nello nessuno niente no noi non nostra nostri nostro nulla o ogni ora per perché però più poco poi
prima qual quale quali quando quanta quante quanti quanto quella quelle quelli quello questa queste
questi questo qui quindi sarà se sei sempre senza si sia siamo siete solo sono sopra sta stata stati
stato stavo su sua sue sugli sui sul sulla sulle suo suoi ti tra tu tua tue tuo tuoi tutta tutte
tutti tutto un una uno vi voi vostra vostro
"""
_PORTUGUESE = """
a à agora ainda algo alguém algum alguma alguns antes ao aonde aos apenas aquela aquele aqueles
aquilo as às assim até cada com como contra da das de dela dele deles depois desde dessa desse desta
deste do dos durante e é ela elas ele eles em embora enquanto então entre era eram essa essas esse
esses esta está estamos estão estar estas estava estavam este estes estou eu fez foi foram fui há
isso isto já lá lhe logo mais mas me mesma mesmo meu meus mim minha minhas muita muitas muito muitos
na nada não nas nem nenhum nenhuma nessa nesse nesta neste ninguém no nos nós nossa nossas nosso
nossos num numa nunca o onde ontem os ou outra outras outro outros para pela pelas pelo pelos per
pois por porque porquê pouco qual quais quando quanta quantas quanto quantos que quê quem se seja
sem sempre ser será seu seus si sido sob sobre sou sua suas também tem têm temos tenho ter teve ti
tinha toda todas todo todos tu tua tudo um uma umas uns vai você vocês vou
"""
_DUTCH = """
aan al alle alles als altijd andere ben bij binnen daar daarna dan dat de deze die dit doen door dus
een eens elk elke en er ergens ervan gaan gaat geen geweest had hadden heb hebben hebt heeft hem het
hier hij hoe hoeveel hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen maar me meer
men met mij mijn moet na naar niet niets nog nooit nu of om omdat onder ons onze ook op over te tegen
toch toen tot tussen u uit uw van veel voor waar waarom waarop wanneer waren was wat we weer wel
welk welke werd werden wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou
"""
_SWEDISH = """
aldrig alla allt andra att av bara blev bli blir både de dem den denna deras dess det detta dig din
dina ditt du där efter ej eller en enligt ett finns från få får för fått ha hade han hans har hela
henne hennes hon honom hos hur här i icke ifrån in inga ingen inget inom inte jag ju kan kunde man
med mellan men mig min mina mitt mot mycket nu nu någon något några när och också om oss på sedan sig
sin sina sitt själv ska skulle som så till under upp ut utan var vad vara varför varit varje vem vi
vid vilka vilken vilket vår våra vårt är än åt över
"""
_DANISH_NORWEGIAN = """
aldri aldrig alle alt andre at av blev bli bliver ble både da de deg dei dem den denne der deres det
dette dig din dine disse ditt du eller en enn er et etter efter for fordi fra få får før ha hadde han
hans har havde hendes hennes her hun hva hvad hvem hver hvilken hvilket hvis hvor hvordan hvorfor
hvornår når i ikke ikkje ind ingen inn jeg kan kom kunne man mange med meg mellom mellem men mer mig
min mine mit mitt mot mye må ned noe noen nogen noget nu nå og også om op opp oss over på sa seg selv
si sig sin sine sitt skal skulle som så til ut uten ud uden under var ved vi vil ville var vært været
vår være år
"""
_POLISH = """
aby ale bardzo bez bo by był była było były być ci cię co czy czyli dla do gdy gdzie go i ich ile im
inne ja ją jak jaka jakie jakiej jaki jako je jednak jego jej jest jestem jeszcze jeśli już kiedy kto
która które którego której którą który ma mam mi mną mnie moja moje mojego mojej moim mój może można
my na nad nam nas nasz nasza nasze nie nic nich nim niż no o od ona one oni ono oraz po pod przed
przez przy są się skąd swoje ta tak tam te tego tej ten teraz to tu ty tych tylko tym u w we więc
wszystko z za ze że
"""
_TURKISH = """
ama ancak artık aynı bana bazı belki ben benden beni benim bir biri biz bizim böyle bu bunu bunun çok
çünkü da daha de değil diye en gibi göre hangi hatta hem hep her hiç için ile ise kaç kadar kendi ki
kim kimin mi mı mu mü nasıl ne neden nedir nerede nereye niçin o olan olarak oldu olduğu olur ona
onlar onu onun önce sana sen seni senin siz sizin son sonra şey şimdi şu tüm var ve veya ya yani yok
"""

_RUSSIAN_FUNCTION = """
будет будете будешь буду будут бывает бывает вас ваш ваша ваше ваши все всем всеми всю где для его ее
ей ему ею её или им ими им их каким какими каких каком какому какою какой какого кем ком кому
который которого которой котором которому которую которые которых куда лишь между меня мне моей
моем моему моею моими мой моих мою моя моё над нам нами нашего нашей нашем нашему наших нашу неё ней
нему нём ними них никогда ничего откуда перед пока при про разве сам сама сами само свой своего своей
своих свою себе себя собой такая такие также таком твоего твоей твой твоя твоё тебе тем теми ту тут
чего чей чем чему через чьё чья чём этим этих этом эту
"""
_ARABIC = """
من أين اين متى ما ماذا هل أي اي كم كيف لماذا لما أم ام في على إلى الى عن عند مع بين كان كانت يكون
هو هي هم أنا انا نحن أنت هذا هذه ذلك تلك التي الذي الذين لي لك له لها لنا لهم و أو او ثم لكن قد لقد
لا لم لن ليس إن ان أن كل بعد قبل حين عندما إذا منذ حتى أيضا ممن عمن بكم وقت حيث فيه فيها به بها
"""

FUNCTION_WORDS = {
    "en": ENGLISH,
    "de": frozenset(_GERMAN_FUNCTION.split()),
    "es": frozenset(_SPANISH.split()),
    "fr": frozenset(_FRENCH.split()),
    "it": frozenset(_ITALIAN.split()),
    "pt": frozenset(_PORTUGUESE.split()),
    "nl": frozenset(_DUTCH.split()),
    "sv": frozenset(_SWEDISH.split()),
    "da": frozenset(_DANISH_NORWEGIAN.split()),
    "pl": frozenset(_POLISH.split()),
    "tr": frozenset(_TURKISH.split()),
}

# The same for languages identified by their script.
GRAMMAR_WORDS = {"ru": RUSSIAN | frozenset(_RUSSIAN_FUNCTION.split()), "ar": frozenset(_ARABIC.split())}

# Letters that identify one of these languages.
TELLING_LETTERS = {
    "de": "ßäöü",
    "es": "ñ¿¡",
    "fr": "œêèçùûîâ",
    "pt": "ãõ",
    "sv": "å",
    "da": "øæ",
    "pl": "łąęśżźćń",
    "tr": "ığş",
}

# Function words of unspaced scripts as patterns, longest first.
_CHINESE = (
    "什么时候|为什么|是不是|有没有|怎么样|多长时间|多少|什么|哪里|哪儿|哪个|哪种|哪些|哪位|哪天|哪一|怎么|怎样|"
    "为何|几点|几岁|几个|几次|几遍|我们|你们|他们|她们|咱们|自己|这个|那个|这些|那些|那次|这次|一下|"
    "时候|以前|之前|之后|以后|因为|所以|如果|但是|可以|应该|"
    "[的了是在我你您他她它们吗呢吧啊呀嘛把被跟和与就都也还又很这那哪谁从给对向让几得着过]"
)
_JAPANESE = (
    "いつ|どこ|だれ|誰|なに|なん|何|どれ|どの|どんな|どちら|どう|いくら|いくつ|なぜ|"
    "わたし|私|僕|俺|うち|でしたか|ましたか|でしょうか|ですか|ますか|でした|ました|ません|です|ます|"
    "だったっけ|だったか|だった|だっけ|っけ|ていた|ている|ていて|ています|でいる|でいた|てくれた|てくれる|"
    "てしまった|てしまう|てもらった|してある|してい|された|される|られた|られる|して|した|する|"
    "という|について|ために|ため|こと|もの|とき|ところ|あいだ|から|まで|より|など|けど|ので|"
    "のは|のが|のを|には|では|とは|でも|"
    "なかった|ない|あった|ある|いた|いる|った|って|んだ|んで|"
    "[をはがにでとのもへかねよ](?![\u3041-\u3096])|を|(?<=[\u30a1-\u9fff])[はがにでとのも]"
)
_KOREAN = (
    "언제|어디서|어디|누구|누가|무엇|무슨|어떤|어느|얼마나|얼마|어떻게|왜|뭐|뭘|내가|제가|나는|저는|나의|"
    "우리|내|제|(?:에서|에게|한테|으로|까지|부터|하고|은|는|이|가|을|를|에|의|와|과|도|로)(?![가-힣])|"
    "(?:했었|했|였|이었)?(?:지|나|어|니|나요|어요|습니까|는지)(?![가-힣])"
)
GRAMMAR_RUNS = {"zh": _CHINESE, "ja": _JAPANESE, "ko": _KOREAN}
