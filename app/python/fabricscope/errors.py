"""What can go wrong: exceptions that carry the place, as errors of the command line do."""

from __future__ import annotations

import operator
import typing


class Finding(typing.NamedTuple):
    """One thing that was noticed in an input."""

    severity: str
    """"note", "warning" or "error"."""
    rule: str
    """Short and stable, for filters: "design-field"."""
    message: str
    file: str | None
    line: int | None
    """Counted from 1; None where it is not known."""
    column: int | None
    field: str | None
    """"platform.dimensions[0].bandwidth"."""
    expected: str | None


class FabricscopeError(Exception):
    """A failure with its place. What is not known is None."""

    def __init__(self, text: str, facts: dict[str, typing.Any] | None = None) -> None:
        super().__init__(text)
        facts = facts or {}
        self.code: int = facts.get("code", 2)
        """Exit code of the command line: 2 refused, 3 cannot finish, 4 cancelled, 5 not writable, 6 no memory, 70 a bug."""
        self.message: str = facts.get("message", text)
        self.file: str | None = facts.get("file")
        self.line: int | None = facts.get("line")
        """Counted from 1."""
        self.column: int | None = facts.get("column")
        self.field: str | None = facts.get("field")
        self.expected: str | None = facts.get("expected")
        """What should have been there instead."""
        self.offset: int | None = facts.get("offset")
        """Bytes into a binary file."""
        self.rank: int | None = facts.get("rank")
        self.findings: list[Finding] = [Finding(**found) for found in facts.get("findings", ())]
        """All errors, where several were found."""


class InputError(FabricscopeError, ValueError):
    """A file, a field or an argument is refused (exit code 2)."""


class StuckError(FabricscopeError):
    """The simulation cannot finish: ranks wait for each other (exit code 3). `result` is the run as far as it came."""

    result: typing.Any = None


class CancelledError(FabricscopeError):
    """The work was told to stop (exit code 4)."""


class OutputError(FabricscopeError, OSError):
    """An output cannot be written (exit code 5)."""


class MemoryLimitError(FabricscopeError, MemoryError):
    """There is not enough memory, or the limit is reached (exit code 6)."""


class InternalError(FabricscopeError):
    """A bug of Fabricscope, please report it (exit code 70)."""


_BY_CODE: dict[int, type[FabricscopeError]] = {
    2: InputError, 3: StuckError, 4: CancelledError, 5: OutputError, 6: MemoryLimitError, 70: InternalError}


def _made(facts: dict[str, typing.Any]) -> FabricscopeError:
    """The exception for what the compiled part or a command says of a failure."""
    return _BY_CODE.get(facts["code"], FabricscopeError)(facts.get("text") or _text(facts), facts)


def _text(facts: dict[str, typing.Any]) -> str:
    """"FILE:LINE, field FIELD: MESSAGE (expected EXPECTED)"."""
    place = ":".join(str(part) for part in (facts.get("file"), facts.get("line")) if part is not None)
    if facts.get("field"):
        place += (", field " if place else "field ") + facts["field"]
    expected = f" (expected {facts['expected']})" if facts.get("expected") else ""
    return f"{place}: {facts['message']}{expected}" if place else f"{facts['message']}{expected}"


def _whole_number(name: str, value: object, most: int) -> int:
    """The argument, a whole number up to `most`; the compiled part would name none that is wrong."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}")
    number = operator.index(value)  # Of numpy, too.
    if not 0 <= number <= most:
        raise _made({"code": 2, "field": name, "message": f"{number} is out of range", "expected": f"0 to {most}"})
    return number
