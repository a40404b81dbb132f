"""The builder's tools: graded by what happens when they are done twice, and unable to leave their folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_lab_tui.graph.lab.builder.depot import VARIABLES
from agent_lab_tui.graph.lab.builder.folder import Folder, ToolFailed
from agent_lab_tui.graph.lab.builder.grades import Grade
from agent_lab_tui.graph.lab.builder.tool import Bench
from agent_lab_tui.graph.lab.builder.toolbox import TOOLS
from agent_lab_tui.graph.lab.workspace import Workspace

GRADES = {
    "list_files": Grade.READ,
    "read_file": Grade.READ,
    "show_environment": Grade.READ,
    "write_file": Grade.REPEATABLE,
    "upsert_setting": Grade.REPEATABLE,
    "fetch_sources": Grade.REPEATABLE,
    "build": Grade.REPEATABLE,
    "install": Grade.REPEATABLE,
    "package": Grade.REPEATABLE,
    "append_line": Grade.REVERSIBLE,
    "replace_in_file": Grade.REVERSIBLE,
    "push": Grade.OUTSIDE,
    "send_mail": Grade.OUTSIDE,
    "open_ticket": Grade.OUTSIDE,
    "send_sms": Grade.OUTSIDE,
    "remove_folder": Grade.DESTRUCTIVE,
}

DOABLE_TWICE = {
    "write_file": {"file": "a.txt", "content": "all of it\n"},
    "upsert_setting": {"name": "link", "value": "static"},
    "fetch_sources": {"part": "zlib"},
    "build": {"part": "zlib"},
    "install": {"part": "zlib"},
    "package": {"project": "zlib"},
}


@pytest.fixture
def bench(lab: Workspace) -> Bench:
    folder = Folder.of(lab, "run-1")
    folder.make()
    bench = Bench(lab, folder, VARIABLES, "run-1:step-1:call-1")
    for tool in ("fetch_sources", "build", "install", "package"):
        TOOLS[tool].do(bench, DOABLE_TWICE[tool])
    return bench


def content(bench: Bench) -> dict[str, str]:
    return {name: bench.folder.read(name) for name in bench.folder.names()}


def test_every_tool_has_the_grade_that_the_table_says() -> None:
    assert {name: tool.grade for name, tool in TOOLS.items()} == GRADES


def test_only_what_leaves_the_folder_or_destroys_asks_and_only_the_repeatable_needs_no_key() -> None:
    assert {grade: (grade.asks, grade.needs_key, grade.risk) for grade in Grade} == {
        Grade.READ: (0, False, "low"),
        Grade.REPEATABLE: (0, False, "low"),
        Grade.REVERSIBLE: (0, True, "low"),
        Grade.OUTSIDE: (1, True, "high"),
        Grade.DESTRUCTIVE: (2, True, "critical"),
    }


@pytest.mark.parametrize("name", DOABLE_TWICE)
def test_what_is_graded_repeatable_done_twice_is_done_once(name: str, bench: Bench) -> None:
    TOOLS[name].do(bench, DOABLE_TWICE[name])
    once = content(bench)
    TOOLS[name].do(bench, DOABLE_TWICE[name])
    assert content(bench) == once


def test_an_appended_line_is_not_repeatable_and_can_be_looked_for(bench: Bench) -> None:
    append, arguments = TOOLS["append_line"], {"file": "notes.md", "line": "hello"}
    assert append.verify is not None
    assert append.verify(bench, arguments).state == "not done"
    append.do(bench, arguments)
    append.do(bench, arguments)
    assert bench.folder.read("notes.md").count("hello") == 2
    assert append.verify(bench, arguments).state == "done"


def test_an_exact_replacement_repeated_fails_harmlessly(bench: Bench) -> None:
    replace, arguments = TOOLS["replace_in_file"], {"file": "a.txt", "old": "one", "new": "two"}
    bench.folder.write("a.txt", "one\n")
    replace.do(bench, arguments)
    with pytest.raises(ToolFailed, match="'one' is found 0 times"):
        replace.do(bench, arguments)
    assert bench.folder.read("a.txt") == "two\n"
    assert replace.verify is not None
    assert replace.verify(bench, arguments).state == "done"


def test_every_tool_whose_repetition_shows_has_a_mend_and_says_how_to_find_out() -> None:
    keyed = [tool for tool in TOOLS.values() if tool.grade.needs_key]
    assert all(tool.mend and tool.verify for tool in keyed)
    mends = " ".join(tool.mend for tool in keyed)
    assert all(kind in mends for kind in ("written differently", "a key:", "asked first", "a person:"))


def test_what_asks_says_what_it_does_to_the_world(bench: Bench) -> None:
    for tool in TOOLS.values():
        if tool.grade.asks:
            assert tool.impact is not None
            assert tool.impact(bench, dict.fromkeys(tool.parameters, "src"))


@pytest.mark.parametrize(
    "name", ["../other.txt", "/etc/hostname", "src/../../x", "link/x", "plan.json", "src/../plan.json"]
)
def test_no_tool_leaves_the_work_folder_or_touches_the_plan(name: str, bench: Bench, tmp_path: Path) -> None:
    (bench.folder.root / "link").symlink_to(tmp_path)
    with pytest.raises(ToolFailed, match=r"outside the work folder|kept by the run itself"):
        TOOLS["write_file"].do(bench, {"file": name, "content": "x"})
    with pytest.raises(ToolFailed, match=r"outside the work folder|kept by the run itself|no folder"):
        TOOLS["remove_folder"].do(bench, {"folder": name})


def test_the_work_folder_itself_is_not_removed_by_a_tool(bench: Bench) -> None:
    with pytest.raises(ToolFailed, match="lab clean"):
        TOOLS["remove_folder"].do(bench, {"folder": "."})


@pytest.mark.parametrize("channel", ["../stable", "a/b", "", "stable;rm"])
def test_a_channel_is_a_plain_name(channel: str, bench: Bench) -> None:
    with pytest.raises(ToolFailed):
        TOOLS["push"].do(bench, {"file": "dist/zlib.pkg", "channel": channel})
    assert not list((bench.lab.root / "remote").glob("**/*.log"))


def test_building_without_what_it_needs_fails_and_says_so(bench: Bench) -> None:
    TOOLS["fetch_sources"].do(bench, {"part": "re2"})
    with pytest.raises(ToolFailed, match="re2 needs abseil, which is not installed"):
        TOOLS["build"].do(bench, {"part": "re2"})


def test_calls_of_one_step_change_one_file_side_by_side_without_losing_anything(bench: Bench) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def upsert(number: int) -> None:
        TOOLS["upsert_setting"].do(bench, {"name": f"n{number}", "value": "x"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(upsert, range(24)))
    assert bench.folder.read("settings.json").count('"x"') == 24


def test_what_a_removal_destroys_is_told_by_every_name_hidden_ones_too(bench: Bench) -> None:
    def impact(folder: str) -> str:
        told = TOOLS["remove_folder"].impact
        assert told is not None
        return told(bench, {"folder": folder})

    (bench.folder.root / "old" / "deep").mkdir(parents=True)
    assert impact("old") == "Removes a folder without files."
    bench.folder.write("old/deep/.env", "x")
    assert impact("old") == "Destroys 1 file for good: old/deep/.env."
    for number in range(7):
        bench.folder.write(f"old/{number}.txt", "x")
    assert impact("old").startswith("Destroys 8 files for good: old/0.txt, old/1.txt")
    assert impact("old").endswith("old/6.txt, old/deep/.env.")
    assert impact("none") == "there is no folder none; nothing would be removed."
