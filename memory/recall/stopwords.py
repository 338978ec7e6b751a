"""Words that say nothing about what is sought: left out of queries, never out of the index.

In the languages whose members are most likely here. Words that mean something in another of them (German "war", "man",
"die") are left out on purpose: a rare word that stays costs less than a meaning that goes. Spelled as `terms.fold`
spells them, apostrophes dropped.
"""

_ENGLISH = """
a an the and or but if of to in on at by for with from as is are was were be been being do does did done
doing have has
had having i me my mine myself we us our ours you your yours he him his she her hers it its they them their
theirs this
that these those what which who whom whose when where why how not no nor so than then too very can could will would
shall should might must just about into between during out up down off there here all any both each some im
ive id ill youre youve hes shes its theyre weve were dont doesnt
didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt havent hasnt hadnt whats whos wheres whens hows thats
"""
_GERMAN = """
der das dem des ein eine einen einem einer eines und oder aber nicht ist sind sein bin bist seid wird werden wurde
wurden ich mich mir mein meine meinen meinem du dich dir dein deine er sie es wir uns unser unsere ihr euch ihm ihn
ihnen mit von vom zu zum zur auf fur bei beim aus nach uber unter um wie wo wann wer wen wem wessen warum welche
welcher welches dass wenn noch nur auch schon haben habe hast hatte hatten kann konnen soll gab gibt
"""
_RUSSIAN = """
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет
о из ему когда ну ли если уже или ни быть был была были него до вас нибудь опять уж вам ведь там потом себя ничего ей
может они тут где есть надо ней для мы тебя их чем сам чтоб без чего кто этот того потому этого какой какая
какие каком
мой моя мое мои моего моей моем твой твоя это эта эти об обо про при куда зачем почему сколько чей чья нас нам
"""
_SPANISH = """
el la los las un una unos unas y o pero de del que en es por para con se lo le su sus mi mis tu tus yo me te nos no si
como cuando donde quien cual cuales fue era ser esta este esto estos estas muy mas al ya hay
"""
_FRENCH = """
le la les un une des et ou mais de du que qui en est pour avec se sa ses mon ma mes ton ta tes je me te nous vous il
elle ils elles on ne pas quand quel quelle quels quelles etait etre ce cet cette ces au aux dans par sur cest jai
"""
_PORTUGUESE_ITALIAN = "os uma uns umas em na nas nos do dos das com il lo gli di che non per con sono mio mia della del"
_UKRAINIAN = "і й та що як де коли хто мій моя моє це цей ця був була були"
_ARABIC = "في من على الي عن ما ماذا متي اين هل هو هي انا انت هذا هذه ذلك التي الذي كان كانت كيف لماذا و او مع"
_HINDI = "का की के में है हैं था थी थे को से पर और या यह वह क्या कब कहां कौन मेरा मेरी मेरे मैं ने भी नहीं कितने कितना"
_GREETING = """
hi hello hey hiya howdy yo greetings good morning evening night afternoon bye goodbye thanks thank thx cheers
please ok
okay yes yeah yep nope nice great cool fine lol haha wow sure welcome
hallo moin servus guten gute tag abend morgen danke bitte tschuss ja nein gut super
привет здравствуй здравствуйте пока спасибо пожалуйста хорошо ладно доброе утро добрый день вечер спокойной ночи
hola buenos dias buenas tardes noches adios gracias vale bonjour bonsoir salut merci oui non ciao grazie oi obrigado
مرحبا شكرا سلام नमस्ते धन्यवाद 你好 谢谢 您好 再见 こんにちは ありがとう 안녕 안녕하세요 감사합니다 สวัสดี
"""

STOPWORDS: frozenset[str] = frozenset(
    " ".join((_ENGLISH, _GERMAN, _RUSSIAN, _SPANISH, _FRENCH, _PORTUGUESE_ITALIAN, _UKRAINIAN, _ARABIC, _HINDI)).split()
)
GREETINGS: frozenset[str] = frozenset(_GREETING.split())
"""Words that, alone or among stopwords only, ask for nothing: greetings, thanks, assent."""
