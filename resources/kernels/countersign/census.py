"""Which processes a sandbox has besides its kernels.

To list them takes longer than a small run. The system also says which number it gave out last: while that stays the same
nothing has begun, no process and no thread, and where nobody was there is nobody still.
"""

import os

from . import measure

#: A number below this is given out once in the life of a process namespace: after the largest the system goes on here.
GIVEN_AGAIN = 300


class Census:
    def __init__(self):
        self._alone_at = None  # the last number when nobody else was there
        self._file = None
        if measure.HAS_PROC and os.getpid() == 1:
            self._file = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
            if os.fstat(self._file).st_dev != os.stat("/proc/self").st_dev:
                self.close()  # a container engine has put a file of its own there, which may say anything

    def nobody_came(self):
        """Whether nobody else was there when it was last looked at, and nobody has come since."""
        return self._alone_at is not None and self._last() == self._alone_at

    def others(self, keep, without):
        """Like `measure.others`, which is only asked when somebody may have come."""
        if self.nobody_came():
            return []
        last = self._last()
        found = measure.others(keep, without)
        # One that is lower than a number in use is none: some systems always say 0.
        is_known = last is not None and last >= max(keep, default=1)
        self._alone_at = last if is_known and not found and not without else None
        return found

    def forget(self):
        """For when others than before are left out of the list."""
        self._alone_at = None

    def close(self):
        os.close(self._file)
        self._file = None

    def _last(self):
        if self._file is None:
            return None
        last = int(os.pread(self._file, 128, 0).rpartition(b" ")[2] or 0)
        return last if last < GIVEN_AGAIN else None
