"""agent-lab.toml: read in its types, every wrong key named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.graph.questions import Risk
from agent_lab_tui.graph.settings.file import Settings, SettingsError, load

FULL = """
db = "data/agent.db"
graphs = ["agent.py:graph", "package.module:graph", "sub/langgraph.json:desk", "name"]
notify = "notify-send 'agents are waiting'"

[run]
configurable = { tenant = "acme" }
context = { model = "small" }
recursion_limit = 100
hosts = 2
grace = 30
env = { TENANT = "acme", LIMIT = 3 }

[answers."agent:review"]
approve = { approved = true }
reject = { approved = false, why = "{reason}" }

[[rule]]
operation = "send_*"
risk = "high"
impact = "Sends mail to {to}; cannot be recalled."
confirm = "type:to"
locked = ["to"]
operators = ["ann"]

[[rule]]
operation = "*"
risk = "low"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "agent-lab.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_key_of_the_design_is_read(tmp_path: Path) -> None:
    settings = load(write(tmp_path, FULL))
    assert settings.db == str(tmp_path / "data/agent.db")
    assert settings.notify == "notify-send 'agents are waiting'"
    assert settings.run.configurable == {"tenant": "acme"}
    assert settings.run.context == {"model": "small"}
    assert (settings.run.recursion_limit, settings.run.hosts, settings.run.grace) == (100, 2, 30)
    assert settings.run.env == {"TENANT": "acme", "LIMIT": "3"}
    assert settings.answers["agent:review"]["reject"] == {"approved": False, "why": "{reason}"}
    assert settings.unknown == ()


def test_paths_are_relative_to_the_file_and_modules_stay(tmp_path: Path) -> None:
    assert load(write(tmp_path, FULL)).graphs == (
        f"{tmp_path}/agent.py:graph",
        "package.module:graph",
        f"{tmp_path}/sub/langgraph.json:desk",
        "name",
    )


def test_a_database_url_stays_as_it_is(tmp_path: Path) -> None:
    for url in ("postgresql://host/db", "file:agent.db?mode=ro"):
        assert load(write(tmp_path, f'db = "{url}"')).db == url


def test_the_first_rule_that_fits_holds(tmp_path: Path) -> None:
    settings = load(write(tmp_path, FULL))
    rule, other = settings.rule_for("send_email"), settings.rule_for("read_file")
    assert rule is not None
    assert other is not None
    assert (rule.risk, rule.confirm, rule.locked) == (Risk.HIGH, "type:to", ("to",))
    assert rule.lets("ann")
    assert not rule.lets("bob")
    assert other.risk is Risk.LOW
    assert other.lets("bob")


def test_without_a_file_nothing_is_said() -> None:
    settings = load(None)
    assert settings == Settings()
    assert settings.rule_for("anything") is None
    assert (settings.run.hosts, settings.run.grace, settings.run.env) == (1, 1800, {})


def test_langgraph_json_beside_the_file_gives_the_graphs(tmp_path: Path) -> None:
    (tmp_path / "langgraph.json").write_text("{}")
    assert load(write(tmp_path, "")).graphs == (str(tmp_path / "langgraph.json"),)
    assert load(write(tmp_path, 'graphs = ["m:g"]')).graphs == ("m:g",)


def test_unknown_keys_are_collected_with_their_lines(tmp_path: Path) -> None:
    text = 'notfy = "x"\n[run]\nrecursion = 3\n[answers."a:b"]\naprove = 1\n[[rule]]\noperation = "x"\n'
    settings = load(write(tmp_path, text + '[[rule]]\noperation = "y"\nlokced = ["to"]\n'))
    places = [sentence.removeprefix(f"{settings.path}, ") for sentence in settings.unknown]
    assert [place.partition(" is ")[0] for place in places] == [
        "line 1: notfy",
        "line 3: run.recursion",
        'line 5: answers."a:b".aprove',
        "line 10: rule[2].lokced",
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("db = 3", "db must be text"),
        ("graphs = [1]", "graphs must be a list of texts"),
        ("graphs = 1", "graphs must be a list of texts"),
        ("run = 1", "run must be a table"),
        ("[run]\nrecursion_limit = 'many'", "run.recursion_limit must be a whole number"),
        ("[run]\nrecursion_limit = true", "run.recursion_limit must be a whole number"),
        ("[run]\nhosts = 0", "run.hosts must be a whole number of at least 1"),
        ("[run]\nconfigurable = []", "run.configurable must be a table"),
        ("rule = 'x'", "rule must be written as"),
        ("[[rule]]\nrisk = 'high'", "rule[1].operation must name"),
        ("[[rule]]\noperation = 'x'\nrisk = 'huge'", "rule[1].risk must be one of low, medium"),
        ("[[rule]]\noperation = 'x'\nconfirm = 'thrice'", "rule[1].confirm must be"),
        ("[[rule]]\noperation = 'x'\nconfirm = 'type:'", "rule[1].confirm must be"),
        ("[[rule]]\noperation = 'x'\nlocked = [1]", "rule[1].locked must be a list of texts"),
        ("[answers.review]\napprove = true", "answers.review must name graph and node"),
        ("[answers.'a:b']\napprove = 2026-01-01", 'answers."a:b".approve holds a date'),
        ("answers = 3", "answers must be a table"),
    ],
)
def test_a_wrong_type_is_named_with_key_and_file(tmp_path: Path, text: str, key: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as error:
        load(path)
    assert key in str(error.value)
    assert str(error.value).startswith(str(path))
    assert str(error.value).endswith(".")


def test_what_is_no_toml_is_said_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"not valid TOML.*line 2"):
        load(write(tmp_path, "db = 'a'\n=\n"))
    path = tmp_path / "agent-lab.toml"
    path.write_bytes(b"db = '\xff'")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        load(tmp_path / "nope.toml")


def test_lines_are_found_past_multi_line_texts(tmp_path: Path) -> None:
    settings = load(write(tmp_path, 'notify = """\n[run]\nx = 1\n"""\ntypo = 1\n'))
    assert settings.unknown == (f"{settings.path}, line 5: typo is not a key of agent-lab.toml.",)


def test_options_win_over_single_values_of_a_run(tmp_path: Path) -> None:
    settings = load(write(tmp_path, FULL)).with_run(context={"effort": 2}, configurable={"tenant": "beta"})
    assert settings.run.context == {"model": "small", "effort": 2}
    assert settings.run.configurable == {"tenant": "beta"}


def test_exact_names_win_over_stars_in_answers() -> None:
    settings = Settings(
        answers={
            "*:review": {"approve": 1, "reject": 1, "edit": 1},
            "agent:*": {"approve": 2, "reject": 2},
            "agent:review": {"approve": 3},
        }
    )
    assert settings.templates("agent", "review") == {"approve": 3, "reject": 2, "edit": 1}
    assert settings.templates("other", "review") == {"approve": 1, "reject": 1, "edit": 1}
    assert settings.templates("agent", "else") == {"approve": 2, "reject": 2}
    assert settings.templates("other", "else") == {}


def test_an_unknown_graph_uses_answers_only_when_one_graph_has_them() -> None:
    one = Settings(answers={"agent:review": {"approve": 1}})
    two = Settings(answers={"agent:review": {"approve": 1}, "other:review": {"approve": 2}})
    assert one.templates(None, "review") == {"approve": 1}
    assert two.templates(None, "review") == {}
