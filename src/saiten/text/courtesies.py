"""Courtesies: greetings, thanks and offers of help, which say nothing about the subject."""

import re

_LONGEST = 300
"""Characters; a longer text says something."""
_GREETING = (
    r"(?:hi|hello|dear [^.!]{1,30}|good (?:morning|afternoon|evening)|thanks?(?: you)?(?: for [^.!]{1,60})?|sure|"
    r"certainly|of course|great question|you(?:'|’)re welcome|i hope (?:this|that|it) helps?|"
    r"have a (?:nice|good|great) day|"
    r"(?:let me know if|feel free to) [^.!]{1,100}|"
    r"こんにち[はわ]|こんばんは|おはようございます|お世話になっております|(?:誠に|まことに|どうも)?ありがとうございま(?:す|した)|"
    r"(?:この度は|このたびは)?、?(?:お問い?合わせ|ご質問|ご連絡|ご相談)(?:を?いただき)?、?(?:誠に|まことに)?ありがとうございま(?:す|した)|"
    r"承知(?:いた)?しました|かしこまりました|もちろんです|お役に立て(?:ば|れば|ましたら|たら)[^。]{0,12}|"
    r"(?:以上、?)?ご?参考になり?(?:ましたら|れば)[^。]{0,12}|"
    r"(?:また、?)?(?:ほか|他)?(?:に|にも)?(?:ご質問|ご不明な点)(?:が|など)[^。]{0,4}(?:あれば|ありましたら|ございましたら)、?[^。]{0,30}|"
    r"(?:以上、?|どうぞ)?よろしくお願い(?:いた)?します|何かあればお知らせください)"
)
_OFFER = (
    r"(?:sure|certainly|of course|absolutely|great|yes)?[,!. ]*i(?:'|’| a| wi| woul| ca)?[a-z]{0,3} (?:be )?"
    r"(?:happy|glad|pleased|help|answer|assist)\b[^.!?:]{0,100}"
)
"""Matches *Sure, I'd be happy to help!* and *I can answer your question based on the document.*"""
_COURTESY = re.compile(rf"(?:{_GREETING}|{_OFFER})[\s!.,。！、]*", re.IGNORECASE)


def is_courtesy(text: str) -> bool:
    """Return whether the text consists of greetings, thanks and offers of help only."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return False
    while text:
        found = _COURTESY.match(text)
        if found is None:
            return False
        text = text[found.end() :]
    return True
