"""The examples, and those that docs/workers.md prints."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from worker_process import ROOT, SDK, WorkerTest

EXAMPLES = os.path.join(SDK, "examples")
PAGE = os.path.join(ROOT, "docs", "workers.md")


def examples_of_the_page():
    """The programs of the page by the first word of their first comment, which is their file name."""
    with open(PAGE, encoding="utf-8") as page:
        blocks = re.findall(r"^```(?:python|bash)\n(.*?)^```", page.read(), re.MULTILINE | re.DOTALL)
    return {match.group(1): block for block in blocks for match in [re.search(r"^# (\w+\.\w+)", block, re.MULTILINE)] if match}


class EchoTest(WorkerTest):
    def start_echo(self, **variables):
        env = dict(os.environ, CUDA_VISIBLE_DEVICES="3", **variables)
        return self.start_command([sys.executable, os.path.join(EXAMPLES, "echo_worker.py")], env=env)

    def test_echo_sleep_and_primes(self):
        worker = self.start_echo(LOAD_SECONDS="0.1")
        self.assert_ready(worker)
        worker.run(1, "echo", a=[1, "b"])
        log, result = worker.receive_until("result")
        self.assertEqual(log["line"], "task 1 on GPU 3")
        self.assertEqual(result["value"]["params"], {"a": [1, "b"]})
        worker.run(2, "primes", below=20000)
        self.assertEqual(worker.answer()["value"], 2262)
        worker.run(3, "sleep", seconds=600)
        worker.send(type="cancel", task=3)
        self.assert_error(worker.answer(), "cancelled", "")
        worker.run(4, "primes", below=10**9)
        worker.receive_until("progress")
        worker.send(type="cancel", task=4)
        self.assert_error(worker.answer(), "cancelled", "")
        self.assertEqual(worker.stop(), 0)


class PyTorchTest(WorkerTest):
    # Enough of PyTorch for the example. The real one is tested on a machine that has a GPU.
    TORCH = """
class Tensor:
    def __getitem__(self, index): return self
    def __matmul__(self, other): return self
    def __truediv__(self, other): return self
    def norm(self): return self
    def sum(self): return self
    def numel(self): return 1
    def tolist(self): return 1.5

class OutOfMemoryError(RuntimeError): pass

class cuda:
    is_available = staticmethod(lambda: %s)
    get_device_name = staticmethod(lambda: "a GPU")
    memory_reserved = staticmethod(lambda: 3 << 30)
    empty_cache = staticmethod(lambda: print("emptied"))

class nn:
    class functional:
        normalize = staticmethod(lambda tensor: tensor)

uint8 = None
ones = randn = lambda *size, **options: Tensor()
def empty(size, **options): raise OutOfMemoryError("CUDA out of memory. Tried to allocate %%d" %% size)
"""

    def start_with(self, torch):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        with open(os.path.join(directory.name, "torch.py"), "w") as file:
            file.write(torch)
        env = dict(os.environ, PYTHONPATH=directory.name)
        return self.start_command([sys.executable, os.path.join(EXAMPLES, "pytorch_worker.py")], env=env)

    def test_multiplies_and_reports_out_of_memory(self):
        worker = self.start_with(self.TORCH % True)
        self.assert_ready(worker)
        worker.run(1, "matmul", n=8, steps=2)
        self.assertEqual(worker.answer()["value"], {"norm": 1.5, "model": 1.5, "reserved_mb": 3072})
        worker.run(2, "matmul", allocate_gb=500)
        self.assert_error(worker.answer(), "OOM", "CUDA out of memory")
        self.assertEqual(worker.stop(), 0)
        self.assertIn("emptied", worker.log())

    def test_says_what_is_missing(self):
        for torch, text in (("raise ImportError('x')", "PyTorch is not installed"), (self.TORCH % False, "finds no GPU")):
            worker = self.start_with(torch)
            self.assertEqual(worker.wait(), 1)
            self.assertIn(text, worker.log())
            self.assertEqual(len(worker.log().splitlines()), 1, worker.log())


class PageTest(WorkerTest):
    def test_the_first_example(self):
        worker = self.start_script(examples_of_the_page()["letters_worker.py"])
        self.assert_ready(worker)
        worker.run(1, "count", text="banana")
        self.assertEqual(worker.answer()["value"], {"a": 3, "b": 1, "n": 2})
        self.assertEqual(worker.stop(), 0)

    @unittest.skipUnless(shutil.which("jq"), "needs jq")
    def test_the_worker_in_bash(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "worker.sh")
            with open(path, "w") as file:
                file.write(examples_of_the_page()["words_worker.sh"])
            worker = self.start_command(["bash", path])
            self.assert_ready(worker)
            worker.send(type="ping")
            self.assertEqual(worker.receive(), {"type": "pong"})
            worker.run(7, "count", text='one "two"\n\\ three')
            *log, result = worker.receive_until("result", "error")
            self.assertEqual([message["type"] for message in log], ["log"])
            self.assertEqual(result, {"type": "result", "task": 7, "value": 4})
            worker.run(8, "dance")
            self.assert_error(worker.answer(), "unknown_task_type", "count")
            worker.run(9, "sleep", seconds=600)
            worker.receive_until("log")
            worker.send(type="ping")
            self.assertEqual(worker.receive(), {"type": "pong"})
            worker.send(type="cancel", task=9)
            self.assert_error(worker.receive(), "cancelled", "")
            worker.send(type="cancel", task=9)
            worker.run(10, "count", text="")
            self.assertEqual(worker.answer(), {"type": "result", "task": 10, "value": 0})
            self.assertEqual(worker.stop(), 0)

    def test_the_test_by_hand(self):
        command = examples_of_the_page()["by.hand"].splitlines()[1:]
        done = subprocess.run(["bash", "-c", "\n".join(command)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        types = re.findall(rb'^{"type":"(\w+)"', done.stdout, re.MULTILINE)
        self.assertEqual(sorted(types), [b"log", b"pong", b"ready", b"result"], done)


if __name__ == "__main__":
    unittest.main()
