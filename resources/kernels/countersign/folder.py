"""The working folder as the supervisor sees it. User code may have planted links anywhere, so every path is walked one
part at a time, from a descriptor of the folder, and no part may be a link."""

import errno
import os
import re
import stat
import struct
import sys

MAX_ENTRIES = 20_000
#: Of all names together: whoever makes folders in folders can make each name very long.
MAX_NAME_CHARS = 1 << 20
#: The size of a folder without entries on a file system in memory, where each of them adds to it.
EMPTY = 40
LINUX = sys.platform == "linux"
#: Tells one file system from another.
DEVICE = struct.Struct("<Q")
NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC


class Refused(Exception):
    """The path leads out of the folder, through a link, or to something that is no file."""


def parts_of(path):
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise Refused("the path leads out of the working folder")
    return parts


class Folder:
    def __init__(self, path, in_memory):
        self.path = path
        self._in_memory = in_memory
        self._root = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def _enter(self, parts, make=False):
        here = os.dup(self._root)
        for part in parts:
            try:
                if make:
                    try:
                        os.mkdir(part, 0o755, dir_fd=here)
                    except FileExistsError:
                        pass
                below = os.open(given(part, here), os.O_RDONLY | os.O_DIRECTORY | NO_LINK, dir_fd=here)
            except NotADirectoryError:
                raise Refused("a part of the path is a link or a file") from None
            except OSError as error:
                raise Refused("a part of the path is a link") if error.errno == errno.ELOOP else error from None
            finally:
                os.close(here)
            here = below
        return here

    def list(self, path=""):
        here = self._enter(parts_of(path))
        prefix = "/".join(parts_of(path))
        entries = []
        try:
            with os.scandir(here) as found:
                for entry in found:
                    info = entry.stat(follow_symlinks=False)
                    entries.append(
                        {
                            "path": readable(f"{prefix}/{entry.name}" if prefix else entry.name),
                            "kind": kind_of(info.st_mode),
                            "bytes": info.st_size,
                            "modifiedAt": max(0, int(info.st_mtime * 1000)),
                        }
                    )
                    if len(entries) >= MAX_ENTRIES:
                        break
        finally:
            os.close(here)
        return sorted(entries, key=lambda entry: (entry["kind"] != "folder", entry["path"]))

    def read(self, path, offset, length):
        parts = parts_of(path)
        if not parts:
            raise Refused("a folder cannot be read as a file")
        here = self._enter(parts[:-1])
        try:
            # Without O_NONBLOCK a planted pipe would hold the supervisor for ever.
            file = os.open(given(parts[-1], here), os.O_RDONLY | os.O_NONBLOCK | NO_LINK, dir_fd=here)
        except OSError as error:
            raise Refused("the file is a link") if error.errno == errno.ELOOP else error from None
        finally:
            os.close(here)
        try:
            info = os.fstat(file)
            if not stat.S_ISREG(info.st_mode):
                raise Refused("only plain files can be read")
            return os.pread(file, length, offset), info.st_size
        finally:
            os.close(file)

    def write(self, path, data, append=False):
        parts = parts_of(path)
        if not parts:
            raise Refused("the path names no file")
        here = self._enter(parts[:-1], make=True)
        try:
            if not append:
                # A fresh file each time: writing into an existing one would follow a hard link or a pipe.
                try:
                    os.unlink(parts[-1], dir_fd=here)
                except FileNotFoundError:
                    pass
            flags = os.O_WRONLY | os.O_NONBLOCK | NO_LINK | (os.O_APPEND if append else os.O_CREAT | os.O_EXCL)
            file = os.open(parts[-1], flags, 0o644, dir_fd=here)
        finally:
            os.close(here)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
        finally:
            os.close(file)

    def remove(self, path):
        parts = parts_of(path)
        if not parts:
            raise Refused("the working folder itself cannot be removed")
        here = self._enter(parts[:-1])
        try:
            name = given(parts[-1], here)
            if stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                os.rmdir(name, dir_fd=here)
            else:
                os.unlink(name, dir_fd=here)
        finally:
            os.close(here)

    def undo(self, before):
        """Removes what is new or has changed since. Where not all was listed, only what is new at the top is known."""
        for folder in before.folders if before.complete else ("",):
            try:
                here = self._enter(folder.split("/") if folder else [])
            except (OSError, Refused):
                continue  # gone, or no folder any more: then it is removed where it stands
            try:
                empty(here, {name for name in os.listdir(here) if before.has(folder, name, here)})
            finally:
                os.close(here)

    def snapshot(self):
        """Every file with what changes when it changes. The change time, unlike the modification time, cannot be set."""
        if self._in_memory and os.fstat(self._root).st_size == EMPTY:
            return Snapshot()
        found = walk(self._root)
        if not found.complete:
            found.top = set(os.listdir(self._root))
        return found


def kind_of(mode):
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def readable(name):
    """A name as text; bytes that are no text are written `\\xff`, and such a name is found again by that."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def given(name, here):
    """The name that is meant in a folder, a descriptor: as it is written, or with its `\\xff` as bytes."""
    if "\\x" not in name:
        return name
    try:
        os.stat(name, dir_fd=here, follow_symlinks=False)
        return name
    except OSError:
        escaped = re.sub(rb"\\x([89a-f][0-9a-f])", lambda found: bytes([int(found[1], 16)]), name.encode("utf-8", "surrogateescape"))
        return os.fsdecode(escaped)


class Snapshot:
    def __init__(self):
        self.files = {}
        self.folders = {"": None}  # in an order in which those above come first
        self.top = None  # where not all was listed, all names at the top
        self.bytes = self.name_chars = 0
        self.complete = True  # whether all files are listed
        self.counted = True  # whether all bytes are

    def has(self, folder, name, here):
        """Whether what is in a folder, a descriptor, under a name was there already and is as it was."""
        if not self.complete:
            return name in self.top
        path = f"{folder}/{name}" if folder else name
        try:
            info = os.stat(name, dir_fd=here, follow_symlinks=False)
        except OSError:
            return False
        return path in self.folders if stat.S_ISDIR(info.st_mode) else self.files.get(path) == mark_of(info)


def mark_of(info):
    return (info.st_ino, info.st_size, info.st_ctime_ns)


def used(path):
    """(bytes, whether there is no room for more) of a file system of a fixed size."""
    system = os.statvfs(path)
    return (system.f_blocks - system.f_bfree) * system.f_frsize, system.f_bfree == 0 or system.f_ffree == 0


def walk(root):
    result = Snapshot()
    waiting = [(os.dup(root), "")]
    try:
        while waiting:
            here, prefix = waiting.pop()
            try:
                with os.scandir(here) as found:
                    for entry in found:
                        try:
                            info = entry.stat(follow_symlinks=False)
                        except OSError:
                            continue
                        name = prefix + entry.name
                        result.bytes += info.st_blocks * 512
                        if stat.S_ISDIR(info.st_mode):
                            if len(waiting) > 200 or prefix.count("/") > 100:
                                result.complete = result.counted = False
                                continue
                            result.folders[name] = None
                            try:
                                below = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | NO_LINK, dir_fd=here)
                            except FileNotFoundError:
                                continue
                            except OSError:
                                result.complete = result.counted = False  # closed, and so is what is in it
                                continue
                            waiting.append((below, name + "/"))
                        else:
                            result.files[name] = mark_of(info)
                        result.name_chars += len(name)
                        if len(result.files) + len(result.folders) > MAX_ENTRIES or result.name_chars > MAX_NAME_CHARS:
                            result.complete = result.counted = False
                            return result
            finally:
                os.close(here)
    finally:
        for here, _ in waiting:
            os.close(here)
    return result


def changes(before, after):
    old, new = before.files, after.files
    show = lambda names: sorted(readable(name) for name in names)
    return {
        "created": show(name for name in new if name not in old),
        "modified": show(name for name in new if name in old and new[name] != old[name]),
        "deleted": show(name for name in old if name not in new),
    }


def copy(source, target):
    """Copies a tree as it stands, from a descriptor, which it closes: links stay links, pipes and sockets are left out,
    nothing is followed."""
    waiting = [(source, os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))]
    while waiting:
        here, there = waiting.pop()
        try:
            with os.scandir(here) as found:
                for entry in found:
                    try:
                        _copy_entry(entry, here, there, waiting)
                    except FileNotFoundError:
                        pass  # gone since it was listed
        finally:
            os.close(here)
            os.close(there)


def _copy_entry(entry, here, there, waiting):
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(entry.name, dir_fd=here), entry.name, dir_fd=there)
    elif stat.S_ISDIR(mode):
        flags = os.O_RDONLY | os.O_DIRECTORY | NO_LINK
        source = os.open(entry.name, flags, dir_fd=here)
        os.mkdir(entry.name, 0o755, dir_fd=there)
        waiting.append((source, os.open(entry.name, flags, dir_fd=there)))
    elif stat.S_ISREG(mode):
        _copy_file(entry.name, here, there, mode)


def _copy_file(name, here, there, mode):
    source = os.open(name, os.O_RDONLY | os.O_NONBLOCK | NO_LINK, dir_fd=here)
    try:
        target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, stat.S_IMODE(mode) | 0o600, dir_fd=there)
        try:
            while os.sendfile(target, source, None, 1 << 30) if LINUX else os.write(target, os.read(source, 1 << 20)):
                pass
        finally:
            os.close(target)
    finally:
        os.close(source)


def walk_at(path):
    root = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return walk(root)
    finally:
        os.close(root)


def clear(path):
    """Removes what is in a folder, as far as it can be removed, however deep. What stands deeper is moved up first."""
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        empty(top)
    finally:
        os.close(top)


def empty(top, keep=()):
    waiting = [name for name in os.listdir(top) if name not in keep]
    while waiting:
        name = waiting.pop()
        try:
            os.unlink(name, dir_fd=top)
            continue
        except OSError:
            pass  # a folder
        try:
            os.chmod(name, 0o700, dir_fd=top)
            here = os.open(name, os.O_RDONLY | os.O_DIRECTORY | NO_LINK, dir_fd=top)
        except OSError:
            continue
        try:
            for below in os.listdir(here):
                try:
                    os.unlink(below, dir_fd=here)
                except OSError:
                    aside = f".{os.urandom(8).hex()}"
                    os.chmod(below, 0o700, dir_fd=here)
                    os.rename(below, aside, src_dir_fd=here, dst_dir_fd=top)
                    waiting.append(aside)
        except OSError:
            pass
        finally:
            os.close(here)
        try:
            os.rmdir(name, dir_fd=top)
        except OSError:
            pass
