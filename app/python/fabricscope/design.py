"""Designs as nested objects."""

from __future__ import annotations

import os
import pathlib
import shutil
import typing

from . import _core
from .errors import Finding, InputError, _made

Scalar = typing.Union[None, bool, int, float, str]
"""A value of a field; quantities are texts with their unit: "100 GB/s"."""


def _joined(path: str, step: object) -> str:
    return f"{path}.{step}" if path else str(step)


class Section:
    """A part of a design: a map (fields by attribute or key) or a list (items by number).

    Reading gives sections, and of fields what stands there: None, bool, int, float, or a text with its unit ("100 GB/s").
    Writing changes the text of the design and keeps its comments; what is wrong is told when the design is checked or used.
    """

    __slots__ = ("_document", "_path")
    _document: _core.Document
    _path: str

    def __init__(self, document: _core.Document, path: str) -> None:
        object.__setattr__(self, "_document", document)
        object.__setattr__(self, "_path", path)

    def _is_list(self) -> bool:
        return self._document.kind(self._path) == "sequence"

    def _step(self, key: object) -> str:
        """The path of a field or an item. Numbers from the end count back."""
        if isinstance(key, bool) or not isinstance(key, (int, str)):
            raise TypeError(f"a field is a str, an item an int, not {type(key).__name__}")
        if not isinstance(key, int):
            return _joined(self._path, key)
        if not self._is_list():
            raise TypeError(f"{self._path or 'the design'} is no list")
        number = key + len(self) if key < 0 else key
        if not 0 <= number < len(self):
            raise IndexError(f"{self._path} has {len(self)} items, no number {key}")
        return _joined(self._path, number)

    def _read(self, path: str) -> typing.Any:
        if self._document.kind(path) == "value":
            return self._document.value(path)
        return Section(self._document, path)

    def __getitem__(self, key: int | str) -> typing.Any:
        path = self._step(key)
        if not self._document.has(path):
            raise KeyError(f"{path} is not in the design")
        return self._read(path)

    def __setitem__(self, key: int | str, value: object) -> None:
        self._document.set(self._step(key), _plain(value))

    def __delitem__(self, key: int | str) -> None:
        path = self._step(key)
        if not self._document.has(path):
            raise KeyError(f"{path} is not in the design")
        self._document.remove(path)

    def __getattr__(self, name: str) -> typing.Any:
        path = _joined(self._path, name)
        if name.startswith("_") or not self._document.has(path):
            raise AttributeError(f"{path} is not in the design")
        return self._read(path)

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __len__(self) -> int:
        return self._document.length(self._path)

    def __iter__(self) -> typing.Iterator[typing.Any]:
        """Keys of a map, items of a list."""
        if self._is_list():
            return (self[number] for number in range(len(self)))
        return iter(self._document.keys(self._path))

    def __contains__(self, key: object) -> bool:
        if self._is_list():
            return any(item == key for item in self)
        return key in self._document.keys(self._path)

    def __dir__(self) -> list[str]:
        own = list(super().__dir__())
        return own if self._is_list() else own + self._document.keys(self._path)

    def __eq__(self, other: object) -> bool:
        return bool(self.to_python() == _plain(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._path or 'design'}: {self.to_python()!r}>"

    def keys(self) -> list[str]:
        """Names of the fields of a map."""
        return self._document.keys(self._path)

    def append(self, value: object) -> None:
        """Adds an item at the end of a list."""
        if not self._is_list():
            raise TypeError(f"{self._path or 'the design'} is no list")
        self._document.insert(_joined(self._path, len(self)), _plain(value))

    def to_python(self) -> typing.Any:
        """A copy as dict, list and plain values."""
        return self._document.value(self._path)


def _plain(value: object) -> typing.Any:
    """Sections as dict and list, also inside of those; numbers of numpy as those of Python."""
    if isinstance(value, Section):
        return value.to_python()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return value


class Design(Section):
    """A design: platform, workload and what else a simulation needs (manual: design).

    Fields are attributes and items, nested as in the file::

        design = fabricscope.load("pod.yaml")
        design.platform.dimensions[0].bandwidth = "200 GB/s"
        design["platform.dimensions.0.latency"] = "1 us"       # a path, as --set has it

    Make one with `fabricscope.load`, `fabricscope.example` or `Design(text)`.
    """

    __slots__ = ()

    def __init__(self, text: str, file: str | os.PathLike[str] = "", *, check: bool = True) -> None:
        """A design of a YAML text. `file`: where it stands, for errors and for relative paths in it; `check`: refuse one with errors."""
        self._take(_core.Document(text, os.fspath(file)), check)

    def _take(self, document: _core.Document, check: bool) -> None:
        if check:
            document.check()
        super().__init__(document, "")

    @classmethod
    def _of(cls, document: _core.Document, check: bool = False) -> Design:
        design = cls.__new__(cls)
        design._take(document, check)
        return design

    @property
    def file(self) -> str:
        """Where it was read from; empty: nowhere."""
        return self._document.file

    def set(self, path: str, value: object) -> Design:
        """Sets the field at a path, as `--set PATH=VALUE` does, and returns the design."""
        self[path] = value
        return self

    def get(self, path: str, default: object = None) -> typing.Any:
        """The section or value at a path; `default` where there is none."""
        return self[path] if self._document.has(path) else default

    def copy(self) -> Design:
        """Another design with the same text, to be changed alone."""
        return Design._of(self._document.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Design:
        return self.copy()

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return _unpickled, (self.to_yaml(), self.file)

    def check(self) -> list[Finding]:
        """Refuses a design with errors (InputError, `findings`: all of them); the warnings and notes of one without."""
        self._document.check()
        return self.findings()

    def findings(self) -> list[Finding]:
        """All that is noticed: errors, warnings, notes."""
        return [Finding(**found) for found in self._document.findings()]

    def to_yaml(self) -> str:
        """The text, with comments."""
        return self._document.text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text into a file, as a whole or not at all. Paths in it are those of the design, relative to its folder. Raises OutputError."""
        try:
            _write_whole(pathlib.Path(path), self.to_yaml())
        except OSError as error:
            raise _made({"code": 5, "file": os.fspath(path), "message": f"cannot be written: {error.strerror}"}) from error


def _write_whole(path: pathlib.Path, text: str) -> None:
    """A file is there as it was or as it shall be; a device just takes the text."""
    target = pathlib.Path(os.path.realpath(path))  # What a link leads to.
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        if target.exists():
            with open(target, "r+b"):  # Refused where the file itself is read-only.
                shutil.copymode(target, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _unpickled(text: str, file: str) -> Design:
    return Design(text, file, check=False)


def load(source: str | os.PathLike[str], *, check: bool = True) -> Design:
    """A design of a file, or of a text: a str with a line break.

    Errors are InputError with file, line, field and what was expected. `check=False` takes a design with errors, to mend it.
    """
    if isinstance(source, os.PathLike):
        return Design._of(_core.Document.read(os.fspath(source)), check)
    if not isinstance(source, str):
        raise TypeError(f"a design is loaded from a path or a text, not {type(source).__name__}")
    if "\n" in source:
        return Design(source, check=check)
    return Design._of(_core.Document.read(source), check)


def _document_of(design: object) -> _core.Document:
    """That of a design, a path or a text."""
    if isinstance(design, Design):
        return design._document
    if isinstance(design, (str, os.PathLike)):
        return load(design, check=False)._document
    raise TypeError(f"expected a Design, a path or a text, not {type(design).__name__}")


def _unsaved_references(design: Design) -> None:
    """A changed design that names files cannot be handed on as another file: they start at its folder."""
    names = design._document.files()
    if names:
        raise InputError(f"this design has changed and names files ({names[0]}): save() it beside them first, and load it")
