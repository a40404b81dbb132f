"""An agent that asks with LangGraph's own response schemas: every kind of field that a form can have."""

from enum import Enum
from typing import Annotated, Any, Literal, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel, Field


class Tone(Enum):
    """How a letter sounds."""

    NEUTRAL = "neutral"
    FORMAL = "formal"
    WARM = "warm"


class Address(BaseModel):
    """Where it goes."""

    city: str
    floor: int | None = Field(None, description="Empty for a house.")


class ByPost(BaseModel):
    """Send it by post."""

    kind: Literal["post"]
    stamps: int = Field(1, ge=1, le=9)


class ByMail(BaseModel):
    """Send it by mail."""

    kind: Literal["mail"]
    to: str


class Page(BaseModel):
    """One page of a letter."""

    text: str
    copies: int = 1


class Letter(BaseModel):
    """What to do with the letter."""

    approved: bool = Field(description="Shall it be sent at all?")
    subject: str = Field(min_length=3, max_length=40)
    price: float = Field(gt=0, description="In euros, with postage.")
    tone: Tone | None = Field(None, description="How it sounds.")
    address: Address
    tags: list[str] = Field(default_factory=list, max_length=3)
    pages: list[Page] = []
    way: Annotated[ByPost | ByMail, Field(discriminator="kind")]
    extra: Any = None


class State(TypedDict, total=False):
    """What the agent knows."""

    asked: dict[str, Any]
    got: dict[str, Any]


def ask(state: State) -> State:
    """Ask about the letter."""
    answer = interrupt({"question": "What about this letter?", **state["asked"]}, response_schema=Letter)
    return {"got": answer.model_dump(mode="json")}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")
