"""The desk's side of the processes that run graphs; no LangGraph here."""
