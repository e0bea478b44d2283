# SPDX-License-Identifier: Apache-2.0
"""What the command line promises: statuses, messages, JSON, files, Ctrl-C."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from support import REPOSITORY, CLEAN, ENDLESS, RACY, TREADLE, EndToEnd


class BadInput(EndToEnd):
    def test_a_missing_compiler_is_named(self):
        source = self.write("racy.c", RACY)
        empty = self.folder / "empty"
        empty.mkdir()
        run = self.treadle("check", source, env={**os.environ, "PATH": str(empty)})
        self.could_not(run, "clang")

    def test_a_source_that_does_not_compile_shows_the_compilers_message(self):
        run = self.treadle("check", self.write("wrong.c", "int main(void) { return undeclared; }\n"))
        self.could_not(run, "undeclared", "wrong.c:1:")

    def test_a_source_that_does_not_link_shows_the_linkers_message(self):
        run = self.treadle("check", self.write("wrong.c", "void missing(void);\nint main(void) { missing(); }\n"))
        self.could_not(run, "missing")

    def test_a_program_not_built_with_treadle_is_refused(self):
        self.could_not(self.treadle("check", "/bin/true"), "/bin/true", "treadle cc")

    def test_a_script_is_refused(self):
        script = self.write("script", "#!/bin/sh\nexit 0\n")
        script.chmod(0o755)
        self.could_not(self.treadle("check", script), "script")

    def test_files_that_are_not_there_or_not_files(self):
        self.could_not(self.treadle("check", "nowhere"), "nowhere")
        self.could_not(self.treadle("check", "nowhere.c"), "nowhere.c")
        self.could_not(self.treadle("check", self.folder), str(self.folder))
        self.could_not(self.treadle("replay", "nowhere.witness"), "nowhere.witness")
        self.could_not(self.treadle("show", "nowhere.trace"), "nowhere.trace")

    def test_options_that_do_not_exist_or_make_no_sense(self):
        source = self.write("racy.c", RACY)
        for words in (["--no-such-option"], ["--strategy", "exhaustiv"], ["--races", "maybe"], ["--model", "x86"], ["--carrier", "pigeon"],
                      ["--max-executions", "many"], ["--max-executions", "-1"], ["--max-time", "soon"], ["--max-steps", "0"], ["--strategy"],
                      ["--jobs", "two"], ["--jobs", "-1"], ["--resume", ""], ["--checkpoint-every", "often"]):
            with self.subTest(words):
                self.could_not(self.treadle("check", source, *words), words[0])
        self.could_not(self.treadle("chekc", source), "check")
        self.could_not(self.treadle("check"))
        self.could_not(self.treadle("replay"))

    def test_output_that_cannot_be_written(self):
        source = self.write("racy.c", RACY)
        blocked = self.write("blocked", "a file, not a folder")
        self.could_not(self.treadle("check", source, "--out", blocked), "blocked")
        program = self.build("racy2.c", RACY)
        self.could_not(self.treadle("check", program, "--out", blocked), "blocked")
        self.could_not(self.treadle("check", program, "--json", blocked / "result.json"), "result.json")
        self.could_not(self.treadle("check", program, "--json", self.folder), str(self.folder))

    def test_findings_are_still_told_when_their_files_cannot_be_written(self):
        blocked = self.write("blocked", "a file, not a folder")
        run = self.could_not(self.treadle("check", self.build("racy.c", RACY), "--out", blocked))
        self.assertIn("data-race", run.stdout + run.stderr)


class ExitStatus(EndToEnd):
    def test_is_0_for_nothing_found_and_1_for_a_bug(self):
        self.assertEqual(self.treadle("check", self.write("clean.c", CLEAN)).returncode, 0)
        self.assertEqual(self.treadle("check", self.write("racy.c", RACY)).returncode, 1)

    def test_of_a_replay_is_1_when_it_fails_again(self):
        result = self.check_json(self.write("racy.c", RACY))
        run = self.treadle("replay", result["findings"][0]["witness"])
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("data-race", run.stdout)

    def test_does_not_depend_on_the_programs_own_status(self):
        self.assertEqual(self.treadle("check", self.write("three.c", "int main(void) { return 3; }\n")).returncode, 0)

    def test_arguments_after_two_dashes_reach_the_program(self):
        source = self.write("arguments.c", "#include <assert.h>\n#include <string.h>\n"
                            "int main(int n, char **a) { assert(n != 3 || strcmp(a[1], \"--races\") || strcmp(a[2], \"x y\")); return 0; }\n")
        self.assertEqual(self.treadle("check", source).returncode, 0)
        found = self.check_json(source, "--", "--races", "x y")["findings"]
        self.assertEqual([f["kind"] for f in found], ["assertion"])
        self.assertEqual(self.treadle("replay", found[0]["witness"]).returncode, 1)

    def test_the_program_reads_the_given_standard_input(self):
        source = self.write("reads.c", "#include <assert.h>\n#include <stdio.h>\nint main(void) { assert(getchar() != 'x'); return 0; }\n")
        self.assertEqual(self.treadle("check", source).returncode, 0)
        self.assertEqual(self.treadle("check", source, "--stdin", self.write("input", "x")).returncode, 1)


class Json(EndToEnd):
    FIELDS = {"verdict": str, "covers": str, "strategy": str, "model": str, "jobs": int, "executions": int, "blocked": int, "redundant": int, "paths": int,
              "seconds": (int, float), "executions_per_second": (int, float), "solver": dict, "outcomes": list, "findings": list}
    OF_A_FINDING = {"kind": str, "message": str, "location": dict, "threads": list, "witness": str, "confirmed": bool}

    def test_has_every_promised_field(self):
        result = self.check_json(self.write("racy.c", RACY))
        for field, kind in self.FIELDS.items():
            self.assertIsInstance(result[field], kind, field)
        for field in ("queries", "seconds", "reads", "constraints"):
            self.assertIn(field, result["solver"])
        self.assertIn("version", result)

    def test_describes_a_race_with_both_places(self):
        result = self.check_json(self.write("racy.c", RACY))
        self.assertEqual(result["verdict"], "bugs")
        [finding] = result["findings"]
        for field, kind in self.OF_A_FINDING.items():
            self.assertIsInstance(finding[field], kind, field)
        self.assertEqual((finding["kind"], finding["confirmed"]), ("data-race", True))
        self.assertEqual(finding["location"]["line"], 3)
        self.assertTrue(finding["location"]["file"].endswith("racy.c"))
        self.assertEqual(len(finding["threads"]), 2)
        self.assertIn("counter", finding["message"] + json.dumps(finding["threads"]))

    def test_of_a_clean_program_says_what_it_covers(self):
        result = self.check_json(self.write("clean.c", CLEAN))
        self.assertEqual((result["verdict"], result["findings"]), ("clean", []))
        self.assertIn("all schedules", result["covers"])

    def test_goes_to_a_file_while_the_text_goes_to_the_terminal(self):
        run = self.treadle("check", self.write("racy.c", RACY), "--json", "result.json")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(json.loads((self.folder / "result.json").read_text())["verdict"], "bugs")
        self.assertIn("data-race", run.stdout)

    def test_of_a_sample_does_not_claim_everything(self):
        result = self.check_json(self.write("clean.c", CLEAN), "--strategy", "random", "--max-executions", "50")
        self.assertEqual((result["verdict"], result["executions"]), ("incomplete", 50))
        self.assertIn("50", result["covers"])

    def test_lists_outcomes(self):
        source = self.write("last.c", RACY.replace("counter++;", "__atomic_store_n(&counter, pthread_self() % 4096 == 0, 5);")
                            .replace("#include", "#include <treadle/treadle.h>\n#include").replace("return 0;\n}", "treadle_observe(\"x\", 7);\n}"))
        self.assertEqual(self.check_json(source, "--outcomes")["outcomes"], [{"x": 7}])


class Help(EndToEnd):
    def test_is_there_for_every_command(self):
        for words in ([], ["check"], ["replay"], ["show"]):
            run = self.treadle(*words, "--help")
            self.assertEqual(run.returncode, 0, words)
            self.assertIn("treadle", run.stdout)

    def test_names_every_option_of_the_contract(self):
        text = self.treadle("check", "--help").stdout
        for option in ("--strategy", "--model", "--races", "--max-executions", "--max-time", "--max-steps", "--keep-going", "--stop-at-first",
                       "--carrier", "--outcomes", "--json", "--cflags", "--jobs", "--resume"):
            self.assertIn(option, text)

    def test_says_the_version(self):
        self.assertRegex(self.treadle("--version").stdout, r"^treadle \d+\.\d+\.\d+\n$")

    def test_without_a_command_is_shown_with_status_2(self):
        self.assertEqual(self.treadle().returncode, 2)


class Interrupt(EndToEnd):
    def test_gives_the_verdict_on_what_was_done(self):
        program = self.build("endless.c", ENDLESS)
        run = subprocess.Popen([TREADLE, "check", "--json", "result.json", program], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_until_it_runs(program)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 0, out + err)
        result = json.loads((self.folder / "result.json").read_text())
        self.assertEqual(result["verdict"], "incomplete")
        self.assertGreater(result["executions"], 0)

    def test_keeps_what_was_found(self):
        program = self.build("endless.c", ENDLESS.replace("return 0; }", "counter++; return 0; }"))
        run = subprocess.Popen([TREADLE, "check", "--json", "-", program], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_until_it_runs(program)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 1, err)
        for finding in json.loads(out)["findings"]:
            self.assertEqual(self.treadle("replay", finding["witness"]).returncode, 1)

    def test_leaves_no_process_behind(self):
        program = self.build("endless-left-behind.c", ENDLESS)
        run = subprocess.Popen([TREADLE, "check", program], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_until_it_runs(program)
        run.kill()
        run.wait()
        for _ in range(600):
            if not self.processes_of(program):
                return
            time.sleep(0.1)
        self.fail("the program runs on after its checker was killed")


class Files(EndToEnd):
    def witness(self):
        self.program = self.build("racy.c", RACY)
        return self.folder / self.check_json(self.program)["findings"][0]["witness"]

    def test_a_witness_of_another_binary_is_refused(self):
        witness = self.witness()
        self.build("racy.c", "/* changed */ int more;\n" + RACY)
        self.could_not(self.treadle("replay", witness), "another build")

    def test_a_witness_whose_program_is_gone_is_refused(self):
        witness = self.witness()
        self.program.unlink()
        self.could_not(self.treadle("replay", witness), "racy")

    def test_truncated_files_get_one_sentence(self):
        witness = self.witness()
        whole = witness.read_bytes()
        for length in sorted({0, 1, 7, 8, 15, 16, 31, 32, len(whole) // 2, len(whole) - 4, len(whole) - 1}):
            broken = self.folder / "broken.witness"
            broken.write_bytes(whole[:length])
            for command in ("replay", "show"):
                with self.subTest(command=command, length=length):
                    self.could_not(self.treadle(command, broken), "broken.witness")

    def test_files_with_a_flipped_byte_are_noticed(self):
        witness = self.witness()
        whole = witness.read_bytes()
        for position in range(0, len(whole), max(1, len(whole) // 24)):
            broken = self.folder / "broken.witness"
            broken.write_bytes(whole[:position] + bytes([whole[position] ^ 0x40]) + whole[position + 1:])
            with self.subTest(position=position):
                self.could_not(self.treadle("replay", broken), "broken.witness")

    def test_foreign_files_get_one_sentence(self):
        for name in ("/bin/true", self.write("text", "hello\n"), self.write("empty", "")):
            for command in ("replay", "show"):
                self.could_not(self.treadle(command, name), str(name))

    def test_a_witness_can_be_shown_and_its_trace_saved_and_shown(self):
        witness = self.witness()
        shown = self.treadle("show", witness)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("racy", shown.stdout)
        self.assertEqual(self.treadle("replay", "--save-trace", "run.trace", witness).returncode, 1)
        shown = self.treadle("show", "run.trace")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for word in ("create", "join", "write"):
            self.assertIn(word, shown.stdout)

    def test_a_witness_may_move_to_another_folder(self):
        witness = self.witness()
        moved = self.folder / "elsewhere" / "moved.witness"
        moved.parent.mkdir()
        shutil.move(witness, moved)
        self.assertEqual(self.treadle("replay", moved, cwd=moved.parent).returncode, 1)

    def test_a_replay_can_be_walked_through(self):
        run = self.treadle("replay", "--step", self.witness())
        self.assertEqual(run.returncode, 1)
        self.assertIn("racy.c:3", run.stdout)

    def test_a_replay_in_gdb_shows_the_threads(self):
        run = self.treadle("replay", "--gdb", self.witness(), "--", "-batch", "-ex", "info threads", "-ex", "bt")
        self.assertIn("add", run.stdout)

    def test_a_witness_can_be_minimised_and_still_fails(self):
        program = REPOSITORY / "tests/programs/cond_if_two_consumers.c"
        self.treadle("check", "--as-found", "--strategy", "random", "--seed", "3", "--races", "explore", program)
        witness = next((self.folder / ".treadle").glob("assertion-*.witness"))
        run = self.treadle("minimise", "--to", "small.witness", witness)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        after, before = map(int, re.search(r"minimised: (\d+) preemptions?,.*was: (\d+) preemptions?,", run.stdout).groups())
        self.assertLess(after, before)
        self.assertEqual(self.treadle("replay", "small.witness").returncode, 1)

    def test_a_check_leaves_no_temporary_files(self):
        self.witness()
        self.assertEqual([p.name for p in self.folder.rglob("*") if "tmp" in p.name or p.name.endswith("~")], [])
