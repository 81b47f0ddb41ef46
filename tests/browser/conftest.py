"""One JupyterLab for all browser tests, and one page for each."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.lab import CHROMIUM_FLAGS, Lab, Notebook, find_chromium, running_lab


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        # A machine of a person may have none; where the tests decide about a change, none is a failure.
        reason = "no Chromium on this machine: install it (Debian: apt-get install chromium) or set CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    root, home = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    with running_lab(root, home) as lab:
        yield lab


@pytest.fixture
def notebook(chromium: Browser, lab: Lab) -> Iterator[Notebook]:
    """A page for one notebook; at the end nothing went wrong on it and nothing was fetched from outside."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    opened = Notebook(context.new_page(), lab)
    yield opened
    context.close()
    assert opened.page_errors == []
    assert opened.outside_requests == []
