"""Impact: subjects on which a wrong memory does harm, so that a human looks first (governance.md 2, below the table).

It decides lines 7 and 8 of the first-state table only; confirmed imports and human rules are never held back by it.
"""

import re
from enum import StrEnum

from goclaw.model.record import Kind


class Impact(StrEnum):
    """Why a memory is of high impact."""

    CONSTRAINT = "constraint"
    DECISION = "decision"
    INSTRUCTION_LIKE = "instruction_like"
    ACCESS = "access"
    SECURITY = "security"
    MONEY = "money"
    POLICY = "policy"


_BY_KIND = {Kind.CONSTRAINT: Impact.CONSTRAINT, Kind.DECISION: Impact.DECISION, Kind.CONFIG: Impact.INSTRUCTION_LIKE}

# Word beginnings unless they end in \b. English first, then the other languages our users write.
_SUBJECTS: dict[Impact, re.Pattern[str]] = {
    Impact.INSTRUCTION_LIKE: re.compile(
        r"\b(?:always|never|must|should|shall|do not|don't|have to|has to|needs? to|may not|no longer"
        r"|from now on|make sure|ensure|"
        r"only ever|whenever|every time|before you|instead of|use only|avoid|prefer to|immer|niemals?|muss"
        r"|müssen|soll|sollen|"
        r"darf|dürfen|siempre|nunca|debe|deben|hay que|toujours|jamais|doit|doivent|il faut|sempre|deve|devem"
        r"|devono|"
        r"altijd|nooit|moet|moeten|zawsze|nigdy|alltid|aldrig)\b"
        r"|\b(?:всегда|никогда|долж[енны]|нельзя|надо|следует)|必须|必須|总是|總是|永远|不要|不得|禁止|应该|應該|常に|必ず|してはいけない"
        r"|しなければ|반드시|항상|하지 마"
    ),
    Impact.ACCESS: re.compile(
        r"\b(?:access|permission|privileg|admin|root\b|sudo|roles?\b|rights\b|grants?\b|granted|revoke"
        r"|authoriz|authoris|unlock|login|log in|"
        r"door code|key ?card|badge|vpn\b|zugang|zugriff|berechtigung|rechte\b|acceso|permiso|accès|droits?\b"
        r"|acesso|toegang)"
        r"|доступ|прав[ао]\b|权限|權限|访问|アクセス|権限|접근|권한"
    ),
    Impact.SECURITY: re.compile(
        r"\b(?:secur|passw|passphrase|credential|secret|token|encrypt|certificat|firewall|vulnerab|exploit"
        r"|backup|audit|2fa|mfa\b|totp|ssh\b|"
        r"tls\b|malware|phish|breach|incident|scanner|bypass|disabl|safety|sicherheit|passwort|segurid"
        r"|contraseñ|sécurit|segurança|"
        r"veilig)|безопасн|парол|安全|密码|密碼|セキュリティ|パスワード|보안|비밀번호"
    ),
    Impact.MONEY: re.compile(
        r"\b(?:pay(?:ment|s|ing|roll|able|out)?\b|paid\b|price|pricing|cost|budget|invoice|refund|discount"
        r"|salary|salaries|wage|expens|"
        r"bank|iban\b|account number|money|fee\b|fees\b|tax\b|taxes\b|billing|purchas|contract|credit|euros?\b"
        r"|dollars?\b|usd\b|eur\b|"
        r"gehalt|rechnung|preis|zahlung|kosten|pago|factura|precio|paiement|facture|prix|pagamento|preço|betaling)"
        r"|[€$£¥₽]\s?\d|\d\s?[€$£¥₽]|оплат|зарплат|цен[аы]\b|счёт|счет|付款|价格|價格|工资|発票|发票|支払|給与|급여|결제"
    ),
    Impact.POLICY: re.compile(
        r"\b(?:polic(?:y|ies)|rules?\b|guideline|standard(?:s|ised|ized)?\b|complian|regulat|gdpr\b|legal"
        r"|approv|sign-?off|mandatory|require|"
        r"forbid|forbidden|prohibit|allowed|not permitted|convention|richtlinie|regel|vorschrift|genehmig"
        r"|política|norma|regla|politique|"
        r"règle|regra|beleid)|политик|правил|政策|规定|規定|规则|規則|ポリシー|ルール|정책|규칙"
    ),
}
# A wish about how one is treated oneself is no rule for others; a wish for everybody is.
_FOR_OTHERS = re.compile(
    r"\b(?:everyone|everybody|anyone|all (?:users|agents|members|people|teams|of us)|the (?:team|agents?"
    r"|company|customers?|users)|other|"
    r"others|we|our|us|alle|jeder|todos|tous|tout le monde|tutti)\b|все[мх]?\b|所有|大家|全員|모두"
)


def impacts(kind: Kind, text: str) -> frozenset[Impact]:
    """Every reason why this memory is of high impact; empty for a low one."""
    lowered = text.lower()
    found = {impact for impact, subject in _SUBJECTS.items() if subject.search(lowered)}
    if kind is Kind.PREFERENCE and not _FOR_OTHERS.search(lowered):
        found.discard(Impact.INSTRUCTION_LIKE)
    if kind in _BY_KIND:
        found.add(_BY_KIND[kind])
    return frozenset(found)


def is_high_impact(kind: Kind, text: str) -> bool:
    """Whether a memory of this kind and text waits for a human on lines 7 and 8 of the first-state table."""
    return bool(impacts(kind, text))
