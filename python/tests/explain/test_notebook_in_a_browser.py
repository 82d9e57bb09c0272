"""What a notebook shows of a report, in a real browser: within the style that notebooks have for tables."""

import os
import shutil

import dlferry
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the page is looked at by `make doctor-page`")
BROWSER = os.environ.get("BROWSER_EXECUTABLE") or next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
if BROWSER is None:
    pytest.skip("SKIPPED: no Chromium is installed", allow_module_level=True)

# As JupyterLab and nbconvert have it.
NOTEBOOK = """
.out table{border-collapse:collapse;border:none;font-size:12px;table-layout:fixed;margin:1em auto}
.out td,.out th,.out tr{text-align:right;vertical-align:middle;padding:.5em;line-height:normal;white-space:normal;
max-width:none;border:none}
.out th{font-weight:bold}
.out tbody tr:nth-child(odd){background:#f5f5f5}
"""
# Of each row: how its cells are aligned, and whether one lies over the other.
ROWS = """
() => [...document.querySelectorAll(".dlferry-report tr")].map((row) => {
  const [name, words] = row.children, [a, b] = [name, words].map((cell) => cell.getBoundingClientRect());
  const inner = document.createRange();
  inner.selectNodeContents(name);
  const text = inner.getBoundingClientRect();
  return [getComputedStyle(name).textAlign, getComputedStyle(words).textAlign,
          text.right > b.left + 1 && text.bottom > b.top + 1 && b.right > text.left + 1 && b.bottom > text.top + 1];
})
"""


@pytest.mark.parametrize("width", [390, 900, 1400])
def test_names_and_what_is_said_of_them_stand_apart(width):
    report = dlferry.explain(dlferry.from_buffer(bytes(24)).view("float32").reshape(2, 3)[:, ::-1], to=())
    page = f"<style>{NOTEBOOK}</style><div class='out'>{report._repr_html_()}</div>"
    with playwright.sync_playwright() as started:
        # A container's root has no sandbox to offer; the page is our own.
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": width, "height": 800})
        shown.set_content(page)
        rows = shown.evaluate(ROWS)
        wide = shown.evaluate("() => document.documentElement.scrollWidth")
        browser.close()
    assert len(rows) > 4
    assert {(name, words) for name, words, _ in rows} == {("left", "left")}
    assert not any(over for _, _, over in rows)
    assert wide <= width
