# SPDX-License-Identifier: Apache-2.0
"""gdb commands for an execution that follows a schedule. It is the same every time, so going back is running it again, up to an
earlier event. treadle_begin() is called once, by the script that `treadle replay --gdb` writes."""
import json
import struct

import gdb


class Execution:
    """What is known of the execution, and where in it the program stands."""

    def __init__(self, path):
        with open(path) as file:
            self.__dict__.update(json.load(file))
        with open(self.block, "rb") as block:
            self.header = bytearray(block.read(self.header_bytes))
        self.at = None  # number of the event the program stands at; None: elsewhere, or at the end
        self.last = None  # the last one it stood at
        gdb.events.stop.connect(lambda event: self.stopped())

    def start(self, event):
        """From the beginning, to stop at this event (or at the end, for None)."""
        struct.pack_into("<Q", self.header, self.stop_at, 2**64 - 1 if event is None else event)
        with open(self.block, "r+b") as block:
            block.write(self.header)
        gdb.execute("run")

    def go_on(self, event):
        """Forwards, to stop at this event. The runtime looks for the next one to stop at when it leaves this one."""
        gdb.selected_inferior().write_memory(self.block_at + self.stop_at, struct.pack("<Q", event))
        gdb.execute("continue")

    def go_to(self, event):
        if self.at is not None and event == self.at:
            self.look()
        elif self.at is not None and event > self.at and is_alive():
            self.go_on(event)
        else:
            self.start(event)

    def stopped(self):
        frame = gdb.newest_frame()
        self.at = None
        if frame.name() != "treadle_stop_here":
            return  # at something of the user's own
        number = int(frame.read_var("event"))
        self.at = number if number < len(self.events) else None
        self.last = number if self.at is not None else len(self.events) - 1
        self.look()

    def look(self):
        """Selects the user's own code and says where the program stands."""
        frame = gdb.newest_frame()
        while is_ours(frame) and frame.older() is not None:
            frame = frame.older()
        frame.select()
        print("treadle: " + ("at " + self.line(self.at) if self.at is not None else "stopped at the end of the execution"))
        if not is_ours(frame):  # at the end there may be nothing but the runtime, whose sources nobody has
            gdb.execute("frame")

    def line(self, number):
        thread, text, place = self.events[number]
        mark = "*" if number in self.named else ""
        return "event %d%s: thread %s %s%s" % (number, mark, thread, text, "  " + place if place else "")


def is_alive():
    return gdb.selected_inferior().pid != 0


def is_ours(frame):
    if frame.name() == "treadle_stop_here":
        return True
    table = frame.find_sal().symtab
    return table is not None and "/src/runtime/" in table.filename


execution = None


class Treadle(gdb.Command):
    """Commands for the execution that Treadle replays."""

    def __init__(self):
        super().__init__("treadle", gdb.COMMAND_RUNNING, prefix=True)


class TreadleCommand(gdb.Command):
    def __init__(self):
        super().__init__("treadle " + self.word, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        self.do(gdb.string_to_argv(argument))

    @staticmethod
    def number(words, default):
        if not words:
            return default
        if len(words) > 1 or not words[0].isdigit():
            raise gdb.GdbError("one number, please")
        return int(words[0])


class NextEvent(TreadleCommand):
    """treadle next-event [N]: run on to the next event, of whatever thread; or to the N-th one from here."""

    word = "next-event"

    def do(self, words):
        target = (-1 if execution.last is None else execution.last) + self.number(words, 1)
        if target >= len(execution.events):
            raise gdb.GdbError("the execution has %d events only: `continue` runs it to its end" % len(execution.events))
        execution.go_to(target)


class Back(TreadleCommand):
    """treadle back [N]: to the event before this one, or to event number N, by running up to it again."""

    word = "back"

    def do(self, words):
        before = execution.last if execution.at is None else execution.at - 1
        target = self.number(words, 0 if before is None else before)
        if not 0 <= target < len(execution.events):
            raise gdb.GdbError("events are numbered 0 to %d" % (len(execution.events) - 1))
        execution.go_to(target)


class Threads(TreadleCommand):
    """treadle threads: what each thread did last, and what it does next."""

    word = "threads"

    def do(self, words):
        now = -1 if execution.last is None else execution.last
        for thread in dict.fromkeys(event[0] for event in execution.events):
            mine = [i for i, event in enumerate(execution.events) if event[0] == thread]
            done = [i for i in mine if i <= now]
            rest = [i for i in mine if i > now]
            print("thread %s%s" % (thread, "  <- here" if done and done[-1] == now and execution.at is not None else ""))
            print("  did   " + (execution.line(done[-1]) if done else "nothing yet"))
            print("  next  " + (execution.line(rest[0]) if rest else "nothing more"))


class Why(TreadleCommand):
    """treadle why: what is wrong with this execution, and at which events (marked with *)."""

    word = "why"

    def do(self, words):
        print(execution.why.rstrip() if execution.why else "nothing fails in this execution")
        for number in execution.named:
            print("  " + execution.line(number))


def treadle_begin(path):
    global execution
    execution = Execution(path)
    Treadle()
    for command in (NextEvent, Back, Threads, Why):
        command()
    gdb.Breakpoint("treadle_stop_here", internal=True).silent = True
    execution.start(execution.named[0] if execution.named else None)
    print("\ntreadle: stopped %s. `info threads` shows all threads, `bt` this one;\n"
          "`treadle next-event`, `treadle back`, `treadle threads` and `treadle why` move and explain."
          % ("at the first step that the finding names" if execution.at is not None else "where the execution fails"))
