#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the pinned numbers of executions come from: models of some of the programs, counted without the engine.

A thread is a list of operations. An operation maps (shared state, thread, where it is) to the ways in which it can take effect, each
a new state and where the thread goes on; none means blocked. The number of executions of an exhaustive search is the number of paths
from the start to where main has ended or nobody can go on. Each thread has a step for its start and one for its end, main has one for exit.
"""
import sys
from functools import lru_cache

import run

sys.setrecursionlimit(10_000)


def executions(threads):
    @lru_cache(maxsize=None)
    def paths(places, state):
        if places[0] == len(threads[0]):
            return 1
        ways = []
        for thread, place in enumerate(places):
            if 0 <= place < len(threads[thread]):
                for after, next_place in threads[thread][place](dict(state), thread, place, places):
                    moved = list(places)
                    moved[thread] = next_place
                    started = after.pop("started", None)
                    if started is not None:
                        moved[started] = 0
                    ways.append((tuple(moved), tuple(sorted(after.items()))))
        return sum(paths(*way) for way in ways) if ways else 1

    return paths((0,) + (-1,) * (len(threads) - 1), ())


def step(state, thread, place, places):
    return [(state, place + 1)]


def create(child):
    return lambda state, thread, place, places: [({**state, "started": child}, place + 1)]


def join(child, length):
    return lambda state, thread, place, places: [(state, place + 1)] if places[child] == length else []


def lock(mutex, then=lambda state, place: (state, place + 1)):
    return lambda state, thread, place, places: [] if state.get(mutex) else [then({**state, mutex: 1}, place)]


def trylock(mutex, skip_when_taken):
    return lambda state, thread, place, places: [(state, place + skip_when_taken)] if state.get(mutex) else [({**state, mutex: 1}, place + 1)]


def unlock(mutex):
    return lambda state, thread, place, places: [({**state, mutex: 0}, place + 1)]


def sem_wait(name, initial):
    return lambda state, thread, place, places: [({**state, name: state.get(name, initial) - 1}, place + 1)] if state.get(name, initial) else []


def sem_post(name, initial):
    return lambda state, thread, place, places: [({**state, name: state.get(name, initial) + 1}, place + 1)]


def wait(mutex):
    """Releases the mutex and starts waiting; `woken` and taking the mutex back are steps of their own."""
    return lambda state, thread, place, places: [({**state, mutex: 0, "waits": 1}, place + 1)]


def woken(state, thread, place, places):
    return [({**state, "woken": 0}, place + 1)] if state.get("woken") else []


def signal(state, thread, place, places):
    return [({**state, "waits": 0, "woken": 1}, place + 1)] if state.get("waits") else [(state, place + 1)]


def arrive(state, thread, place, places):
    """Where nobody asks who was the last one, all leave in a step of their own."""
    return [({**state, "arrived": state.get("arrived", 0) + 1}, place + 1)]


def leave(count):
    return lambda state, thread, place, places: [(state, place + 1)] if state.get("arrived", 0) == count else []


def two(first, second):
    """main creates both, joins both, and leaves."""
    first, second = [step, *first, step], [step, *second, step]
    return executions([[create(1), create(2), join(1, len(first)), join(2, len(second)), step], first, second])


FORWARDS = [lock("a"), lock("b"), unlock("b"), unlock("a")]
BACKWARDS = [lock("b"), lock("a"), unlock("a"), unlock("b")]
SECTION = [lock("a"), unlock("a")]
SEMAPHORES = {n: [sem_wait("s", n), sem_post("s", n)] for n in (1, 2)}
BARRIER = [arrive, leave(2)]


def signaller_sets_flag(state, place):
    return {**state, "flag": 1}, place + 1


def skip_wait_when_set(state, place):
    return state, place + (4 if state.get("flag") else 1)


WAITER = [lock("a"), wait("a"), woken, lock("a"), unlock("a")]
CAREFUL_WAITER = [lock("a", skip_wait_when_set), wait("a"), woken, lock("a"), unlock("a")]
SIGNALLER = [lock("a", signaller_sets_flag), signal, unlock("a")]

DERIVED = {
    ("mutex_order.c", ""): two(FORWARDS, BACKWARDS),
    ("mutex_order.c", "-DFIXED"): two(FORWARDS, FORWARDS),
    ("sem_order.c", ""): two(FORWARDS, BACKWARDS),
    ("spinlock.c", "-DOPPOSITE"): two(FORWARDS, BACKWARDS),
    ("c11_mutex.c", "-DOPPOSITE"): two(FORWARDS, BACKWARDS),
    ("std_mutex_order.cpp", ""): two(FORWARDS, BACKWARDS),
    ("mutex_counter.c", ""): two([], []),
    ("mutex_counter.c", "-DFIXED"): two(SECTION, SECTION),
    ("mutex_try.c", "-DTRY -DFIXED"): two(SECTION, [trylock("a", 2), unlock("a")]),
    ("atomic_counter.c", ""): two([step, step], [step, step]),
    ("atomic_counter.c", "-DFIXED"): two([step], [step]),
    ("sem_as_mutex.c", ""): two(SEMAPHORES[2], SEMAPHORES[2]),
    ("sem_as_mutex.c", "-DFIXED"): two(SEMAPHORES[1], SEMAPHORES[1]),
    ("cond_lost_wakeup.c", ""): two(WAITER, SIGNALLER),
    ("cond_lost_wakeup.c", "-DFIXED"): two(CAREFUL_WAITER, SIGNALLER),
    ("barrier_phase.c", "-DFIXED"): two(BARRIER, BARRIER),
}


def main():
    wrong = 0
    for (name, flags), count in DERIVED.items():
        pinned = [check.want.get("executions") for check in run.checks_of(run.HERE / name)
                  if check.want.get("flags", "") == flags and check.want.get("strategy") == "exhaustive" and "races" not in check.want]
        holds = pinned == [str(count)]
        wrong += not holds
        print(f"{'ok    ' if holds else 'FAILED'} {name} {flags}: derived {count}, pinned {pinned}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
