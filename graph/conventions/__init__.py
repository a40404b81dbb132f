"""Ways of asking: each recognises its questions, lists their operations, builds and checks answers."""

from .base import AskContext, Convention
from .registry import CONVENTIONS, named, recognise

__all__ = ["CONVENTIONS", "AskContext", "Convention", "named", "recognise"]
