"""Removes a folder that hostile code has filled: `remove.py FOLDER`.

No link is followed and no path is longer than two names: what stands deeper is moved up before it is emptied.
"""

import os
import stat
import sys

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def enter(name, above):
    """A folder that its owner may have closed to himself."""
    try:
        os.chmod(name, 0o700, dir_fd=above, follow_symlinks=False)
    except (OSError, NotImplementedError):
        pass  # where a link cannot be told to stay one, opening it is what fails
    try:
        return os.open(name, FOLDER, dir_fd=above)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=above)
        return os.open(name, FOLDER, dir_fd=above)


def remove(name, above):
    top = enter(name, above)
    moved = 0
    waiting = os.listdir(top)
    while waiting:
        entry = waiting.pop()
        if not is_folder(entry, top):
            os.unlink(entry, dir_fd=top)
            continue
        here = enter(entry, top)
        for below in os.listdir(here):
            if is_folder(below, here):
                moved += 1
                while exists(place := f".{moved}", top):
                    moved += 1
                open_to_owner(below, here)
                os.rename(below, place, src_dir_fd=here, dst_dir_fd=top)
                waiting.append(place)
            else:
                os.unlink(below, dir_fd=here)
        os.close(here)
        os.rmdir(entry, dir_fd=top)
    os.close(top)
    os.rmdir(name, dir_fd=above)


def is_folder(name, above):
    return stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)


def open_to_owner(name, above):
    """A folder that cannot be written to cannot be moved: its way up is written in it."""
    os.close(enter(name, above))


def exists(name, above):
    try:
        os.stat(name, dir_fd=above, follow_symlinks=False)
        return True
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    parent, last = os.path.split(os.path.abspath(sys.argv[1]))
    try:
        folder = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        remove(last, folder)
    except FileNotFoundError:
        pass
