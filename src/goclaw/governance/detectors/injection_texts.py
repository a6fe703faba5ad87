"""Injection texts: the ways of talking to the model instead of telling it something. Tables; injection.py reads them.

Each pattern reads the folded text: lower case, no invisible signs, look-alike letters turned Latin. A plain rule in the
imperative is none of these: it tells people or agents what to do, not the model to drop its rules, to play another
role, to hide itself or to send data out.
"""

import unicodedata
from dataclasses import dataclass

_GAP = r"[^.!?\n]{0,60}?"
_SHORT_GAP = r"[^.!?\n]{0,25}?"


@dataclass(frozen=True, slots=True)
class Override:
    """How one language says "forget your earlier instructions"."""

    verbs: str
    earlier: str  # earlier, all, your, system: what keeps ordinary uses of the verb apart
    rules: str

    def patterns(self) -> tuple[str, str, str]:
        """Verb, then "earlier rules", in both orders of words; or, as in verb-final languages, the rules first.

        In NFKC like the text they meet (some scripts spell a vowel in two ways).
        """
        verbs = unicodedata.normalize("NFKC", self.verbs)
        earlier = unicodedata.normalize("NFKC", self.earlier)
        rules = self.what()
        return (
            f"{verbs}{_SHORT_GAP}(?:{earlier}){_SHORT_GAP}{rules}",
            f"{verbs}{_SHORT_GAP}{rules}{_SHORT_GAP}(?:{earlier})",
            f"{earlier}{_SHORT_GAP}{rules}{_SHORT_GAP}(?:{verbs})",
        )

    def what(self) -> str:
        """What is to be forgotten; without it none of the patterns fits."""
        return f"(?:{unicodedata.normalize('NFKC', self.rules)})"


OVERRIDES = (
    Override(  # English
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|discard|overlook|set aside|put aside|"
        r"pay no attention to|do not (?:follow|obey|apply|heed)|don't (?:follow|obey|apply|heed)|never (?:follow|obey"
        r"|apply|heed)|"
        r"no longer (?:follow|obey|apply|heed)|stop (?:follow|obey|apply|heed)ing|cancel|erase|unlearn|"
        r"neglect|abandon|void|wipe|break free (?:of|from))\b",
        r"\b(?:previous|prior|earlier|above|preceding|former|existing|all|any|every|your|system|developer|initial"
        r"|original|"
        r"older|past|safety|hidden|built-in|other|aforementioned|foregoing|what you were told)\b",
        r"\b(?:instructions?|rules?|guidelines?|(?:system )?prompts?|directives?|polic(?:y|ies)|commands?|guardrails?|"
        r"restrictions?|constraints?|(?:system|developer) messages?|training|orders?|safeguards?|programming|context)"
        r"\b",
    ),
    Override(  # German
        r"\b(?:ignorier|vergiss|vergesst|missachte|umgeh|überschreib|verwirf|beachte[nt]? (?:nicht|keine)"
        r"|befolge[nt]? (?:nicht|keine))",
        r"\b(?:bisherig|vorherig|vorig|früher|alle|obig|vorangegangen|deine|bestehend|system|sämtlich)",
        r"(?:anweisung|regel|vorgabe|richtlinie|befehl|instruktion|system-?prompt|einschränkung|weisung)",
    ),
    Override(  # French
        r"\b(?:ignor|oubli|ne (?:tiens|tenez) pas compte|fais abstraction|faites abstraction|désobéi|contourn)",
        r"\b(?:précédent|antérieur|toutes?\b|tous\b|ci-dessus|tes\b|vos\b|système|initial)",
        r"\b(?:instruction|consigne|règle|directive|ordre|prompt|restriction)",
    ),
    Override(  # Spanish, Portuguese, Italian
        r"\b(?:ignor|olvid|descart|no (?:sigas|hagas caso)|omite|esque[cç]|desconsider|desrespeit|dimentic|trascur"
        r"|non (?:seguire|considerare))",
        r"\b(?:anterior|previ|tod[ao]s?\b|tus?\b|de arriba|sistema|acima|suas?\b|precedent|tutte?\b|tutti\b|tue\b"
        r"|iniciai?s)",
        r"\b(?:instruc|instruç|instru[cz]ion|istruzion|regla|regra|regol|directriz|diretriz|direttiv|órden|orden|ordem"
        r"|ordens|ordini|prompt|indicacion|norma)",
    ),
    Override(  # Dutch, Swedish, Danish, Norwegian
        r"\b(?:negeer|vergeet|ignorer|glöm|bortse från|glem|se bort fra|tilsidesæt)",
        r"\b(?:vorige|eerdere|alle\b|alla\b|bovenstaande|tidigare|föregående|tidligere|forrige|je\b|dina\b|dine\b"
        r"|systeem)",
        r"(?:instructie|regel|richtlijn|instruktion|riktlinje|anvisning|instruks|prompt|retningslinje)",
    ),
    Override(  # Polish, Czech
        r"\b(?:zignoruj|ignoruj|zapomnij|pomiń|zapomeň|nedbej)",
        r"\b(?:poprzedni|wcześniejsz|wszystki|powyższ|swoje|předchozí|všechny|dosavadní|systemow)",
        r"(?:instrukcj|polece|zasad|reguł|wytyczn|instrukc|pokyn|pravidl|prompt)",
    ),
    Override(  # Russian, Ukrainian (letters that look Latin are folded, see injection.py)
        r"(?:игнорир|забуд|не обращай внимания|отбрось|проигнорир|ігнору|відкинь|не следуй)",
        r"(?:предыдущ|прежн|ранн|все|всі|выше|сво[иї]|попередн|систем|прошл)",
        r"(?:инструкц|правил|указан|команд|директив|запрет|інструкц|вказівк|промпт|ограничен)",
    ),
    Override(  # Turkish, Indonesian, Vietnamese
        r"\b(?:yok say|unut|görmezden gel|dikkate alma|abaikan|lupakan|bỏ qua|quên)",
        r"\b(?:önceki|tüm|bütün|yukarıdaki|sistem|sebelumnya|semua|di atas|trước|tất cả|mọi|hệ thống)",
        r"(?:talimat|kural|yönerge|komut|instruksi|perintah|aturan|hướng dẫn|chỉ dẫn|quy tắc|lệnh|prompt)",
    ),
    Override(  # Chinese, Japanese, Korean
        r"(?:忽略|无视|無視|忘记|忘掉|忘記|忘れ|不要遵守|不再遵守|무시|잊어|잊으|따르지 마)",
        r"(?:之前|以前|以上|先前|上面|所有|全部|一切|系统|系統|これまで|すべて|全て|前の|システム|上記|이전|모든|위의|시스템|지금까지)",
        r"(?:指令|指示|规则|規則|提示|命令|要求|设定|ルール|プロンプト|지시|명령|규칙|지침|프롬프트)",
    ),
    Override(  # Arabic, Hebrew, Persian, Hindi, Thai
        r"(?:تجاهل|انس|اهمل|התעלם|שכח|نادیده|فراموش|अनदेखा|नज़रअंदाज़|भूल|เพิกเฉย|ละเว้น|ลืม)",
        r"(?:السابقة|جميع|كل|أعلاه|הקודמות|כל|קודמ|قبلی|همه|تمام|पिछले|सभी|पूर्व|ก่อนหน้า|ทั้งหมด)",
        r"(?:التعليمات|تعليمات|القواعد|الأوامر|ההוראות|הוראות|הכללים|دستور|قوانین|निर्देश|नियम|คำสั่ง|คำแนะนำ|กฎ)",
    ),
)

_MODEL_TAGS = (
    r"system|assistant|instructions?|developer|tool_(?:result|call|output|response)s?|function_(?:result|call)s?"
)
_PRIVATE = (
    r"(?:conversation|chat|histor(?:y|ies)|memor(?:y|ies)|memory\.md|notes?|messages?|secrets?|keys?|credentials?"
    r"|passwords?|tokens?|"
    r"contents?|files?|prompts?|documents?|data|queries|query|sql|records?|answers?|replies|reply|summar(?:y|ies)"
    r"|context|everything|list)"
)
_OUTSIDE = (
    r"(?:https?://|ftp://|wss?://|[\w.+\-]{1,64}@[\w\-]{1,64}\.|webhook|drop ?box|pastebin|external|\bdm\b"
    r"|third[- ]party)"
)
_SENDING = (
    r"\b(?:send|forward|post|upload|e-?mail|mail|transmit|exfiltrate|leak|append|attach|embed|include|add|paste|copy"
    r"|report|submit|"
    r"relay|call|share|bcc|cc)\b(?=\s(?![/\-]|https?:))"
)
_TRUST_WORDS = (
    r"(?:configuration|config|@config|polic(?:y|ies)|system|instructions?|rules?|law|admin\w{0,10}|trusted|confirmed"
    r"|approved|"
    r"authoritative|verified|binding|commands?|highest priority|user_confirmed)"
)
# An address into which the model is to fill what it knows.
_FILLED_IN = (
    r"[?&][a-z_]{1,20}=(?:\{\{|\{|%7b|<|\[|%s|\$\{)[a-z_ ]{0,30}(?:conversation|chat|history|message|memor|secret"
    r"|context|prompt|data|user|token|query|answer)"
)
_LEAKING_ADDRESS = rf"(?:https?:)?//[^\s\"')]{{1,200}}{_FILLED_IN}"

# What it does -> patterns. Names are for people who read this file and for tests.
STEERING: dict[str, tuple[str, ...]] = {
    "plays another role": (
        rf"<\s?/?\s?(?:{_MODEL_TAGS}|message_context|memory_context|session_context|system[_\-]\w{{1,20}}|user_message"
        rf"|human|"
        r"im_start|im_end|prompt|admin|context)\b[^<>]{0,120}>",
        r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|\[/?(?:system|assistant|developer)_?(?:prompt"
        r"|message)?\]\s{0,2}:?\s{0,2}you",
        r"\[\s?(?:system|admin|developer|root|operator|security|platform)[ _\-](?:notice|message|override|update|prompt"
        r"|note|instructions?|"
        r"alert|command|policy|directive)[^\]]{0,40}\]",
        r"(?:^|\n)[#*\s>]{0,6}(?:system|assistant|developer)[ _]?(?:prompt|message|instructions?|override|notice|note"
        r"|update)?[*\s]{0,3}:\s{0,4}"
        r"(?:you|ignore|always|never|from now|the user|grant|approve|new|memory|all|do|send|reveal)\b",
        r"(?:^|\n)\s{0,4}(?:human|user)\s?:[^\n]{0,400}\n\s{0,20}(?:assistant|ai)\s?:",
        r"(?:^|\n)[ \t]{0,4}#{2,4} ?(?:system|instruction|human|assistant|response)s?:? {0,4}\n",
        r"(?:^|\n)\s{0,4}[\"']?role[\"']?\s?:\s?[\"']?(?:system|developer|admin)",
        r"[\"']role[\"']\s?:\s?[\"'](?:system|developer)[\"']\s?,\s?[\"']content[\"']\s?:\s?[\"'](?:you|ignore|always"
        r"|never|from)",
        r"\byou are now (?:a\b|an\b|in\b|the\b|my\b|root|admin|dan\b|free|unrestricted|operating|acting|no longer"
        r"|jailbroken)",
        r"\b(?:from now on|henceforth|starting now|as of now)\b,? you(?:'re| are| will| must| shall| should| have to"
        r"| may)\b",
        r"\b(?:act|behave|respond|roleplay|role-play|speak) as (?:if you (?:are|were|had)|dan\b|root|the (?:system"
        r"|administrator|owner)|an? "
        r"(?:unrestricted|unfiltered|uncensored|evil|jailbroken|different|new))",
        r"\bpretend (?:that )?(?:you|to be|there are no)\b|\b(?:developer|debug|god|jailbreak|maintenance|admin"
        r"|sudo) mode (?:is )?(?:on|enabled|activated|engaged)",
        r"\b(?:without|no|free of) (?:any )?(?:restrictions|filters|limitations|censorship|guardrails) (?:apply|exist"
        r"|anymore|at all|on you)",
        r"\bdu bist (?:jetzt|ab sofort|nun) (?:ein|der|die|kein|im)|\bab (?:jetzt|sofort) (?:bist|musst|wirst"
        r"|antwortest|gibst) du\b",
        r"\b(?:a partir de ahora|desde ahora|a partir de agora|d'ora in poi|désormais|à partir de maintenant),? (?:eres"
        r"|debes|você|tu\b|vous|sei|devi)",
        r"(?:теперь ты|отныне ты|с этого момента ты)|(?:你现在是|从现在起你|從現在起你|从现在开始你)",
        r"(?:あなたは今から|今からあなたは)|(?:너는 이제|이제부터 너는|당신은 이제)",
    ),
    "lifts rules or claims trust": (
        rf"\b(?:treat|regard|consider|count|handle|interpret|accept|use|read)\b{_SHORT_GAP}\b(?:this|these|my|newest"
        rf"|latest|following|the (?:last|next|"
        rf"above))\b{_SHORT_GAP}\bas (?:an? |the |your )?(?:\w{{1,15}} )?{_TRUST_WORDS}",
        rf"\b(?:my|these|this|our|mallory's) (?:messages?|notes?|memor(?:y|ies)|records?|entr(?:y|ies)|texts?|words?"
        rf"|instructions?)\b{_SHORT_GAP}"
        rf"\b(?:counts?|is|are|takes?|has|have|overrides?|supersedes?|outranks?|wins?)\b{_SHORT_GAP}"
        rf"(?:@config|pre-?approved|already approved|{_TRUST_WORDS}|precedence|priority over)",
        r"\b(?:pre-?approved|already (?:approved|confirmed|verified|reviewed)|auto-?approved)\b[^.\n]{0,60}\b(?:no"
        r"|without|skip)\b[^.\n]{0,20}\b(?:review|"
        r"confirm|check|approval)",
        r"\b(?:records?|notes?|memor(?:y|ies)|entr(?:y|ies)|writes?|messages?)\b[^.\n]{0,60}\b(?:are|is"
        r"|count as)\b[^.\n]{0,20}\b(?:pre-?approved|instruction-grade)",
        r"\b(?:provenance|review_status|lifecycle(?:_status)?|can_use_as_instruction|requires_user_confirmation"
        r"|do_not_inject_automatically|"
        r"write_access|trust(?:_level)?|default_status|use_policy)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:user_confirmed"
        r"|confirmed|approved|imported|trusted|true|"
        r"false|everyone|all|admin|instruction|system|high)",
        rf"\b(?:store|save|remember|record|keep|file|write|persist|mark|add|log)\b{_SHORT_GAP}\b(?:as|in|into|under"
        rf"|to)\b (?:an? |the |your |a new )?"
        r"(?:critical|permanent|highest|global (?:rule|memory|scope|policy)|agent_config|@config|system (?:rule|prompt"
        r"|memory)|core (?:rule|memory|instruction)|"
        r"trusted|confirmed|user_confirmed|instruction-grade)",
        rf"\b(?:save|store|remember|record|write|persist)\b{_SHORT_GAP}\b(?:global scope|scope[=: ]{{1,3}}global"
        rf"|for every(?:body|one) (?:and|in) |that (?:their|his|her|my|the"
        rf" user's) (?:role|rank|clearance|rights) (?:is|are))",
        r"\b(?:save|store|remember|record|note) (?:to|in|into) (?:your |the )?(?:long-term )?memory (?:that|:)",
        r"\bscope[\"']?\s{0,2}[=:]\s{0,2}[\"']?(?:global|agent_config)\b",
        r"\ball (?:users?|members?|agents?|people) (?:may|can|are allowed to|have the right to) (?:edit|write|delete"
        r"|change|approve|read)\b[^.\n]{0,20}"
        r"\b(?:global|agent_config|everything|all|config|personal|secrets?|memory)",
        r"\b(?:i am|i'm|this is|speaking as|i speak for|on behalf of) (?:the |your |an? )?(?:owner|admin\w{0,10}|root"
        r"|developer|creator|operator|superuser|system)\b"
        r"[^.\n]{0,80}\b(?:so|and|therefore|thus|,)[^.\n]{0,80}\b(?:messages?|orders?|commands?|obey|trust|rights|rules"
        r"|config|instructions?|anything|review)",
        r"\bi (?:hereby )?authori[sz]e (?:all|any|every)\b",
        r"\bgrant\b[^.\n]{0,60}\b(?:admin\w{0,10}|root|owner|full|all|elevated|superuser"
        r"|unlimited)\b[^.\n]{0,20}(?:rights?|access|permissions?|privileges?|role)?",
        r"\b(?:reviewers?|moderators?|approvers?|auditors?)\b(?: note)?\s?[:,][^.\n]{0,120}\b(?:confirm|approve|accept"
        r"|press"
        r"|click|sign off)",
        r"\b(?:just|please|simply) (?:press|click|hit|choose) [\"']?(?:confirm|approve|accept)\b",
        r"\b(?:confirm|approve|accept|auto-?approve|auto-?confirm)\b (?:all |every |any )?(?:the )?(?:pending|queued"
        r"|waiting|open) (?:items?|memor|records?|reviews?|entr|writes?)",
        r"\b(?:confirm|approve) (?:everything|the whole (?:batch|queue)|all (?:of them|items"
        r"|records))\b[^.\n]{0,40}\b(?:queue|batch|review|silently|without)\b",
        r"\b(?:skip|bypass|avoid|disable|ignore|without)\b (?:the |any |all |every )?(?:memory |human "
        r"|user )?(?:review queue|review step|confirmation (?:gate|step|dialogs?|prompts?)|"
        r"write guard|policy (?:gate|check)|secret scann?(?:er|ing)|safety (?:checks?|filters?|rules?))",
        r"\b(?:turn(?:ed|s)? off|switch(?:ed|es)? off|disabled?s?|deactivated?|removed?|suspended?"
        r"|stop(?:ped)? using)\b[^.\n]{0,40}"
        r"\b(?:secret scann|scanner|guard(?:rails?)?\b|content filter|safety|confirmation dialog|review queue"
        r"|moderation|policy gate|audit (?:log|trail))",
        r"\bneeds? no (?:further |more |human )?(?:approval|review|confirmation)\b|\bno (?:review|approval"
        r"|confirmation) (?:is )?(?:needed|required|necessary)\b",
    ),
    "hides itself": (
        r"\b(?:do not|don't|never|must not|without) (?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|tell(?:ing)?"
        r"|show(?:ing)?|inform(?:ing)?|"
        r"notify(?:ing)?|alert(?:ing)?|report(?:ing)?|display(?:ing)?|say(?:ing)?)\b[^.\n]{0,25}\b(?:this (?:note"
        r"|memory|instruction|message|rule|to|entry|step|"
        r"record)|(?:the|any) users?\b|them\b|that you\b|anyone\b|anybody\b|your (?:instructions|operator|owner))",
        r"\b(?:apply|do|run|execute|store|follow|send|save|act|comply|obey|delete|approve)\b(?: this| it| that"
        r"| so)? ?(?:silently|quietly|secretly|covertly|in secret|"
        r"in the background without)",
        r"\b(?:silently|secretly|covertly|quietly) (?:apply|run|execute|store|follow|send|save|forward|delete|approve"
        r"|add|copy|include)",
        r"\bkeep (?:this|it) (?:secret|hidden|confidential) from\b|\bhide (?:this|it|these)\b[^.\n]{0,20}\bfrom\b",
        r"<!--[^>]{0,20}?\b(?:ai|assistant|agents?|llm|model|bot|note to)\b[^>]{0,200}|<!--[^>]{0,120}?\b(?:ignore"
        r"|instructions?|save to memory|remember that|"
        r"you must|do not tell|always|never)\b",
        r"<[a-z]{1,12}\b[^<>]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0"
        r"|opacity\s?:\s?0(?![.\d])|color\s?:\s?(?:white|#fff)|"
        r"aria-hidden=[\"']?true|\shidden\b)[^<>]{0,100}>[^<>]{0,200}?\b(?:assistant|ai|agents?|model|system|ignore"
        r"|forward|send|remember|"
        r"memor(?:y|ies)|instructions?|you must|always|never|do not|reveal|store|save)\b",
        r"\b(?:sag|verrate|erwähne|erzähl)\w{0,3}\b[^.\n]{0,30}\b(?:nicht|niemandem|keinem)\b[^.\n]{0,20}\b(?:nutzer"
        r"|benutzer|weiter|davon)|"
        r"\b(?:no (?:le )?(?:digas|menciones|reveles)|não (?:diga|mencione|revele)|ne (?:dis|dites|mentionne|mentionnez"
        r"|révèle) (?:pas|rien))\b[^.\n]{0,40}"
        r"\b(?:usuari|utilisateur|a nadie|a ninguém|à personne|esto\b|isto\b|cela\b)|не (?:говори|сообщай"
        r"|упоминай)[^.\n]{0,30}(?:пользовател|никому|об этом)|"
        r"(?:不要|别|不得)(?:告诉|告知|提及|透露)[^。\n]{0,10}(?:用户|任何人|此事)|(?:ユーザー|誰)に(?:は)?(?:言わ|知らせ|伝え)|(?:사용자"
        r"|누구)에게[^.\n]{0,10}(?:말하지|알리지)",
    ),
    "sends data out": (
        rf"{_SENDING}{_GAP}\b{_PRIVATE}\b{_GAP}{_OUTSIDE}|{_SENDING}{_GAP}{_OUTSIDE}[^\n]{{0,120}}?\b{_PRIVATE}\b",
        rf"\b(?:before|after|during|on|for|with|at|in) (?:any|each|every|all)\b{_GAP}{_SENDING}{_GAP}(?:https?://"
        rf"|\btool\b|webhook)",
        r"!\[[^\]\n]{0,100}\]\(\s?(?:https?:)?//[^)\s]{0,300}?(?:\{|%7b|\$\(|\$\{|<[a-z])",
        _LEAKING_ADDRESS,
        r"<(?:img|iframe|embed|object|video|audio|form)\b[^<>]{0,200}?(?:src|href|data"
        r"|action)\s?=\s?[\"']?(?:https?:)?//[^<>]{0,300}?"
        r"(?:(?:width|height)\s?=\s?[\"']?[01]\b|display:\s?none|[?&][a-z_]{1,20}=|\{\{)",
        r"\b(?:attach|append|include|paste|output|dump|print|reveal|show|repeat|leak|recite|disclose|give|return|embed"
        r"|list|export)\b[^.\n]{0,30}\b(?:contents? of )?"
        r"(?:memory\.md|user\.md|identity\.md|soul\.md|agents\.md|\.env\b|(?:your|the) (?:system|hidden|initial"
        r"|developer) (?:prompt|instructions?|message)|"
        r"the (?:secrets? )?vault|(?:all|every|any|other) (?:users?'?s? |people's |internal |private |personal |stored "
        r"|the )?(?:secrets|credentials|api keys|passwords|notes|memories|private notes))",
        r"\b(?:print|repeat|output|reveal) (?:everything|all (?:the )?(?:text|words)|the text) (?:above|before)",
        r"\b(?:when(?:ever|\s)?|if|once|as soon as|every time)\b[^.\n]{0,20}\b(?:user|they|someone|anyone|he|she"
        r"|somebody|person|customer)s?\b[^.\n]{0,60}?"
        r"\b(?:says?|asks?|mentions?|types?|writes?|replies|logs? in|requests?)\b[^\n]{0,80}?"
        r"\b(?:store|save|paste|send|forward|grant|reveal|delete|execute|share|leak|upload|post|remember|approve"
        r"|transfer|wire)\b[^.\n]{0,60}?"
        r"\b(?:that|their|her|his|all|personal|private|secret|role|admin\w{0,10}|notes?|memor(?:y|ies)|channel|to http"
        r"|password|funds?|money|access)\b",
        r"\b(?:when(?:ever)?|if|once)\b[^.\n]{0,20}\b(?:user|anyone|someone|they)s?\b[^.\n]{0,40}\b(?:says?|asks?"
        r"|types?)\b[^.\n]{0,40}?"
        r"\b(?:reply|answer|respond|reveal|show|print|call|run)\b[^.\n]{0,20}\b(?:contents? of|agent_config"
        r"|system prompt|memor(?:y|ies)|"
        r"personal notes|secrets)\b",
        r"\b(?:call|run|execute|invoke|trigger|delete|grant|transfer)\b[^.\n]{0,40}\b(?:when(?:ever)?|if|once"
        r"|as soon as) the user (?:says|types|mentions)\b",
        r"\b(?:append|attach|include|add|paste|embed)\b[^.\n]{0,15}\b(?:users?'?s?|their|his|her|all|any) (?:api keys?"
        r"|passwords?|credentials|secrets|tokens)\b",
        r"\bask\b[^.\n]{0,25}\b(?:users?|customers?|person|people|them|him|her|clients?|employees?"
        r"|caller)\b[^.\n]{0,25}\b(?:for|to (?:give|type|enter|share|send|paste|tell|confirm|"
        r"provide))\b[^.\n]{0,25}\b(?:passw\w{2,6}|passphrase|tokens?\b|secrets?\b|credentials?|pin\b|private key"
        r"|api key|seed phrase|card number|cvv|one-time code|otp\b|2fa)",
        r"\b(?:copy|repeat|include|insert|append|reproduce|propagate|carry|add|put|embed|replicate|paste"
        r"|spread) (?:this|these|the following)\b[^.\n]{0,30}\b(?:in|into|to|onto|with|across|at)\b"
        r"[^.\n]{0,20}\b(?:every|each|all|any|future|other)\b[^.\n]{0,30}\b(?:summar|memor|agents?|repl|answers?"
        r"|responses?|sessions?|notes?|outputs?|messages?|pages?|conversations?)",
        r"\b(?:decode|decrypt|unscramble|deobfuscate|rot13|base64)\b[^\n]{0,30}?\b(?:follow|execute|obey|apply|run"
        r"|act on|do (?:it|what)|comply|carry out)\b",
        r"\b(?:gib|gebt|sende|schick|leite)\w{0,3}\b[^.\n]{0,40}\b(?:jede|alle"
        r"|sämtliche)\w{0,2}\b[^.\n]{0,20}\b(?:intern|privat|geheim|notiz|nachricht|passw|zugangs)|"
        r"\b(?:envía|envia|manda|reenvía|envoie|envoyez|transmets|invia|inoltra|stuur)\b[^.\n]{0,60}(?:https?://"
        r"|[\w.]{1,40}@\w)|"
        r"(?:отправ|перешли|пересылай)[^.\n]{0,60}(?:https?://|[\w.]{1,40}@\w|заметк|сообщени)|(?:发送|发给|转发|送信|転送|보내"
        r"|전송)[^。\n]{0,60}(?:https?://|[\w.]{1,40}@\w)|"
        r"(?:https?://|[\w.]{1,40}@)[^\s]{1,80}[^。\n]{0,20}(?:发送|发给|转发|送信|転送|送って|보내|전송)",
    ),
    "breaks out of its place": (
        r"^[^{}\[\]]{0,200}[\"']\s?[}\]]\s?[}\],]",
        r"(?<!\$)\{\{\s?(?:config|secrets?|self|request|settings|environ|env|__|cycler|joiner|lipsum|conversation"
        r"|system)\b|\$\{(?:jndi|env|sys|lower|upper|java)\s?:",
        r"(?:\{\{|<%=?|\$\{|#\{)\s?\d{1,5}\s?[*+]\s?\d{1,5}|\{%\s?(?:import|include|for|if|set)\b[^%]{0,60}(?:__|config"
        r"|self)",
        r"(?:^|\n)-{3,20}\n(?:[^\n]{0,120}\n){0,8}?(?:role|provenance|review_status|can_use_as_instruction|write_access"
        r"|scope|system)\s?:\s?"
        r"(?:system|user_confirmed|approved|true|everyone|global|agent_config)",
        r"\]\(\s?javascript:|<[a-z]{1,10}\b[^<>]{0,200}?\bon(?:error|load|mouseover)\s?=|\bjavascript:\s?\w",
    ),
}

# Pattern -> what must occur somewhere before it is worth a look.
NEEDS = {
    _LEAKING_ADDRESS: _FILLED_IN,
    **{pattern: override.what() for override in OVERRIDES for pattern in override.patterns()},
}
