"""The errors of memory, named by who must act; they carry facts as attributes and never a person's text.

As a string each is English, for a model, a log or an operator; what a member must act on is also there as `said`.

MemoryFault
├── OperatorMustAct           the person who runs the server
│   ├── DamagedDatabase       a file SQLite refuses: restore a backup
│   ├── ClosedFolder          the file cannot be opened or written where it lies
│   ├── NewerSchema           the file was written by a later version: upgrade
│   ├── OlderSchema           opened for reading only; a start for writing brings it up to date
│   ├── MigrationFailed       nothing later was applied; the backup is named
│   └── StorageInTrouble      the disk or another program stands in the way just now: nothing was stored
│       └── StorageFull       free space
├── MemberMustAct             the person who asked
│   ├── UnknownId             no such fact, segment, message or turn
│   ├── NotSupported          (memory/ledger/support.py) the member's own words do not say that
│   └── BadImport             a line of an import that cannot be read
├── CompactionFailed          nobody: the window stays in the prompt and a later try may work
├── Unreadable                nobody: a row whose content is not what we write; it is set aside
├── ReaderInTheWay            nobody: forgotten, but not erased from the disk yet; try again
└── ModelFault                the model port's failures
    ├── ModelBusy             try again later (a minute's limit, overload, network)
    ├── ModelQuotaSpent       not before tomorrow
    │   └── CeilingReached        our own limit on spending, before the call was made
    ├── ModelMisconfigured    key or model name: the operator must fix it
    ├── ModelRefused          the request as such was refused
    │   └── PromptTooLong     compact, then try again
    └── ModelSilent           nothing usable came: blank, blocked, cut off
"""

from pathlib import Path

from memory.catalogue import N_, _


class MemoryFault(Exception):
    """Root of everything this layer raises on purpose."""


class OperatorMustAct(MemoryFault):
    """Only the person who runs the server can mend this."""


class DamagedDatabase(OperatorMustAct):
    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(
            f"the database {path} is damaged ({detail}); it was left as it is: stop the server and bring a backup back "
            "with `remembrancer restore FILE` (the folder 'backups' may hold one); what is there is kept"
        )
        self.path = path


class ClosedFolder(OperatorMustAct):
    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(
            f"the database {path} cannot be used where it is ({detail}): its folder must be writable, also for reading"
        )
        self.path = path


class NewerSchema(OperatorMustAct):
    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            f"{path} was written by a newer Remembrancer (schema {found}, this one knows {known}); install that version"
        )
        self.path = path
        self.found = found
        self.known = known


class OlderSchema(OperatorMustAct):
    """A file opened for reading only that a newer program must bring up to date first; nothing is wrong with it."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is of an earlier version and reading changes no file: start the server or a chat once, that "
            "brings it up to date"
        )
        self.path = path


class MigrationFailed(OperatorMustAct):
    def __init__(self, path: Path, version: int, backup: Path | None, detail: str) -> None:
        kept = f"; the file as it was is {backup}" if backup else ""
        super().__init__(f"migration {version} of {path} failed ({detail}); nothing of it was applied{kept}")
        self.path = path
        self.version = version
        self.backup = backup


class StorageInTrouble(OperatorMustAct):
    """The file is locked by another program, or its disk fails: nothing was stored now, a later try may work."""

    def __init__(self, path: Path, trouble: str, *, advice: str) -> None:
        super().__init__(f"{trouble} {path}; nothing was stored: {advice}")
        self.path = path


class StorageFull(StorageInTrouble):
    def __init__(self, path: Path) -> None:
        super().__init__(path, "no space left to write", advice="free some space")


class MemberMustAct(MemoryFault):
    """The person who asked can put this right. The text is one of the catalogue's, the places are filled into it."""

    def __init__(self, text: str, **places: object) -> None:
        super().__init__(text.format(**places) if places else text)
        self._text = text
        self._places = places

    @property
    def said(self) -> str:
        """The text in the language that is spoken now."""
        text = _(self._text)
        return text.format(**self._places) if self._places else text


class UnknownId(MemberMustAct):
    def __init__(self, ref: str) -> None:
        super().__init__(N_("there is no {ref} in this memory"), ref=ref)
        self.ref = ref


class BadImport(MemberMustAct):
    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


class CompactionFailed(MemoryFault):
    """The window stayed in the prompt; nothing was lost and a later try may work. The reason holds no text of it."""


class Unreadable(MemoryFault):
    """A row holds what nobody here writes (a damaged file, another version). It is named, its content is not shown."""


class ReaderInTheWay(MemoryFault):
    """Somebody reads the file, so its write-ahead log still holds what was forgotten; a later try will empty it."""


class ModelFault(MemoryFault):
    """The model gave no answer. `detail` is technical and holds no person's text, key or token."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or type(self).__name__)
        self.detail = detail


class ModelBusy(ModelFault):
    """Overload, a minute's limit, a dead network or a missed deadline; `retry_after_s` when the server said so."""

    def __init__(self, detail: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class ModelQuotaSpent(ModelFault):
    """The day's quota is used up: trying again before it resets is useless."""


class CeilingReached(ModelQuotaSpent):
    """The call was not made: it would cost more than may be spent on this work today."""


class ModelMisconfigured(ModelFault):
    """A wrong key, a model that is gone, a forbidden region: the operator must change the settings."""


class ModelRefused(ModelFault):
    """The request itself was refused (HTTP 400): repeating it unchanged is useless."""


class PromptTooLong(ModelRefused):
    """The request holds more tokens than the model takes."""


class ModelSilent(ModelFault):
    """The model finished without usable words. `reason` is the finish or block reason, in lower case."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason
