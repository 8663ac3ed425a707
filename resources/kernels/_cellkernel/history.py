"""Magics about earlier cells: showing them, running them again, keeping them."""

import builtins
import sys


class Again(str):
    """What `%macro` makes: its name alone runs it."""


class History:
    """What was run is on the record; a kernel remembers it only as long as it lives."""

    hist_file = ":memory:"
    session_number = 1
    input_hist_raw = input_hist_parsed = property(lambda _: builtins.In)
    output_hist = property(lambda _: builtins.Out)

    def get_range(self, session=0, start=1, stop=None, raw=True, output=False):
        codes = list(enumerate(builtins.In))[1:-1]
        for count, code in codes[max(0, start - 1) : None if stop is None else stop - 1]:
            yield 0, count, (code, builtins.Out.get(count)) if output else code

    def get_tail(self, n=10, raw=True, output=False, include_latest=False):
        return list(self.get_range())[-n:]

    def get_range_by_str(self, ranges, raw=True, output=False):
        for count in counts(ranges):
            yield 0, count, builtins.In[count]

    def search(self, pattern="*", **_):
        import fnmatch

        return [each for each in self.get_range() if fnmatch.fnmatch(each[2], pattern)]


def counts(ranges):
    """`1 3-5 7:9`: which cells are meant, of those that there are. `7:9` ends before the ninth."""
    last = len(builtins.In) - 2
    for word in ranges.split():
        word = word.replace("~0/", "")
        first, sign, end = word.partition("-") if "-" in word else word.partition(":")
        if not (first or sign).strip("-:").isdigit() and first:
            raise ValueError(f"{word} names no cell: write 3 or 1-4.")
        begin = int(first or 1)
        stop = begin if not sign else int(end) if end else last
        yield from range(begin, min(stop - (sign == ":" and bool(end)), last) + 1)


class HistoryMagics:
    def _chosen(self, line):
        """The text of the cells, of the variable or of the file that is named."""
        words = line.split()
        if words and not words[0][0].isdigit():
            found = self.user_ns.get(words[0])
            if isinstance(found, str):
                return str(found)
            with open(words[0], encoding="utf-8") as file:
                return file.read()
        return "\n".join(builtins.In[count] for count in counts(line)) + "\n"

    def _line_history(self, line):
        words = line.split()
        options = {word for word in words if word.startswith("-") and not word[1:].isdigit()}
        rest = [word for word in words if word not in options]
        last = len(builtins.In) - 2
        chosen = range(1, last + 2)
        if "-l" in options:
            chosen = range(max(1, last + 1 - int(rest[0] if rest else 10)), last + 1)
        elif rest:
            chosen = list(counts(" ".join(rest)))
        for count in chosen:
            code = builtins.In[count]
            print((f"{count:>4}:" + ("\n" if "\n" in code else " ") + code) if "-n" in options else code)
            if "-o" in options and count in builtins.Out:
                print(repr(builtins.Out[count]))

    _line_hist = _line_history

    def _line_rerun(self, line):
        words = [word for word in line.split() if not word.startswith("-")]
        code = "\n".join(builtins.In[count] for count in counts(" ".join(words) or str(len(builtins.In) - 2)))
        print(f"=== Executing: ===\n{code}\n=== Output: ===")
        return self._kernel.execute(code, self._kernel.name)

    def _line_recall(self, line):
        print(self._chosen(line or str(len(builtins.In) - 2)))

    _line_rep = _line_recall

    def _line_macro(self, line):
        words = [word for word in line.split() if not word.startswith("-")]
        if not words:
            return sorted(name for name, value in self.user_ns.items() if isinstance(value, Again))
        code = self._chosen(" ".join(words[1:]))
        self.user_ns[words[0]] = Again(code)
        if "-q" not in line.split():
            print(f"Macro `{words[0]}` created. To execute, type its name (without quotes).\n=== Macro contents: ===\n{code}", end="")

    def _line_save(self, line):
        words = line.split()
        options = {word for word in words if word.startswith("-")}
        path, *rest = [word for word in words if word not in options]
        path = path if path.endswith((".py", ".ipy")) else f"{path}.py"
        code = self._chosen(" ".join(rest) or f"1-{len(builtins.In) - 2}")
        with open(path, "a" if "-a" in options else "w", encoding="utf-8") as file:
            file.write(code if "-a" in options else f"# coding: utf-8\n{code}")
        print(f"The following commands were written to file `{path}`:\n{code}", end="")

    def _line_store(self, line):
        """In memory: a variable is there again after `del` or `%reset`, not in another sandbox."""
        words = line.split()
        if not words:
            print("Stored variables and their values:")
            for name, value in self._stored.items():
                print(f"{name:<20}-> {repr(value)[:60]}")
        elif words[0] == "-r":
            for name in words[1:] or list(self._stored):
                if name in self._stored:
                    self.user_ns[name] = self._stored[name]
                else:
                    print(f"no stored variable or alias {name}")
        elif words[0] in ("-d", "-z"):
            for name in words[1:] or list(self._stored):
                self._stored.pop(name, None)
        else:
            for name in words:
                if name not in self.user_ns:
                    raise self.UsageError(f"Unknown variable '{name}'")
                self._stored[name] = self.user_ns[name]
                print(f"Stored {name!r} ({type(self._stored[name]).__name__})")
            sys.stderr.write("Kept as long as this sandbox lives: write a file to keep it longer.\n")
