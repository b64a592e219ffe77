"""Makes a model worker for Berth: a process that loads a model once and then serves tasks, one at a time.

    import berth_worker as berth

    @berth.load
    def load():                             # once, before the first task
        return Model("weights.pt")

    @berth.task("optimization")
    def optimize(model, params, task):      # params: the task's JSON object; returns a JSON value
        for step in range(params["steps"]):
            task.check_cancelled()
            task.progress(step, params["steps"])
            model.step()
        return {"energy": model.energy()}

    @berth.unload
    def unload(model):                      # optional, before the process ends
        model.close()

    berth.run()

Put "import berth_worker" first in the file: from then on, file descriptor 1 belongs to the protocol. What a handler prints goes
to the log of its task; other output, also of C code and child processes, goes to stderr, the log of the worker.

One file, Python 3.8 or newer, standard library only. The protocol: docs/workers.md.
"""

import codecs
import collections
import gc
import inspect
import io
import json
import math
import os
import queue
import re
import select
import signal
import sys
import threading
import time
import traceback

__all__ = ["load", "task", "unload", "run", "Task", "Cancelled"]

RESULT_BYTES = 1 << 20  # the largest result, encoded
RESULT_DEPTH = 60  # lists and objects inside each other
LINE_BYTES = 16 << 20  # the longest line accepted from the server
BACKLOG_BYTES = 1 << 20  # a handler waits while more than this is unsent
LOG_LINE_CHARS = 1 << 16  # longer log lines are split
MESSAGE_CHARS = 10_000  # longer error messages are cut
PROGRESS_SECONDS = 0.1  # between two progress messages of a task
BAR_SECONDS = 1.0  # between two states of a progress bar (text with \r) in the log
GRACE_SECONDS = 2.0  # for a task and for unload once the server is gone
EXIT_SECONDS = 5.0  # for exit handlers and threads after unload
SIGNALS = {signal.SIGTERM, signal.SIGINT}

OUT_OF_MEMORY_CLASSES = {"MemoryError", "OutOfMemoryError"}
OUT_OF_MEMORY_TEXT = re.compile(
    r"\b(?:CUDA|HIP|ROCm|XPU|NPU|MPS backend|GPU|cu(?:da|blas|dnn|fft|rand|solver|sparse)\w*)\b[^\n]{0,120}\bout of memory"
    r"|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|hipErrorOutOfMemory|hipErrorMemoryAllocation"
    r"|_STATUS_ALLOC_FAILED|CUFFT_ALLOC_FAILED|\bcudaMalloc\w*\b[^\n]{0,60}\bfailed|\bbad_alloc\b"
    r"|OOM when allocating|RESOURCE_EXHAUSTED:[^\n]*(?:memory|allocat)|Resource exhausted:[^\n]*(?:memory|allocat)",
    re.IGNORECASE,
)


class Cancelled(BaseException):
    """Raised by check_cancelled. No Exception, so that "except Exception" in a handler does not keep a task running."""


class _BadResult(Exception):
    def __init__(self, error_type, message):
        super().__init__(message)
        self.error_type = error_type


class Task:
    """The task that a handler serves."""

    def __init__(self, worker, task_id, task_type, params):
        self._worker = worker
        self._over = False
        self.id = task_id
        self.type = task_type
        self.params = params
        self.cancelled = False  # becomes true when somebody cancels the task

    def check_cancelled(self):
        """Raises Cancelled if the task was cancelled."""
        if self.cancelled:
            raise Cancelled("The task was cancelled.")

    def progress(self, done, total):
        """Reports how far the task is: done of total."""
        done, total = _number(done), _number(total)
        if total > 0 and (done % 1 or total % 1):  # the protocol has whole numbers
            done, total = done / total * 1000, 1000
        done, total = int(done), int(total)
        if not self._over:
            self._worker.outbox.progress({"type": "progress", "task": self.id, "done": done, "total": total})

    def log(self, text):
        """Writes lines to the log of the task, as print does."""
        for line in str(text).split("\n"):
            for start in range(0, len(line) or 1, LOG_LINE_CHARS):
                if not self._over:
                    self._worker.send({"type": "log", "task": self.id, "line": line[start : start + LOG_LINE_CHARS]})


def _number(value):
    if hasattr(value, "tolist"):  # numpy, torch
        value = value.tolist()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError("progress needs two finite numbers, not %r" % (value,))
    return value


class _Outbox:
    """Writes messages in its own thread: if the server reads slowly, only handlers wait, not the answers to pings."""

    def __init__(self, fd, on_broken):
        self._fd = fd
        self._on_broken = on_broken
        self._changed = threading.Condition()
        self._lines = collections.deque()
        self._bytes = 0  # unsent, with those being written
        self._pongs = 0
        self._progress = None
        self._progress_due = 0.0
        _start_thread(self._write_lines)

    def send(self, line, wait=True):
        with self._changed:
            while wait and self._bytes > BACKLOG_BYTES:
                self._changed.wait()
            self._append_progress()
            self._append(line)
            self._changed.notify_all()

    def pong(self):
        with self._changed:
            self._pongs += 1
            self._changed.notify_all()

    def progress(self, message):
        """Replaces an unsent progress: only the last state counts."""
        with self._changed:
            self._progress = message
            self._changed.notify_all()

    def drain(self, seconds):
        with self._changed:
            self._changed.wait_for(lambda: not self._bytes and not self._pongs, seconds)

    def _append(self, line):
        self._lines.append(line)
        self._bytes += len(line)

    def _append_progress(self):
        if self._progress is not None:
            self._append(_encode(self._progress))
            self._progress = None
            self._progress_due = time.monotonic() + PROGRESS_SECONDS

    def _next_lines(self):
        with self._changed:
            while True:
                wait = None
                if self._progress is not None:
                    wait = self._progress_due - time.monotonic()
                    if wait <= 0:
                        self._append_progress()
                if self._lines or self._pongs:
                    break
                self._changed.wait(wait)
            lines = b'{"type":"pong"}\n' * self._pongs + b"".join(self._lines)
            self._pongs = 0
            self._lines.clear()
            return lines

    def _write_lines(self):
        while True:
            lines = memoryview(self._next_lines())
            try:
                while lines:
                    lines = lines[os.write(self._fd, lines) :]
            except OSError as error:
                self._on_broken("cannot write to the server: %s" % error)
                return
            with self._changed:
                self._bytes = sum(map(len, self._lines))
                self._changed.notify_all()


class _Output(io.RawIOBase):
    """The bytes below sys.stdout or sys.stderr: log lines of the current task, or the log of the worker."""

    def __init__(self, worker, fd):
        self._worker = worker
        self._fd = fd
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._partial = ""  # of the last line
        self._bar_due = 0.0
        self.lock = threading.RLock()

    def writable(self):
        return True

    def fileno(self):
        return self._fd

    def write(self, data):
        data = bytes(data)
        with self.lock:
            current = self._worker.current
            if current is None:
                _write_log(data)
            else:
                self._add(current, self._decoder.decode(data))
        return len(data)

    def end_of(self, ended):
        """Logs what the task printed without a line end."""
        with self.lock:
            rest = self._partial + self._decoder.decode(b"", final=True)
            self._partial = ""
            if rest:
                ended.log(rest)

    def _add(self, current, text):
        *lines, self._partial = (self._partial + text).split("\n")
        for line in lines:
            current.log(line.rstrip("\r").rpartition("\r")[2])
        if "\r" in self._partial:  # a progress bar that overwrites itself
            self._partial = self._partial.rpartition("\r")[2]
            if self._partial and time.monotonic() >= self._bar_due:
                self._bar_due = time.monotonic() + BAR_SECONDS
                current.log(self._partial)
        while len(self._partial) > LOG_LINE_CHARS:
            current.log(self._partial[:LOG_LINE_CHARS])
            self._partial = self._partial[LOG_LINE_CHARS:]


class _Worker:
    def __init__(self):
        self.load = None
        self.unload = None
        self.handlers = {}  # task type (None: every other type) to function and number of its arguments
        self.current = None
        self.outbox = None
        self._streams = None  # file descriptors of the protocol: in, out
        self._outputs = ()
        self._process = None
        self._forking = threading.local()
        self._wakeup = ()  # a pipe with the numbers of the signals that came
        self._tasks = {}  # accepted and not answered
        self._inbox = queue.SimpleQueue()  # of tasks; None: look whether the worker stops
        self._loaded = False
        self._stopping = False  # tasks that come now are refused

    def take_streams(self):
        """Keeps stdin and stdout for the protocol. What prints to descriptor 1 or to sys.stdout can then not break it."""
        if self._streams:
            return
        self._streams = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        if sys.stdout is not None:
            sys.stdout.flush()  # what was printed before now goes to stderr
        self._outputs = _Output(self, 1), _Output(self, 2)
        sys.stdout, sys.stderr = [
            io.TextIOWrapper(output, encoding="utf-8", errors="backslashreplace", write_through=True)
            for output in self._outputs
        ]
        os.register_at_fork(
            before=self._before_fork, after_in_parent=self._after_fork, after_in_child=self._in_forked_child
        )

    def _before_fork(self):
        # A signal between the fork and the reset of the handlers would be lost in the child.
        self._forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)

    def _after_fork(self):
        signal.pthread_sigmask(signal.SIG_SETMASK, self._forking.mask)

    def _in_forked_child(self):
        """A child must neither speak to the server nor survive SIGTERM; locks may be held by threads it does not have."""
        for fd in self._streams + self._wakeup:
            os.close(fd)
        self._streams = self._wakeup = ()
        self.current = None
        self.outbox = _NoOutbox()
        for output in self._outputs:
            output.lock = threading.RLock()
        for number in SIGNALS:
            if signal.getsignal(number) == self._on_signal:
                signal.set_wakeup_fd(-1)
                signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.default_int_handler)
        self._after_fork()

    def run(self):
        """Returns the exit code."""
        self._process = os.getpid()
        self.take_streams()
        for fd in self._streams:
            os.set_blocking(fd, True)
        self._wakeup = os.pipe()
        os.set_blocking(self._wakeup[1], False)
        self.outbox = _Outbox(self._streams[1], self._server_gone)
        _start_thread(self._read_lines)
        try:
            model = self.load() if self.load else None
        except KeyboardInterrupt:
            return 130
        except Exception:
            traceback.print_exc()
            return 1
        self._loaded = True
        self._take_signals()
        self.send({"type": "ready"})
        self._serve(model)
        if self.unload:
            try:
                self.unload(*[model][: _positional(self.unload)])
            except BaseException:
                traceback.print_exc()  # the memory returns with the end of the process
        self.outbox.drain(EXIT_SECONDS)
        return 0

    def send(self, message, wait=True):
        self.outbox.send(_encode(message), wait)

    # --- the main thread ---

    def _serve(self, model):
        while True:
            accepted = self._inbox.get()
            if accepted:
                self._answer(accepted, self._refuse(accepted) or self._execute(accepted, model))
            elif self._stopping:
                return

    def _refuse(self, accepted):
        if accepted.cancelled:
            return _error_line(accepted, "cancelled", "The task was cancelled before it began.")
        if self._handler(accepted) is None:
            known = ", ".join(sorted(self.handlers))
            text = "This worker has no task type %r. It knows: %s." % (accepted.type, known)
            return _error_line(accepted, "unknown_task_type", text)
        return None

    def _handler(self, accepted):
        return self.handlers.get(accepted.type) or self.handlers.get(None)

    def _execute(self, accepted, model):
        handler, taken = self._handler(accepted)
        arguments = (model, accepted.params, accepted)[:taken]
        out_of_memory = False
        try:
            self.current = accepted
            try:
                value = handler(*arguments)
            finally:
                self._end_of_output(accepted)
            line = _result_line(accepted, value)
        except BaseException as error:
            out_of_memory = is_out_of_memory(error)
            line = _failure_line(accepted, error, out_of_memory)
        if out_of_memory:
            gc.collect()  # the frames of the traceback hold tensors, often in cycles
        return line

    def _end_of_output(self, accepted):
        if os.getpid() != self._process:
            os._exit(0)  # a child that the handler forked and that came back: not a second worker
        self.current = None
        for output in self._outputs:
            output.end_of(accepted)

    def _answer(self, accepted, line):
        accepted._over = True
        if self._tasks.get(accepted.id) is accepted:
            del self._tasks[accepted.id]
        self.outbox.send(line)

    def _take_signals(self):
        # Python calls its handlers in the main thread. The byte in the pipe lets the reading thread wake it up:
        # a signal that comes just before the main thread begins to wait does not.
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
            for number in SIGNALS:
                if signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, self._on_signal)

    def _on_signal(self, number, _frame):
        # Runs between two instructions of the main thread, which may hold any lock: takes none.
        if self._stopping and number == signal.SIGINT:
            os._exit(130)  # somebody at a terminal is impatient
        self._cancel_all()
        self._stop()

    # --- the thread that reads ---

    def _read_lines(self):
        parts, length = [], 0
        while True:
            try:
                self._await_input()
                data = os.read(self._streams[0], 1 << 16)
            except OSError as error:
                return self._server_gone("cannot read from the server: %s" % error)
            if not data:
                return None if self._stopping else self._server_gone("the server closed the input")
            *lines, rest = data.split(b"\n")
            for line in lines:
                if length <= LINE_BYTES:
                    self._receive(b"".join(parts) + line)
                parts, length = [], 0
            length += len(rest)
            if length <= LINE_BYTES:
                parts.append(rest)
            elif parts:
                parts = []
                _note("ignored a line of more than %d bytes" % LINE_BYTES)

    def _await_input(self):
        poll = select.poll()
        poll.register(self._streams[0], select.POLLIN)
        poll.register(self._wakeup[0], select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if self._wakeup[0] in ready and SIGNALS & set(os.read(self._wakeup[0], 1024)):
                self._inbox.put(None)
            if self._streams[0] in ready:
                return

    def _receive(self, line):
        if not line.strip():
            return
        try:
            message = json.loads(line.decode("utf-8"))
            kind = message["type"]
            if kind == "ping":
                self.outbox.pong()
            elif kind == "run":
                self._accept(message)
            elif kind == "cancel":
                self._cancel(message["task"])
            elif kind == "stop":
                self._stop()
            else:
                _note("ignored a message of unknown type: %.200r" % line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            _note("ignored a line that is no message (%s): %.200r" % (error, line))

    def _accept(self, message):
        task_id, task_type = message["task"], message.get("task_type")
        if not isinstance(task_id, (int, str)) or not isinstance(task_type, (str, type(None))):
            raise TypeError("task or task_type has the wrong type")
        accepted = Task(self, task_id, task_type, message.get("params", {}))
        if self._stopping:
            accepted._over = True
            self.outbox.send(_error_line(accepted, "stopping", "The worker is stopping."), wait=False)
        else:
            self._tasks[accepted.id] = accepted
            self._inbox.put(accepted)

    def _cancel(self, task_id):
        accepted = self._tasks.get(task_id)
        if accepted:
            accepted.cancelled = True

    def _cancel_all(self):
        for accepted in list(self._tasks.values()):
            accepted.cancelled = True

    def _stop(self):
        self._stopping = True
        self._inbox.put(None)
        if not self._loaded and not self._tasks:
            _exit_after(GRACE_SECONDS, 0)  # nobody needs the model

    def _server_gone(self, why):
        _note("ends: %s" % why)
        _exit_after(GRACE_SECONDS, 0)
        self._cancel_all()
        self._stop()


class _NoOutbox:
    """In a forked child."""

    def send(self, line, wait=True):
        pass

    def progress(self, message):
        pass


# --- answers ---


def is_out_of_memory(error):
    """Says whether an exception, or one that it was raised from, means that memory ran out, on the GPU or off it."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        names = {base.__name__ for base in type(error).__mro__}
        if names & OUT_OF_MEMORY_CLASSES or OUT_OF_MEMORY_TEXT.search(_text(error)):
            return True
        if "ResourceExhaustedError" in names and re.search("OOM|memory", _text(error)):  # TensorFlow
            return True
        error = error.__cause__
    return False


def _text(error):
    try:
        return str(error)
    except Exception as broken:
        return "(its text cannot be read: %s)" % type(broken).__name__


def _result_line(accepted, value):
    nulls = []
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
        if "NaN" in text or "Infinity" in text:  # perhaps in a string only
            text = _dump(json.loads(text, parse_constant=nulls.append))
        encoded = text.encode("utf-8")
        if len(encoded) > RESULT_BYTES:
            raise _too_large("%d bytes" % len(encoded))
        if _depth(text) > RESULT_DEPTH:
            raise ValueError("more than %d lists and objects inside each other" % RESULT_DEPTH)
    except (TypeError, ValueError, RecursionError) as error:
        text = "The result cannot be sent as JSON: %s. Return a JSON value, or write a file and return its path." % error
        raise _BadResult("result_not_json", text) from None
    if nulls:
        accepted.log("NaN or infinite numbers in the result that became null: %d (JSON has no such numbers)" % len(nulls))
    return b'{"type":"result","task":%s,"value":%s}\n' % (_dump(accepted.id).encode("utf-8"), encoded)


def _plain(value):
    """Makes numbers and lists of what numpy and torch return, and text of a path."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        elements = value.numel() if hasattr(value, "numel") else getattr(value, "size", 1)
        if elements > RESULT_BYTES // 2:  # each takes a digit and a comma
            raise _too_large("an array of %d elements" % elements)
        return value.tolist()
    raise TypeError("it contains a value of type %s" % type(value).__name__)


def _depth(text):
    depth = deepest = 0
    if text.count("[") + text.count("{") > RESULT_DEPTH:
        for token in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
            depth += (token in "[{") - (token in "]}")
            deepest = max(deepest, depth)
    return deepest


def _too_large(size):
    text = "The result is too large (%s; the limit is %d bytes). Write it to a file and return the path."
    return _BadResult("result_too_large", text % (size, RESULT_BYTES))


def _failure_line(accepted, error, out_of_memory):
    if isinstance(error, _BadResult):
        return _error_line(accepted, error.error_type, _text(error))
    if not isinstance(error, Cancelled):
        inner = error.__traceback__.tb_next  # without the line of this file
        accepted.log("".join(traceback.format_exception(type(error), error, inner)).rstrip("\n"))
    if isinstance(error, Cancelled) or accepted.cancelled:
        return _error_line(accepted, "cancelled", _text(error) or "The task was cancelled.")
    return _error_line(accepted, "OOM" if out_of_memory else type(error).__name__, _text(error))


def _error_line(accepted, error_type, message):
    return _encode({"type": "error", "task": accepted.id, "error_type": error_type, "message": message[:MESSAGE_CHARS]})


def _encode(message):
    return _dump(message).encode("utf-8", "replace") + b"\n"


def _dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- small parts ---


def _positional(function):
    """How many arguments a function takes by position; None: any number."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return None
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def _start_thread(target, *arguments):
    threading.Thread(target=target, args=arguments, daemon=True, name="berth_worker").start()


def _exit_after(seconds, code):
    """Ends the process even if a handler, an exit handler or a thread does not end."""

    def end():
        time.sleep(seconds)
        os._exit(code)

    # While the interpreter ends, or if C code keeps its global lock, that thread does not run.
    signal.setitimer(signal.ITIMER_REAL, seconds + 1)
    _start_thread(end)


def _note(text):
    _write_log(("berth_worker: %s\n" % text).encode("utf-8", "replace"))


def _write_log(data):
    try:
        while data:
            data = data[os.write(2, data) :]
    except OSError:
        pass  # nobody reads the log


def _imported_by_script():
    """True if the program itself has the import statement, false in a test or an interactive session."""
    frame = sys._getframe(2)
    while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "__main__" and "__file__" in frame.f_globals


# --- what a worker program uses ---

_worker = _Worker()


def load(function):
    """Decorator: the function that loads the model and returns it."""
    if _worker.load:
        raise ValueError("@berth.load is used twice")
    _worker.load = function
    return function


def unload(function):
    """Decorator: the function that releases the model, called with it before the process ends."""
    if _worker.unload:
        raise ValueError("@berth.unload is used twice")
    _worker.unload = function
    return function


def task(*types):
    """Decorator: the handler of these task types, or without a type of all other tasks.

    It is called with the model, the parameters and the Task; it may leave out the last. It returns a JSON value.
    """
    if len(types) == 1 and callable(types[0]):  # @berth.task without parentheses
        return task()(types[0])

    def register(function):
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError("%s must be a plain function that returns its result" % function.__name__)
        if (_positional(function) or 2) < 2:
            raise TypeError("%s must take (model, params) or (model, params, task)" % function.__name__)
        for name in types or (None,):
            if name in _worker.handlers:
                raise ValueError("two handlers for " + ("task type %r" % name if name else "all other tasks"))
            _worker.handlers[name] = function, _positional(function)
        return function

    return register


def run():
    """Loads the model, serves tasks until the server says stop or is gone, and ends the process."""
    if sys._getframe(1).f_globals.get("__name__") == "__mp_main__":
        return  # a child that multiprocessing spawned runs the program again to know its functions
    if not _worker.handlers:
        raise RuntimeError("no task handler: decorate a function with @berth.task")
    code = 1
    try:
        code = _worker.run()
    finally:
        _exit_after(EXIT_SECONDS, code)
    sys.exit(code)


if _imported_by_script():
    _worker.take_streams()
