"""The page in a real browser, without a window: on a phone and on a wide screen, light and dark."""

import os
import re
import shutil

import pytest
from dlferry._doctor import page
from doctor_reports import some

pytest.importorskip("playwright", reason="the page is looked at by `make doctor-page`")
BROWSER = os.environ.get("BROWSER_EXECUTABLE") or next(
    filter(
        None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
    ),
    None,
)
if BROWSER is None:
    pytest.skip("SKIPPED: no Chromium is installed", allow_module_level=True)

SCREENS = [(390, 844, "light"), (390, 844, "dark"), (1400, 900, "light"), (1400, 900, "dark")]
# The ratio of the lightnesses of text and of what it stands on, as WCAG 2 defines it.
CONTRASTS = """
() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const linear = (v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.slice(0, 3).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const rgb = channels(getComputedStyle(node).backgroundColor);
      if (rgb.length === 3 || rgb[3] > 0) return rgb;
    }
    return [255, 255, 255];
  };
  const found = {};
  for (const node of document.querySelectorAll(".cell, .chip, .dim, .mark, .said, td, th, li, h1, p")) {
    const [one, other] = [light(channels(getComputedStyle(node).color)), light(ground(node))];
    found[node.className || node.tagName] = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A container's root has no sandbox to offer; the page is our own.
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[2]}")
def shown(request, browser, tmp_path):
    """The page, open; any error of it, any request and any dialog fails the test."""
    width, height, scheme = request.param
    path = tmp_path / "page.html"
    path.write_text(page.page_of(some()), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    tab = context.new_page()
    faults = []
    tab.on("console", lambda message: faults.append(message.text))
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("dialog", lambda dialog: faults.append(dialog.message))
    tab.on("request", lambda asked: faults.append(asked.url) if asked.url != path.as_uri() else None)
    tab.goto(path.as_uri())
    yield tab
    context.close()
    assert faults == []


def test_page_is_as_wide_as_the_screen(shown):
    width = shown.viewport_size["width"]
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    shown.locator(".cell").first.click()
    assert shown.locator(":popover-open").bounding_box()["width"] <= width


def test_text_stands_out_from_its_ground(shown):
    low = {name: round(ratio, 2) for name, ratio in shown.evaluate(CONTRASTS).items() if ratio < 4.5}
    assert low == {}


def test_cells_are_large_enough_for_a_finger(shown):
    boxes = [cell.bounding_box() for cell in shown.locator(".cell").all()[:9]]
    assert min(box["height"] for box in boxes) >= 44
    assert min(box["width"] for box in boxes) >= 44


def test_cell_opens_and_closes_by_keyboard(shown):
    cell = shown.locator(".cell").nth(4)
    cell.focus()
    shown.keyboard.press("Enter")
    opened = shown.locator(":popover-open")
    assert opened.get_attribute("id") == cell.get_attribute("popovertarget")
    assert opened.evaluate("node => node.contains(document.activeElement)")
    shown.keyboard.press("Escape")
    assert shown.locator(":popover-open").count() == 0
    assert cell.evaluate("node => node === document.activeElement")


def test_details_close_by_their_button_and_have_a_name(shown):
    shown.locator(".cell").first.click()
    opened = shown.get_by_role("dialog")
    assert shown.locator(f"#{opened.get_attribute('aria-labelledby')}").inner_text() == "dlferry → dlferry"
    opened.get_by_role("button", name="Close").click()
    assert shown.locator(":popover-open").count() == 0


def test_list_sorts_by_time_and_back(shown):
    header = shown.locator(".list thead th", has_text="Time")
    keys = "[...document.querySelectorAll('.list tbody .time')].map((cell) => cell.dataset.key)"
    for direction, reverse in (("ascending", False), ("descending", True)):
        header.get_by_role("button").click()
        assert header.get_attribute("aria-sort") == direction
        found = shown.evaluate(keys)
        times = [float(key) for key in found if key]
        assert times == sorted(times, reverse=reverse)
        assert found[len(times) :] == [""] * (len(found) - len(times))


def test_table_sorts_by_a_column(shown):
    header = shown.locator(".matrix thead th").nth(3)
    header.get_by_role("button").click()
    keys = shown.evaluate(
        "[...document.querySelectorAll('.matrix tbody tr')].map((row) => row.children[3].dataset.key)"
    )
    times = [float(key) for key in keys if key]
    assert times == sorted(times)
    assert times


def test_filter_leaves_what_fits(shown):
    shown.get_by_role("searchbox").fill("REFUSED memoryview")
    rows = [row for row in shown.locator(".list tbody tr").all() if row.is_visible()]
    words = [re.sub(r"\s+", " ", row.text_content() or "") for row in rows]
    assert rows
    assert all("refused" in row and "memoryview" in row for row in words)
    assert shown.locator("#shown").inner_text() == f"{len(rows)} shown"


def test_page_reads_well_without_scripts(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page.page_of(some()), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    tab = context.new_page()
    tab.goto(path.as_uri())
    assert not tab.get_by_role("searchbox").is_visible()
    tab.locator(".cell").first.click()
    assert tab.locator("#pair-0").is_visible()
    context.close()
