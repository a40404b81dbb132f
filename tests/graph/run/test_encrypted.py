"""Encrypted checkpoints: decided with their key, refused without it, and nothing left in the clear."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.graph.deciding.desk_side import Deciding
from agent_lab_tui.graph.deciding.settling import Settling
from agent_lab_tui.graph.questions import Choice, Refused
from agent_lab_tui.graph.reading.reader import Reader
from agent_lab_tui.graph.settings.file import Settings
from agent_lab_tui.store.cipher import KEY, CannotDecrypt, decrypt, encrypt, use_key
from agent_lab_tui.store.files import open_database
from agent_lab_tui.store.journal.book import Journal
from agent_lab_tui.store.values.raw import Unreadable
from agent_lab_tui.tui import cli

pytest.importorskip("Crypto", reason="pycryptodome is not installed")

RIGHT, WRONG = "0123456789abcdef", "fedcba9876543210"

AGENT = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class State(TypedDict, total=False):
    said: object

def pay(state: State):
    return {"said": interrupt({"operation": "transfer", "arguments": {"to": "bob-in-secret"}})}

graph = StateGraph(State)
graph.add_node("pay", pay)
graph.add_edge(START, "pay")
"""
FORMS = Settings(answers={"*:pay": {"approve": {"pay": "with-secret-words"}, "reject": False}})


@pytest.fixture(autouse=True)
def no_key_of_a_project() -> Iterator[None]:
    """Forget afterwards which key the opened project named."""
    yield
    use_key(None)


@pytest.fixture
def al(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command; give its exit code, what it printed, what it said on standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.run(list(words))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A thread of an agent that encrypts what it keeps."""
    monkeypatch.setenv(KEY, RIGHT)
    (tmp_path / "agent.py").write_text(AGENT, "utf-8")
    spec = importlib.util.spec_from_file_location("agent", tmp_path / "agent.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with closing(sqlite3.connect(tmp_path / "agent.db", check_same_thread=False)) as conn:
        saver = SqliteSaver(conn, serde=EncryptedSerializer.from_pycryptodome_aes())
        graph = module.graph.compile(checkpointer=saver)
        for thread_id in ("t", "u"):
            graph.invoke({}, {"configurable": {"thread_id": thread_id}}, durability="sync")
    return tmp_path / "agent.db"


@pytest.fixture
def untouched(db: Path) -> Iterator[Path]:
    """The same, which must not be changed by a byte, nor get a journal."""
    before = db.read_bytes()
    yield db
    assert db.read_bytes() == before
    assert not db.with_name("agent.db.desk").exists()


def deciding_on(db: Path) -> tuple[Reader, Deciding]:
    journal = Journal(db)
    reader = Reader(open_database(str(db)), FORMS, journal)
    return reader, Deciding(reader, journal, FORMS, "ann", "ann")


def test_what_we_encrypt_langgraph_reads_and_the_other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, RIGHT)
    theirs = EncryptedSerializer.from_pycryptodome_aes()
    assert theirs.cipher.decrypt("aes", encrypt(b"to bob")) == b"to bob"
    assert decrypt(theirs.cipher.encrypt(b"to bob")[1]) == b"to bob"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (None, f"set {KEY} to the key"),
        ("short", "16, 24 or 32 bytes; this one has 5"),
        (WRONG, "another key"),
    ],
)
def test_without_the_right_key_the_cause_is_said(
    monkeypatch: pytest.MonkeyPatch, key: str | None, words: str
) -> None:
    monkeypatch.setenv(KEY, RIGHT)
    secret = encrypt(b"to bob")
    monkeypatch.setenv(KEY, key) if key else monkeypatch.delenv(KEY)
    with pytest.raises(CannotDecrypt, match=words):
        decrypt(secret)


@pytest.mark.parametrize(("key", "words"), [(None, KEY), (WRONG, "another key")])
def test_nothing_is_decided_without_the_right_key_and_not_a_byte_is_written(
    untouched: Path, monkeypatch: pytest.MonkeyPatch, key: str | None, words: str
) -> None:
    monkeypatch.setenv(KEY, key) if key else monkeypatch.delenv(KEY)
    reader, deciding = deciding_on(untouched)
    thread = reader.thread("t")
    (question,) = thread.questions
    assert isinstance(question.value, Unreadable)
    assert any("The state cannot be read: encrypted with aes" in warning for warning in thread.warnings)
    with pytest.raises(Refused, match=words):
        deciding.prepare(thread, values={question.id: "yes"})
    with pytest.raises(Refused, match=words):
        deciding.abandon(thread, "no key")


def test_with_its_key_a_thread_is_decided_and_stays_encrypted(db: Path, run: Callable[..., Any]) -> None:
    running = run("agent.py:graph", db, FORMS)
    thread = running.reader.thread("t")
    (question,) = thread.questions
    assert question.operations[0].arguments == {"to": "bob-in-secret"}
    running.deciding.record(running.deciding.prepare(thread, {question.id: [Choice("approve")]}))
    (outcome,) = running.carry_out("t")
    assert (outcome.state, outcome.error) == ("applied", None)
    assert running.reader.thread("t").values == {"said": {"pay": "with-secret-words"}}
    with closing(sqlite3.connect(db)) as conn:
        kinds = conn.execute("SELECT type FROM checkpoints UNION SELECT type FROM writes").fetchall()
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert all(kind.endswith("+aes") for (kind,) in kinds), kinds
    for path in db.parent.glob("agent.db*"):
        assert b"secret" not in path.read_bytes(), path


def test_what_the_journal_keeps_of_it_is_sealed_and_its_chain_can_be_checked_without_the_key(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, deciding = deciding_on(db)
    thread = reader.thread("t")
    note = Choice("reject", text="a reason that is secret")
    made = deciding.record(deciding.prepare(thread, {thread.questions[0].id: [note]}))
    assert deciding.withdraw(made, "withdrawn in secret").state == "withdrawn"
    (kept,) = Journal(db).decisions()
    assert kept.order.note == "a reason that is secret"
    assert kept.detail == "withdrawn in secret"
    for path in db.parent.glob("agent.db.desk*"):
        assert b"secret" not in path.read_bytes(), path
    monkeypatch.delenv(KEY)
    assert Journal(db).verify().is_whole


@pytest.mark.parametrize("key", [None, WRONG])
def test_sealed_decisions_spoil_no_list_and_are_named_in_one_sentence(
    db: Path, monkeypatch: pytest.MonkeyPatch, al: Callable[..., tuple[int, str, str]], key: str | None
) -> None:
    reader, deciding = deciding_on(db)
    thread = reader.thread("t")
    (question,) = thread.questions
    made = deciding.record(deciding.prepare(thread, {question.id: [Choice("approve")]}))
    monkeypatch.setenv(KEY, key) if key else monkeypatch.delenv(KEY)
    before = db.with_name("agent.db.desk").read_bytes()
    words = f"1 decision is sealed with a key that is not here ({made.decision_id[:8]} about t): set {KEY}"

    code, printed, said = al("list", "--json", "--db", str(db))
    assert code == 0
    assert {one["thread_id"]: one["situation"] for one in json.loads(printed)} == {
        "t": "decided",
        "u": "waiting",
    }
    assert said.startswith(words)

    code, printed, said = al("journal", "show", "--json", "--db", str(db))
    assert (code, said.startswith(words)) == (0, True)
    (shown,) = json.loads(printed)
    assert (shown["is_sealed"], shown["state"], shown["questions"]) == (True, "recorded", [question.id])
    code, printed, _ = al("journal", "export", "--db", str(db))
    assert (code, json.loads(printed)["body"].startswith("sealed ")) == (0, True)

    code, printed, _ = al("doctor", "--json", "--db", str(db))
    (found,) = [one for one in json.loads(printed) if one["finding"] == "decisions cannot be read"]
    assert found["evidence"] == words.partition(": ")[0]
    assert found["remedy"].startswith(f"set {KEY}")
    code, printed, _ = al("show", "t", "--db", str(db))
    assert (code, words in " ".join(printed.split())) == (0, True), printed
    code, printed, _ = al("show", "t", "--json", "--db", str(db))
    digest = json.loads(printed)["digest"]
    place = ("--db", str(db), "--graph", f"{db.parent}/agent.py:graph", "--seen", digest)
    for command in (("answer", "t", "--value", "1"), ("go-on", "t"), ("withdraw", made.decision_id)):
        code, _, said = al(*command, *(place if command[0] != "withdraw" else place[:2]))
        assert code == (2 if command[0] == "withdraw" else 4), (command, said)
        assert (said.count("\n"), f"set {KEY}" in said) == (1, True)
    (settled,) = Settling(reader, Journal(db)).settle_all()
    assert (settled.offers, settled.is_news) == ((), False)
    assert db.with_name("agent.db.desk").read_bytes() == before
    assert [one.state for one in Journal(db).decisions()] == ["recorded"]


def placed(db: Path, how: str, key: str) -> None:
    """Name a key where a project may have it."""
    graphs = {"graphs": {"agent": "./agent.py:graph"}}
    folder = db.parent
    text = f'db = "{db.name}"\n'
    if how == "mapping":
        graphs["env"] = {KEY: key}
    elif how == "file":
        graphs["env"] = "agent.env"
    elif how == "settings":
        text += f'[run]\nenv = {{ {KEY} = "{key}" }}\n'
    elif how == "settings-file":
        text += '[run]\nenv = "agent.env"\n'
    text += '[answers."*:pay"]\napprove = { pay = "with-secret-words" }\n'
    (folder / "agent.env").write_text(f"export {KEY}={key} # of the agent\n", "utf-8")
    (folder / "langgraph.json").write_text(json.dumps(graphs), "utf-8")
    (folder / "agent-lab.toml").write_text(text, "utf-8")


PLACES = ("mapping", "file", "settings", "settings-file")


@pytest.mark.slow
@pytest.mark.parametrize("how", PLACES)
def test_the_key_is_found_where_the_project_has_it(
    db: Path, monkeypatch: pytest.MonkeyPatch, al: Callable[..., tuple[int, str, str]], how: str
) -> None:
    monkeypatch.setenv(KEY, WRONG)  # the project's own wins, as it does where the graphs run
    monkeypatch.chdir(db.parent)
    placed(db, how, RIGHT)
    code, printed, said = al("show", "t", "--json")
    shown = json.loads(printed)
    assert (code, shown["questions"][0]["operations"][0]["arguments"]) == (0, {"to": "bob-in-secret"}), said
    code, printed, said = al("answer", "t", "--approve", "--seen", shown["digest"], "--json")
    assert (code, json.loads(printed)["outcome"]) == (0, "applied"), said
    code, printed, _ = al("show", "t", "--json")
    assert json.loads(printed)["values"] == {"said": {"pay": "with-secret-words"}}
    with closing(sqlite3.connect(db)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for path in db.parent.glob("agent.db*"):
        assert b"secret" not in path.read_bytes(), path


@pytest.mark.parametrize("how", PLACES)
def test_a_wrong_key_of_the_project_decides_nothing(
    untouched: Path, monkeypatch: pytest.MonkeyPatch, al: Callable[..., tuple[int, str, str]], how: str
) -> None:
    monkeypatch.chdir(untouched.parent)
    placed(untouched, how, WRONG)
    code, printed, _ = al("show", "t", "--json")
    digest = json.loads(printed)["digest"]
    code, printed, said = al("answer", "t", "--value", "1", "--seen", digest)
    assert (code, printed) == (4, "")
    assert f"set {KEY} to the key" in said
    assert "another key" in said


def test_a_missing_file_of_variables_is_named(
    db: Path, monkeypatch: pytest.MonkeyPatch, al: Callable[..., tuple[int, str, str]]
) -> None:
    monkeypatch.chdir(db.parent)
    (db.parent / "agent-lab.toml").write_text('db = "agent.db"\n[run]\nenv = "none.env"\n', "utf-8")
    code, printed, said = al("list")
    assert (code, printed) == (2, "")
    assert "line 3: run.env names a file that cannot be read" in said


def test_two_projects_with_different_keys_are_not_opened_together(
    db: Path, monkeypatch: pytest.MonkeyPatch, al: Callable[..., tuple[int, str, str]]
) -> None:
    for name, key in (("one", RIGHT), ("two", WRONG)):
        (db.parent / name).mkdir()
        (db.parent / name / "agent.py").write_text(AGENT, "utf-8")
        record = {"graphs": {name: "./agent.py:graph"}, "env": {KEY: key}}
        (db.parent / name / "langgraph.json").write_text(json.dumps(record), "utf-8")
    graphs = [word for name in ("one", "two") for word in ("--graph", f"{db.parent}/{name}/langgraph.json")]
    code, printed, said = al("list", "--db", str(db), *graphs)
    assert (code, printed) == (2, "")
    assert f"different values of {KEY}" in said


def test_a_thread_made_from_an_encrypted_one_is_encrypted_too(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Reader(open_database(str(db)), FORMS).thread("u")
    graph = ("--db", str(db), "--graph", f"{db.parent}/agent.py:graph")
    edit = ("--set", '{"said": "an edit that is secret"}', "--into", "v", "--seen", source.digest)
    code = cli.run(["fork", "u", source.checkpoint_id, *edit, *graph])
    assert code == 0, capsys.readouterr().err
    assert Reader(open_database(str(db)), FORMS).thread("v").values == {"said": "an edit that is secret"}
    with closing(sqlite3.connect(db)) as conn:
        kinds = conn.execute("SELECT type FROM checkpoints WHERE thread_id = 'v'").fetchall()
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert all(kind.endswith("+aes") for (kind,) in kinds)
    for path in db.parent.glob("agent.db*"):
        assert b"secret" not in path.read_bytes(), path
