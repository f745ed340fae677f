#!/usr/bin/env python3
"""Opens every page of the built site in Chromium.
usage: browser.py SITE_DIR

Each page is shown as wide as a desktop, 1280x800, and as a phone, 390x844; half of the pages are loaded by the phone
and then widened. On each:

  - the console has no error, and no picture is missing
  - every request goes to the server of this test
  - no page is wider than the window

Then the search finds a word.
"""

import concurrent.futures
import functools
import http.server
import json
import pathlib
import sys
import threading
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
WORD = "wgmma"
SEARCH = "?search"
SEARCH_SECONDS = 20
SLIDE_TRIES = 10
BROWSERS = 2  # at a time
PAGE_STATE = """
// A phone's window grows with a page that is too wide: the device's width, arguments[0], counts.
const root = document.documentElement;
const broken = [...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src);
let widest = '';
if (root.scrollWidth > arguments[0]) {
  for (const element of document.body.querySelectorAll('*')) {
    if (element.getBoundingClientRect().right > arguments[0] + 1) {
      widest = element.tagName + ' ' + element.className + ': ' + (element.textContent || '').trim().slice(0, 60);
      break;
    }
  }
}
return {width: root.scrollWidth, broken: broken, widest: widest};
"""


class Files(http.server.SimpleHTTPRequestHandler):
    """The site's files. Each page makes the search's index anew, which takes as long as all the rest of it: pages that
    do not search, whose address has no `?search`, get an index of one entry."""

    def do_GET(self):
        referer = self.headers.get("Referer", "")
        if not self.path.endswith("/search_index.json") or referer.endswith(SEARCH):
            super().do_GET()
            return
        index = json.loads(pathlib.Path(self.translate_path(self.path)).read_text(encoding="utf-8"))
        content = json.dumps({**index, "docs": index["docs"][:1]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def serve(folder):
    """The address of a server of the folder's files."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def open_browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
                 "--hide-scrollbars", "--no-proxy-server"):
        options.add_argument(word)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Visit:
    """The browser, and what was wrong on the pages that it showed."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        self.violations, self.found = [], []
        self.requests = 0

    def resize(self, device):
        width, height = WIDTHS[device]
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": device == "phone"})

    def show(self, page, devices):
        """Loads the page on the first device and then shows it on the others."""
        for place, device in enumerate(devices):
            self.resize(device)
            if place == 0:
                self.browser.get(self.address + page)
            state = self.state(WIDTHS[device][0])
            for url in state["broken"]:
                self.report(page, device, f"the picture {url} is not there")
            if state["width"] > WIDTHS[device][0]:
                self.report(page, device, f"the page is {state['width']} pixels wide, the window "
                                          f"{WIDTHS[device][0]}: {state['widest']}")
        self.read_logs(page)

    def state(self, width):
        """What PAGE_STATE finds. Parts of a page that slide into their places after a change of the width are waited
        for."""
        for _ in range(SLIDE_TRIES):
            state = self.browser.execute_script(PAGE_STATE, width)
            if state["width"] <= width:
                break
            time.sleep(0.2)
        return state

    def report(self, page, device, message):
        self.violations.append(f"{page} ({device}): {message}")

    def read_logs(self, page):
        for entry in self.browser.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self.report(page, "console", entry["message"])
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests += 1
                url = message["params"]["request"]["url"]
                if not url.startswith((self.address, "data:", "blob:")):
                    self.report(page, "network", f"asks for {url}")

    def search(self, word):
        """Types the word into the search, as a reader does; `found` are the titles that it gives."""
        self.resize("desktop")
        self.browser.get(self.address + SEARCH)
        field = self.browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
        field.click()
        field.send_keys(word)
        end = time.monotonic() + SEARCH_SECONDS
        while not self.found and time.monotonic() < end:
            time.sleep(0.1)
            items = self.browser.find_elements(By.CSS_SELECTOR, ".md-search-result__item h1")
            self.found = [item.text for item in items]
        field.send_keys(Keys.ESCAPE)
        self.read_logs("search")
        if not self.found:
            self.report("search", "desktop", f"nothing is found for '{word}'")


def visit_pages(address, pages, word):
    """Shows the pages in a browser of their own, and then searches for the word, if there is one."""
    browser = open_browser()
    try:
        visit = Visit(browser, address)
        for number, page in enumerate(pages):
            visit.show(page, list(WIDTHS) if number % 2 else list(WIDTHS)[::-1])
        if word:
            visit.search(word)
        return visit
    finally:
        browser.quit()


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1], "index.html").is_file():
        sys.exit("usage: browser.py SITE_DIR; there is no site in that folder, ci/site builds one")
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = sorted(file.relative_to(folder).as_posix().removesuffix("index.html") for file in folder.rglob("*.html")
                   if file.name != "404.html")
    address = serve(folder)
    shares = [pages[first::BROWSERS] for first in range(BROWSERS)]
    with concurrent.futures.ThreadPoolExecutor(BROWSERS) as pool:
        visits = list(pool.map(functools.partial(visit_pages, address), shares, [WORD] + [None] * (BROWSERS - 1)))
    violations = [violation for visit in visits for violation in visit.violations]
    if violations:
        sys.exit("\n".join(violations))
    requests = sum(visit.requests for visit in visits)
    print(f"{len(pages)} pages on {' and '.join(WIDTHS)}: no error, {requests} requests, none to another host; the "
          f"search finds '{WORD}' on {len(visits[0].found)} pages")


if __name__ == "__main__":
    main()
