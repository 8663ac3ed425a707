"""Makes a stopped process do single system calls, from outside.

A copy of a kernel has to enter another jail, and only a process itself can enter namespaces. The kernel is user code, so
it is not asked to: its supervisor stops it, copies it and walks the copy into the new jail, one system call at a time.
Between the first stop and the last not one instruction of user code runs; what it holds in memory decides nothing.

For x86-64 only: other processors have other registers, and there a kernel is not copied.
"""

import ctypes
import os
import signal
import struct

from . import jail

AVAILABLE = os.uname().machine == "x86_64" and hasattr(os, "waitpid")

SETREGS, GETREGS, SYSCALL, DETACH, GETEVENTMSG = 13, 12, 24, 17, 0x4201
SEIZE, INTERRUPT, SETSIGMASK, GETSIGMASK = 0x4206, 0x4207, 0x420B, 0x420A
TRACE_SYSGOOD, TRACE_FORK, TRACE_VFORK, TRACE_CLONE, EXIT_KILL = 1, 2, 4, 8, 0x100000
SYSCALL_STOP = signal.SIGTRAP | 0x80
COPIED = {1, 2, 3}  # events: fork, vfork, clone
WALL = 0x40000000
EVERY_SIGNAL = (1 << 64) - 1

NAMES = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs"
).split()
ARGUMENTS = ("rdi", "rsi", "rdx", "r10", "r8", "r9")
REGISTERS = struct.Struct(f"<{len(NAMES)}Q")
INSTRUCTION = b"\x0f\x05"  # syscall
#: What the system leaves in a register when a stop has cut a call short. All but the last begin again by themselves.
RESTART, RESTART_BLOCK = {512, 513, 514}, 516
EINTR = 4

OPEN, CLOSE, LSEEK, DUP2, RECVMSG, CLONE, CHDIR, SETSID, CAPSET, PRCTL, SETNS = 2, 3, 8, 33, 47, 56, 80, 112, 126, 157, 308
SHARED_MEMORY, CHILD_SETTID, CHILD_CLEARTID = 0x00000100, 0x01000000, 0x00200000
PR_SET_DUMPABLE, PR_GET_TID_ADDRESS = 4, 40
DONT_WAIT, CLOSE_ON_EXEC = 0x40, 0x40000000


class CannotTrace(Exception):
    pass


def ptrace(request, pid, address=0, data=0):
    ctypes.set_errno(0)
    if jail.libc.ptrace(ctypes.c_long(request), ctypes.c_long(pid), ctypes.c_void_p(address), data) == -1:
        number = ctypes.get_errno()
        if number:
            raise CannotTrace(f"the kernel could not be held: {os.strerror(number)}")


class Held:
    """A process that stands still until it is let go or ended. It has one thread, and waits in a system call."""

    def __init__(self, pid, seize=True):
        self.pid = pid
        self._address = None
        if seize:
            options = TRACE_SYSGOOD | TRACE_FORK | TRACE_VFORK | TRACE_CLONE | EXIT_KILL
            ptrace(SEIZE, pid, 0, ctypes.c_void_p(options))
            ptrace(INTERRUPT, pid)
        self._await()
        try:
            self._prepare()
        except BaseException:
            self.let_go() if seize else self.end()
            raise

    def _prepare(self):
        if len(os.listdir(f"/proc/{self.pid}/task")) != 1:
            raise CannotTrace("The kernel has threads, which a copy would lose.")
        self._mask = ctypes.create_string_buffer(8)
        ptrace(GETSIGMASK, self.pid, 8, self._mask)
        # A signal that came now would run its handler in the middle of ours.
        ptrace(SETSIGMASK, self.pid, 8, ctypes.create_string_buffer(struct.pack("<Q", EVERY_SIGNAL), 8))
        self._found = self._registers()
        self._memory = os.open(f"/proc/{self.pid}/mem", os.O_RDWR | os.O_CLOEXEC)
        is_waiting = self._found["orig_rax"] >> 63 == 0
        # Behind the call that it waits in; or before it, when it has been let go and not been woken since.
        self._at = self._found["rip"] - (len(INSTRUCTION) if is_waiting else 0)
        if self.read(self._at, len(INSTRUCTION)) != INSTRUCTION:
            raise CannotTrace("The kernel is not at rest.")
        #: Below what the code may use of its stack: whatever is there is of no value to it.
        self.scratch = (self._found["rsp"] - 2048) & ~63

    # -- memory and registers --------------------------------------------------------------------------------------

    def read(self, address, size):
        try:
            return os.pread(self._memory, size, address)
        except OSError:
            raise CannotTrace("The memory of the kernel cannot be read.") from None

    def write(self, address, data):
        try:
            done = os.pwrite(self._memory, data, address)
        except OSError:
            done = 0
        if done != len(data):
            raise CannotTrace("The memory of the kernel cannot be written.")

    def _registers(self):
        buffer = ctypes.create_string_buffer(REGISTERS.size)
        ptrace(GETREGS, self.pid, 0, buffer)
        return dict(zip(NAMES, REGISTERS.unpack(buffer.raw)))

    def _set(self, registers):
        buffer = ctypes.create_string_buffer(REGISTERS.pack(*(registers[name] for name in NAMES)), REGISTERS.size)
        ptrace(SETREGS, self.pid, 0, buffer)

    # -- system calls ----------------------------------------------------------------------------------------------

    def call(self, number, *arguments):
        """The result, negative for an error. Raises when anything but this one call has happened."""
        registers = dict(self._found, rip=self._at, rax=number, orig_rax=(1 << 64) - 1)
        registers.update(zip(ARGUMENTS, (argument & ((1 << 64) - 1) for argument in arguments)))
        self._set(registers)
        self.child = None
        self._step()
        # The system may lead a process elsewhere before it goes on, where that has asked for it (restartable sequences).
        wanted = dict(registers, orig_rax=number, rip=self._at + len(INSTRUCTION))
        found = self._registers()
        if any(found[name] != wanted[name] for name in ("orig_rax", "rip", *ARGUMENTS)):
            raise CannotTrace("The kernel did something else.")
        self._step()
        result = self._registers()["rax"]
        return result - (1 << 64) if result >> 63 else result

    def do(self, what, number, *arguments):
        result = self.call(number, *arguments)
        if result < 0:
            raise CannotTrace(f"{what}: {os.strerror(-result)}")
        return result

    def copy(self):
        """A fork, held like this one."""
        return self._clone(CHILD_SETTID | CHILD_CLEARTID, self._thread_address())

    def twin(self):
        """A process of its own in the memory of this one, held like it: quickly made and ended, and good for nothing but
        calls. What the C library keeps of its threads is this one's, and stays as it is."""
        self._thread_address()  # asked now: a twin has none
        return self._clone(SHARED_MEMORY, 0)

    def _clone(self, flags, address):
        self.do("copy", CLONE, signal.SIGCHLD | flags, 0, 0, address, 0)
        if self.child is None:
            raise CannotTrace("The kernel could not be copied.")
        copy = Held.__new__(Held)
        copy.__dict__.update(
            pid=self.child, _found=self._found, _mask=self._mask, _at=self._at, _address=self._address, scratch=self.scratch
        )
        copy._await()
        copy._memory = None
        return copy

    def open_memory(self):
        self._memory = os.open(f"/proc/{self.pid}/mem", os.O_RDWR | os.O_CLOEXEC)

    def _thread_address(self):
        """Where the C library keeps the number of this thread, which is another one in the copy."""
        if self._address is None and self.call(PRCTL, PR_GET_TID_ADDRESS, self.scratch, 0, 0, 0) >= 0:
            (self._address,) = struct.unpack("<Q", self.read(self.scratch, 8))
        return self._address or self.scratch

    def _step(self):
        """To where the next system call begins or ends."""
        for _ in range(16):  # it may report first that it had been stopped before, and by whom
            ptrace(SYSCALL, self.pid)
            status = self._await()
            if os.WSTOPSIG(status) == SYSCALL_STOP:
                return
            if status >> 16 in COPIED:
                message = ctypes.create_string_buffer(8)
                ptrace(GETEVENTMSG, self.pid, 0, message)
                (self.child,) = struct.unpack("<Q", message.raw)
        raise CannotTrace("The kernel cannot be held.")

    def _await(self):
        _, status = os.waitpid(self.pid, WALL)
        if not os.WIFSTOPPED(status):
            raise CannotTrace("The kernel has ended.")
        return status

    # -- the end ---------------------------------------------------------------------------------------------------

    def let_go(self, stopped=True):
        """Goes on where it was, in the call that it waited in; `stopped`: not before it is woken."""
        try:
            registers = dict(self._found)
            result = registers["rax"] - (1 << 64) if registers["rax"] >> 63 else 0
            if registers["orig_rax"] >> 63 == 0 and -result in RESTART:
                registers.update(rax=registers["orig_rax"], rip=self._at)
            elif -result == RESTART_BLOCK:
                registers["rax"] = (1 << 64) - EINTR
            registers["orig_rax"] = (1 << 64) - 1
            self._set(registers)
            if stopped:
                os.kill(self.pid, signal.SIGSTOP)
            ptrace(SETSIGMASK, self.pid, 8, self._mask)
            ptrace(DETACH, self.pid)
        except (AttributeError, CannotTrace, ProcessLookupError):
            pass  # it has ended, or was never held
        self._close()

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
            while not os.WIFSIGNALED(status := os.waitpid(self.pid, WALL)[1]) and not os.WIFEXITED(status):
                pass
        except (ProcessLookupError, ChildProcessError):
            pass
        self._close()

    def _close(self):
        if getattr(self, "_memory", None) is not None:
            os.close(self._memory)
            self._memory = None
