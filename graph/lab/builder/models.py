"""The model behind a run: scripted by default, or any chat model of LangChain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ..registry import LabRefused, LabUsage
from ..workspace import Workspace
from .run import Call
from .script import SCRIPTS, ScriptedModel
from .toolbox import declared

SCRIPTED = "scripted"


class Model(Protocol):
    """What the builder needs of a model."""

    def reply(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the next reply, with the tokens it used."""

    def explain(self, call: Call, reason: str, question: str) -> AIMessage:
        """Say more about a call that a person has a question about; nothing is run."""


class ChatModel:
    """Any chat model of LangChain, with the builder's tools."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model
        self._with_tools = model.bind_tools(declared())

    def reply(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Ask the model."""
        return _reply(self._with_tools.invoke(list(messages)))

    def explain(self, call: Call, reason: str, question: str) -> AIMessage:
        """Ask the model in words, without its tools."""
        asked = (
            f"You want to call {call['name']} with {call['args']}. You said: {reason or '(nothing)'}\n"
            f"A person has to approve it and asks: {question}\nAnswer them in a few sentences."
        )
        return _reply(self._model.invoke([HumanMessage(asked)]))


def _reply(message: Any) -> AIMessage:
    if not isinstance(message, AIMessage):
        raise TypeError(f"the model answered with a {type(message).__name__}, not with an AI message")
    return message


def model_of(name: str, lab: Workspace, run_id: str, project: str) -> Model:
    """Return the model of a run by its name: `scripted`, `scripted:NAME`, or `provider:model`.

    Raises:
        LabUsage: There is no such script.
        LabRefused: LangChain or the provider's package is not installed, or the provider has no key.
    """
    kind, _, rest = name.partition(":")
    if kind == SCRIPTED:
        script = rest or project
        if script not in SCRIPTS:
            raise LabUsage(f"There is no script {script!r}; there are {', '.join(SCRIPTS)}.")
        return ScriptedModel(SCRIPTS[script], lab.root / "provider" / f"{run_id}.json")
    try:
        from langchain.chat_models import init_chat_model

        return ChatModel(init_chat_model(name))
    except Exception as error:
        # Each provider's package has errors of its own for a missing key.
        why = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise LabRefused(f"The model {name!r} cannot be used: {why}") from error


ModelOf = Callable[[str, Workspace, str, str], Model]
"""Gives the model of a run by its name, its lab, its id and its project."""


def tokens_of(message: AIMessage) -> int:
    """Return how many tokens a reply used, 0 where its provider does not say."""
    usage = message.usage_metadata
    return usage["total_tokens"] if usage else 0
