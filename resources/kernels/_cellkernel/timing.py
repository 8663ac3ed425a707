"""Magics that measure how long something takes."""

import os
import sys
import time

from .later import later

getopt, statistics, timeit = map(later, ("getopt", "statistics", "timeit"))

UNITS = (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


class Timed:
    """What `%timeit -o` gives back."""

    def __init__(self, timings, loops):
        self.timings, self.loops, self.repeat, self.compile_time = timings, loops, len(timings), 0.0
        self.all_runs = [spent * loops for spent in timings]
        self.best, self.worst, self.average = min(timings), max(timings), statistics.fmean(timings)
        self.stdev = statistics.pstdev(timings)

    def __str__(self):
        many = f"{self.repeat} run{'s' * (self.repeat != 1)}, {self.loops:,} loop{'s' * (self.loops != 1)} each"
        return f"{readable(self.average)} ± {readable(self.stdev)} per loop (mean ± std. dev. of {many})"

    def __repr__(self):
        return f"<TimeitResult : {self}>"


class TimingMagics:
    def _line_time(self, line):
        return self._cell_time("", line)

    def _cell_time(self, line, body):
        begun, cpu = time.perf_counter(), os.times()
        try:
            return self._kernel.execute("\n" + body if not line else f"{line}\n{body}", self._kernel.name)
        finally:
            used, now = time.perf_counter() - begun, os.times()
            user, system = now.user - cpu.user, now.system - cpu.system
            print(f"CPU times: user {readable(user)}, sys: {readable(system)}, total: {readable(user + system)}")
            print(f"Wall time: {readable(used)}")

    def _line_timeit(self, line):
        return self._cell_timeit(line, None)

    def _cell_timeit(self, line, body):
        options, rest = getopt.getopt(line.split(" "), "n:r:p:qotcv:")
        options, statement = dict(options), " ".join(rest)
        setup, code = ("pass", statement) if body is None else (statement or "pass", body)
        timer = timeit.Timer(code, setup, globals=self.user_ns)
        loops = int(options["-n"]) if "-n" in options else enough(timer)
        runs = [spent / loops for spent in timer.repeat(int(options.get("-r", 7)), loops)]
        if "-q" not in options:
            print(Timed(runs, loops))
        return Timed(runs, loops) if "-o" in options else None

    def _line_prun(self, line):
        return self._cell_prun(line, "")

    def _cell_prun(self, line, body):
        import cProfile
        import pstats

        options, rest = getopt.getopt(line.split(" "), "qrs:l:T:D:")
        profile = cProfile.Profile()
        profile.runctx(" ".join(rest) + "\n" + body, self.user_ns, self.user_ns)
        options = dict(options)
        if "-q" not in options:
            pstats.Stats(profile, stream=sys.stdout).sort_stats(options.get("-s", "tottime")).print_stats(30)
        if "-T" in options:
            with open(options["-T"], "w", encoding="utf-8") as file:
                pstats.Stats(profile, stream=file).sort_stats(options.get("-s", "tottime")).print_stats()
            print(f"*** Profile printout saved to text file {options['-T']!r}.")
        if "-D" in options:
            profile.dump_stats(options["-D"])
        return pstats.Stats(profile) if "-r" in options else None


def enough(timer):
    """So many loops, a power of ten, that they can be measured."""
    return next((10**power for power in range(9) if timer.timeit(10**power) >= 0.2), 10**9)


def readable(seconds):
    if seconds >= 60:
        return f"{int(seconds // 60)}min {seconds % 60:.0f}s"
    unit, scale = next(((unit, scale) for unit, scale in UNITS if seconds >= scale), UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"
