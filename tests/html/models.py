#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The data of the HTML report, one twin program for each kind of finding, against what it was when somebody last looked at it.

What is compared is what a reader sees first: sentence, parts, the steps that matter with where their values come from, locks, ending.
  models.py --treadle PATH --work DIR [--update] [KIND…]      --update writes the golden files, for review
"""
import argparse
import difflib
import html.parser
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"

# kind: program, compiler flags, options besides those of command_for()
TWINS = {
    "assertion": ("message_passing_relaxed.c", "", "--model pso"),
    "crash": ("heap_errors.c", "-DOUT_OF_BOUNDS", ""),
    "data-race": ("race_in_one_order.c", "-DMUTEX", ""),
    "deadlock": ("mutex_order.c", "", ""),
    "lost-wakeup": ("cond_lost_wakeup.c", "", ""),
    "livelock": ("spin_flag.c", "", ""),
    "misuse": ("mutex_unlock_not_locked.c", "", ""),
    "leak": ("heap_errors.c", "-DLEAK", "--leaks"),
    "use-after-free": ("heap_errors.c", "-DUSE_AFTER_FREE", ""),
    "uncaught-exception": ("std_exception.cpp", "", ""),
    "null-dereference": ("null_dereference.c", "", ""),
    "nondeterminism": ("nondeterminism.c", "", "--guard-every 1"),
    "store-buffer": ("store_buffering.c", "", "--model tso"),
    "atomicity": ("../../bench/programs/fusion/atom001.c", "", "--only atomicity"),
}
# The oracle: it finds the same witness first whatever becomes of the cleverer strategies.
SEARCH = ["--strategy", "exhaustive", "--stop-at-first"]


def command_for(name):
    """What finds it: words for `treadle`, and the source."""
    program, flags, options = TWINS[name]
    command = ["predict"] if name == "atomicity" else ["check", *SEARCH]  # no run fails by it
    return [*command, *options.split(), *(["--cflags", flags] if flags else [])], (PROGRAMS / program).resolve()


class Embedded(html.parser.HTMLParser):
    """The JSON documents in a page, by id."""

    def __init__(self):
        super().__init__()
        self.documents, self.id = {}, None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "script" and attributes.get("type") == "application/json":
            self.id = attributes["id"]
            self.documents[self.id] = ""

    def handle_endtag(self, tag):
        self.id = None

    def handle_data(self, data):
        if self.id:
            self.documents[self.id] += data


def documents_of(page):
    parser = Embedded()
    parser.feed(page.read_text())
    return {name: json.loads(text) for name, text in parser.documents.items()}


def in_words(model, run, event):
    """One line for an event: thread, operation, object, value, source, place."""
    columns, strings = run["events"], run["strings"]
    words = [run["threads"][columns["thread"][event]]["name"], run["operations"][columns["operation"][event]]["text"],
             strings[columns["object"][event]], strings[columns["value"][event]]]
    source = columns["source"][event]
    if source == -1:
        words.append("(initial)")
    elif source > 0:
        words.append(f"(from {run['threads'][columns['thread'][event - source]]['name']})")
    file, line, _, function = run["places"][columns["place"][event]]
    words.append(f"{pathlib.Path(model['files'][file]['path']).name}:{line}" if file >= 0 else strings[function])
    return " ".join(word for word in words if word)


def digest(model, run, finding):
    rows = len(run["events"]["operation"])
    classes = [run["operations"][number]["class"] for number in run["events"]["operation"]]
    ending = [event for event in range(rows) if classes[event] in ("pending", "end")]
    return {
        "kind": finding["kind"],
        "message": finding["message"],
        "location": finding["location"]["text"],
        "parts": [f"{part['thread']} {part['does']}{'; ' if part['also'] else ''}{part['also']} at {', '.join(f['text'] for f in part['stack'][:3])}"
                  for part in finding["parts"]],
        "named": [in_words(model, run, event) if event >= 0 else None for event in run["named"]],
        "story": [in_words(model, run, event) for event in run["story"]],
        "end": [in_words(model, run, event) for event in ending],
        "locks": [f"{run['threads'][thread]['name']} {run['strings'][name]}{' to the end' if until < 0 else ''}" for thread, name, _, until, _ in run["locks"]][:8],
        "buffers": len(run["buffers"]),
        "sources": sorted(pathlib.Path(file["path"]).name for file in model["files"] if file["text"]),
    }


def checked_shape(model, run):
    """What every document must keep to, whatever it tells."""
    columns = run["events"]
    rows = len(columns["operation"])
    for name in ("operation", "thread", "step", "place", "object", "value", "source"):
        assert len(columns[name]) == rows, name
    assert sum(run["telling"]) == rows
    assert all(0 <= event < rows for event in run["story"])
    assert all(-1 <= event < rows for event in run["named"])
    assert all(0 <= place < len(run["places"]) for place in columns["place"])
    assert all(0 <= text < len(run["strings"]) for text in columns["object"] + columns["value"])
    assert all(source < 0 or source <= event for event, source in enumerate(columns["source"]))
    for thread, _, start, until, _ in run["locks"]:
        assert columns["thread"][start] == thread and (until == -1 or start < until < rows)
    for to, back in zip(run["arrows"][::2], run["arrows"][1::2]):
        assert 0 < back <= to and columns["thread"][to] != columns["thread"][to - back]
    assert model["version"] == 1


def neutral(text):
    """Without what differs from machine to machine."""
    text = text.replace(str(PROGRAMS) + "/", "").replace(str(HERE.parent.parent) + "/", "")
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)


def shown(treadle, work, name):
    words, source = command_for(name)
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    run = subprocess.run([treadle, *words, "--html", page, source], cwd=folder, capture_output=True, text=True)
    if run.returncode != 1:
        return f"status {run.returncode} instead of 1: {run.stdout}{run.stderr}"
    documents = documents_of(page)
    model = documents["model"]
    kind = "assertion" if name == "store-buffer" else name
    if kind == "nondeterminism":  # what differs, differs
        checked_shape(model, documents["run-0"])
        return json.dumps([finding["kind"] for finding in model["findings"]]) + "\n"
    digests = []
    for index, finding in enumerate(model["findings"]):
        checked_shape(model, documents[f"run-{index}"])
        if finding["kind"] == kind and not digests:
            digests.append(digest(model, documents[f"run-{index}"], finding))
    return neutral(json.dumps(digests, indent=1, ensure_ascii=False)) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--treadle", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--work", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args()
    failed = 0
    for name in options.kinds or TWINS:
        text = shown(options.treadle, options.work, name)
        golden = HERE / "golden" / f"{name}.json"
        if options.update:
            golden.write_text(text)
        if not golden.exists() or golden.read_text() != text:
            failed += 1
            want = golden.read_text() if golden.exists() else ""
            print(f"{name} differs:\n" + "\n".join(difflib.unified_diff(want.splitlines(), text.splitlines(), "golden", "now", lineterm="")))
    print(f"{len(options.kinds or TWINS) - failed} of {len(options.kinds or TWINS)} reports are as they were")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
