"""Starts a worker as Berth does, with pipes, and speaks the protocol with it."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

SDK = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(SDK))
sys.path.insert(0, SDK)

# Far more than anything takes here: a worker that hangs is killed, and its test fails on the end of its output.
PATIENCE_SECONDS = 60

# A handler that does not end by itself and says when it has begun.
ENDLESS = """
    import time
    @berth.task("endless")
    def endless(model, params, task):
        print("begun")
        while True:
            time.sleep(0.01)
"""


class WorkerProcess:
    def __init__(self, command, read=True, **options):
        options.setdefault("env", dict(os.environ, PYTHONPATH=SDK))
        options.setdefault("stdin", subprocess.PIPE)
        options.setdefault("stdout", subprocess.PIPE)
        self._log = tempfile.TemporaryFile()
        # A shell ignores SIGINT for programs in the background, and so would the worker.
        options.setdefault("preexec_fn", lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.process = subprocess.Popen(command, stderr=self._log, bufsize=0, **options)
        self._killer = threading.Timer(PATIENCE_SECONDS, self.process.kill)
        self._killer.daemon = True
        self._killer.start()
        self._lines = queue.Queue()
        if read:
            self.read_output()

    def read_output(self):
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def _read(self, pipe):
        with os.fdopen(os.dup(pipe.fileno()), "rb") as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)

    def write(self, data):
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.process.stdin.fileno(), rest) :]

    def send(self, **message):
        self.write(json.dumps(message).encode() + b"\n")

    def run(self, task_id, task_type="t", **params):
        self.send(type="run", task=task_id, task_type=task_type, params=params)

    def receive(self):
        """The next message; None at the end of the output."""
        line = self._lines.get(timeout=2 * PATIENCE_SECONDS)
        if line is None:
            return None
        assert line.endswith(b"\n"), line
        return json.loads(line.decode("utf-8"))

    def receive_until(self, *types):
        """All messages up to the first of these types."""
        messages = []
        while not messages or messages[-1]["type"] not in types:
            message = self.receive()
            if message is None:
                raise AssertionError("no %s in %s; stderr: %s" % (types, messages, self.log()))
            messages.append(message)
        return messages

    def answer(self):
        return self.receive_until("result", "error")[-1]

    def rest(self):
        return list(iter(self.receive, None))

    def signal(self, number):
        self.process.send_signal(number)

    def close_input(self):
        self.process.stdin.close()

    def wait(self):
        return self.process.wait()

    def stop(self):
        self.send(type="stop")
        return self.wait()

    def log(self):
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def close(self):
        self._killer.cancel()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            if pipe and not pipe.closed:
                pipe.close()


class WorkerTest(unittest.TestCase):
    def start(self, source, **options):
        """Starts a worker with this source; the import and the call of run are added."""
        script = "import berth_worker as berth\n" + textwrap.dedent(source) + "\nberth.run()\n"
        return self.start_script(script, **options)

    def start_script(self, script, **options):
        file = tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(script)
        return self.start_command([sys.executable, file.name], **options)

    def start_command(self, command, **options):
        worker = WorkerProcess(command, **options)
        self.addCleanup(worker.close)
        return worker

    def start_ready(self, source, **options):
        worker = self.start(source, **options)
        self.assert_ready(worker)
        return worker

    def assert_ready(self, worker):
        self.assertEqual(worker.receive(), {"type": "ready"}, worker.log())

    def assert_error(self, message, error_type, text):
        self.assertEqual(message["type"], "error", message)
        self.assertEqual(message["error_type"], error_type, message)
        self.assertIn(text, message["message"])
