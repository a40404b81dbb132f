"""What a tool is: a name, a grade, parameters, what it does, and how to find out whether it was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent_lab_tui.store.lab.outbox import Outbox

from ...gate import Evidence
from ..mail_client import MailClient
from ..workspace import Workspace
from .folder import Folder, ToolFailed
from .grades import Grade

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """Where one call works, and with what."""

    lab: Workspace
    folder: Folder
    variables: Mapping[str, str]
    """The environment of the tools, from the checkpoint; nothing of the process's own."""
    key: str

    @property
    def outbox(self) -> Outbox:
        """The mails the lab was allowed to send."""
        return Outbox(self.lab.database)

    @property
    def mail(self) -> MailClient:
        """The way to the mail service, without its token."""
        return MailClient(self.lab.root / "mail")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool says, and the files it made or changed."""

    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the builder."""

    name: str
    grade: Grade
    about: str
    parameters: Mapping[str, str]
    """Name and meaning of each; all are texts, and all are needed."""
    do: Callable[[Bench, Arguments], Outcome]
    mend: str = ""
    """How a call is kept from being done twice, where that needs anything."""
    verify: Callable[[Bench, Arguments], Evidence] | None = None
    """Asks the world whether it was done; None where there is nothing to find out."""
    taken_as_done: Callable[[Bench], None] | None = None
    """Writes into the tool's own records that a person took it as done."""
    impact: Callable[[Bench, Arguments], str] | None = None
    """Says what a yes does to the world."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        properties = {
            name: {"type": "string", "description": about} for name, about in self.parameters.items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": list(self.parameters),
            "additionalProperties": False,
        }

    def problem(self, arguments: Arguments) -> str | None:
        """Say what is wrong with arguments, None when they will do."""
        for name in self.parameters:
            if not isinstance(arguments.get(name), str):
                return f"{self.name} needs {name} as a text"
        unknown = sorted(set(arguments) - set(self.parameters))
        return f"{self.name} does not know {', '.join(unknown)}" if unknown else None

    def checked(self, arguments: Arguments) -> Arguments:
        """Return arguments that fit.

        Raises:
            ToolFailed: They do not.
        """
        if problem := self.problem(arguments):
            raise ToolFailed(problem)
        return arguments
