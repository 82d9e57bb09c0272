"""Which tests belong to one worker of pytest-xdist: those that look at the same processes, which a worker runs once."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep together the tests of a library, and the others of a file; each chain is a test of its own."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        named = {} if parameters is None else parameters.params
        if "first" not in named:
            item.add_marker(pytest.mark.xdist_group(named.get("library", item.path.stem)))
