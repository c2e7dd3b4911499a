"""Texts that tokenizers stumble over, the same on every machine."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path

HARD = [
    "",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r\r\n\n",
    "\t \t\n \n  x",
    "a\r\nb\rc\n\rd",
    "The capital of France is",
    "  leading and trailing  ",
    "don't we'll I'd they're I've it's 'S 'T 'LL",
    "3.14159 1,000,000 0x1F 1e-9 ½ ² ₃ Ⅷ 一二三",
    "٠١٢٣٤٥٦٧٨٩ ۰۱۲۳ ०१२३ ๐๑๒๓ 𝟘𝟙𝟚",
    "👩‍👩‍👧‍👦 👨🏽‍🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇫🇷🇩🇪 ❤️‍🔥 ☺︎☺️ 🫱🏻‍🫲🏿",
    "e\u0301 \u00e9 \u1e9b\u0323 \u212b \ufb01 \u0130 \u00df \u017f",
    "\u202eright to left\u202c \u2066isolate\u2069 \ufeff bom \u200b\u200d\u2060",
    "\u00a0\u2003\u3000\u1680\u2028\u2029\u0085\x1c\x1d\x1e\x1f\x0b\x0c spaces",
    "".join(map(chr, range(32))) + "\x7f",
    "".join(map(chr, range(128, 256))),
    "日本語の文章、句読点。「引用」と数字１２３",
    "中文没有空格，标点符号。",
    "한국어 띄어쓰기와 조사",
    "สวัสดีครับ ภาษาไทยไม่มีช่องว่าง",
    "العربية من اليمين إلى اليسار، ١٢٣",
    "עברית עם ניקוד: שָׁלוֹם",
    "हिन्दी क्षत्रिय ज्ञ श्री",
    "Ελληνικά, Русский, Ўзбек, Հայերեն, ქართული",
    "𐍈𐎀𓀀𝔘𝔫𝔦 \U0010ffff \ue000 \ufffd",
    "<|im_start|>system\nYou are<|im_end|>\n<|im_start|>user\n",
    "<|im_start|><|im_end|><|im_end|>",
    "<|im_start |> <|im_end| > <|endoftext|>x<|endoftext|>",
    "<|im_<|im_start|>start|>",
    "<jupyter_code>print(1)<jupyter_output>1<file_sep><repo_name>a/b",
    "<｜begin▁of▁sentence｜><｜User｜>Hi<｜Assistant｜><think>\n</think><｜end▁of▁sentence｜>",
    "a" * 3000,
    " " * 300 + "x",
    "\n" * 257,
    "=" * 130 + "\n" + "-" * 65,
    "1" * 100,
    "👍" * 60,
    "ab" * 500 + " " + "Ġ" * 10,
    "ĠtheĊ Ā ÿ literal alphabet",
    '{"a": [1, 2.5e-3, null, "\\u00e9\\n"], "b": {"c": true}}',
    "<div class='x'>&amp;&#39;</div><!-- c -->",
    "SELECT * FROM t WHERE a='b''c';--",
    "https://example.org/a?b=c&d=%20#e user@example.org",
    "CamelCaseAndsnake_case-and-kebab.and.dots/and/slashes",
    'x = y**2 // 3 != 4 >>= 1; f"{a!r:>{w}}" # comment',
    "\\frac{1}{2} $x_i^{2}$ \\[ \\]",
    "’s ’t “quotes” — dashes – … ‰ № §",
]

RANGES = (
    (0x20, 0x7E),
    (0x00, 0x1F),
    (0xA0, 0x24F),
    (0x300, 0x36F),
    (0x370, 0x52F),
    (0x590, 0x6FF),
    (0x900, 0xDFF),
    (0xE00, 0xEFF),
    (0x2000, 0x206F),
    (0x2100, 0x27BF),
    (0x3000, 0x30FF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xFE00, 0xFE0F),
    (0x1F300, 0x1F64F),
    (0x1F680, 0x1F6D2),
    (0x1F910, 0x1F96B),
    (0xE0020, 0xE007F),
    (0x10000, 0x100FA),
    (0x13000, 0x1342E),
    (0x1D400, 0x1D7FF),
    (0x20000, 0x2A6D6),
    (0xF0000, 0xFFFFD),
)
MARKUP = ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<｜User｜>", "<think>", "\r\n", "\u200d", "'s", "  ")


def hard_strings(count: int = 1200, seed: int = 5) -> list[str]:
    """Return the texts above, cuts of this project's own files, and random Unicode: `count` in all."""
    rng = random.Random(seed)
    root = Path(__file__).parents[2]
    sources = [
        path.read_text(encoding="utf-8") for path in sorted((root / "src" / "roundtrip" / "figures").glob("*.py"))
    ]
    sources += [path.read_text(encoding="utf-8") for path in sorted((root / "docs" / "explanation").glob("*.md"))]
    made = list(HARD)
    while len(made) < count // 2:
        text = rng.choice(sources)
        start = rng.randrange(len(text))
        made.append(text[start : start + rng.randint(1, 400)])
    while len(made) < count:
        low, high = rng.choice(RANGES)
        parts: list[str] = []
        for _ in range(rng.randint(1, 40)):
            if rng.random() < 0.25:
                low, high = rng.choice(RANGES)
            character = chr(rng.randint(low, high))
            # Whether a character that is not yet given out is a letter depends on the year of the tables.
            parts.append(character if unicodedata.category(character) != "Cn" else rng.choice(MARKUP))
            if rng.random() < 0.1:
                parts.append(rng.choice(MARKUP))
        made.append("".join(parts))
    return made
