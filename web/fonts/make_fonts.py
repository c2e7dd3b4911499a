"""Make the lab's two fonts from the npm packages: Latin only, weights 400 to 600, no hints.

Run by hand when the packages change, in an environment with fonttools and brotli:
``python web/fonts/make_fonts.py``. The results lie beside this file, so that a build needs neither.
The serif is a modified Source Serif 4 and may not bear its reserved name: it is called Lab Serif.
"""

from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

HERE = Path(__file__).parent
PACKAGES = HERE.parent / "node_modules" / "@fontsource-variable"
FONTS = {
    "lab-serif": ("source-serif-4/files/source-serif-4-latin-wght-normal.woff2", "Lab Serif"),
    "lab-sans": ("inter/files/inter-latin-wght-normal.woff2", "Lab Sans"),
}
CHARACTERS = [
    *range(0x20, 0x7F), *range(0xA0, 0x100), 0x131, 0x152, 0x153, 0x2C6, 0x2DA, 0x2DC, 0x2009, 0x200B, 0x2010, 0x2011,
    0x2012, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2022, 0x2026, 0x202F, 0x2032, 0x2033,
    0x2039, 0x203A, 0x2044, 0x20AC, 0x2122, 0x2191, 0x2193, 0x2212,
]  # fmt: skip
FEATURES = ["kern", "liga", "calt", "tnum", "lnum", "pnum", "mark", "mkmk", "ccmp", "locl", "case", "sups"]

for name, (path, family) in FONTS.items():
    font = TTFont(PACKAGES / path)
    options = Options(layout_features=FEATURES, hinting=False, desubroutinize=True, name_IDs=[0, 1, 2, 4, 6, 13, 14])
    options.notdef_outline = True
    subset = Subsetter(options)
    subset.populate(unicodes=CHARACTERS)
    subset.subset(font)
    font = instantiateVariableFont(font, {"wght": (400, 400, 600)})
    for record in font["name"].names:
        if record.nameID in (1, 4):
            record.string = family
        elif record.nameID == 6:
            record.string = family.replace(" ", "")
    font.flavor = "woff2"
    target = HERE / f"{name}.woff2"
    font.save(target, reorderTables=True)
