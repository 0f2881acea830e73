"""The picture of a report in the READMEs: the top of the page that the README's code writes.

It is drawn by a browser, whose fonts differ between machines: the tests compare what it says, which
the file has as its description.

Usage: python -m tools.report_picture
"""

import contextlib
import io
import re
import tempfile
from pathlib import Path
from unittest.mock import patch

from tests.helpers.browser import find_browser
from tools.pictures import FOLDER

README = FOLDER.parents[1] / "README.md"
PICTURE = FOLDER / "report.png"
DESCRIPTION = "Description"  # PNG's name for what a picture shows
_WIDTH = 1000  # pixels, as wide as the page has its widest text
_DATE = "1767225600"  # 2026-01-01, in seconds since 1970: the same page on every day
_SHOWN = "header, .facts, .samples, .short"  # down to the answers to the common questions
_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def report() -> str:
    """Return the report that the README's code writes, a page of HTML."""
    blocks = _BLOCK.findall(README.read_text())
    [last] = [number for number, code in enumerate(blocks) if "mm.report(" in code]
    names: dict[str, object] = {"__name__": "__main__"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        patch.dict("os.environ", SOURCE_DATE_EPOCH=_DATE),
    ):
        for code in blocks[: last + 1]:
            exec(code, names)
        return Path("report.html").read_text()


def picture() -> tuple[bytes, str]:
    """Return the top of the report as a PNG, and the text that it shows."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # Without its own sandbox, which root cannot have; the page is our own.
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDTH, "height": 900}, color_scheme="light")
        page.set_content(report())
        shown = page.locator(_SHOWN).all()
        boxes = [box for box in (part.bounding_box() for part in shown) if box]
        height = max(box["y"] + box["height"] for box in boxes) + 24
        clip = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
        drawn = page.screenshot(clip=clip, full_page=True)
        text = "\n".join(part.inner_text() for part in shown)
        browser.close()
    return drawn, " ".join(text.split())


def write() -> None:
    """Write the picture with its description, in few colours."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    drawn, text = picture()
    described = PngInfo()
    described.add_itxt(DESCRIPTION, text)
    colours = Image.open(io.BytesIO(drawn)).convert("RGB").quantize(64)
    colours.save(PICTURE, pnginfo=described, optimize=True)


if __name__ == "__main__":
    write()
