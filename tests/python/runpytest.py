#!/usr/bin/python3
"""Runs the tests of the package for Python and prints them as QtTest does, so that packaging/test counts them: runpytest.py FILE"""

import importlib.util
import os
import sys


class Lines:
    """A line for each test function: PASS, FAIL! or SKIP."""

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.outcome == "passed":
            return
        word = {"passed": "PASS   ", "failed": "FAIL!  ", "skipped": "SKIP   "}[report.outcome]
        why = f" {report.longrepr[2]}" if report.outcome == "skipped" else ""
        print(f"\n{word}: {report.nodeid}{why}", flush=True)


def main():
    name = os.path.basename(sys.argv[1])
    for module in ("pytest", "numpy", "pandas"):
        if importlib.util.find_spec(module) is None:
            print(f"SKIP   : {name} python3-{module} is not installed")
            return 0
    import pytest

    return int(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", os.path.dirname(sys.argv[1]), sys.argv[1]], plugins=[Lines()]))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
