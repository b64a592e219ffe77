"""What prints, and where it goes; slow and full pipes."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

from worker_process import SDK, WorkerTest

PRINTS = """
    print("import")
    import multiprocessing, os, subprocess, sys, threading

    @berth.load
    def load():
        print("load")
        os.write(1, b"load, C level\\n")

    def lines(model, params, task):
        print("one", 1)
        print("two", file=sys.stderr)
        sys.stdout.write("thr")
        sys.stdout.flush()
        sys.stdout.write("ee\\r\\n\\n")
        sys.stdout.buffer.write("größe\\n".encode()[:3])
        sys.stdout.buffer.write("größe\\n".encode()[3:])
        task.log("four\\nfive")
        print("no end", end="")

    def raw(model, params, task):
        os.write(1, b'{"type":"result","task":1,"value":"forged"}\\n')
        subprocess.run(["echo", "a child"])
        subprocess.run(["echo", "a child with my stdout"], stdout=sys.stdout)

    def reads_stdin(model, params, task):
        return [sys.stdin.read(), subprocess.run(["cat"], stdout=subprocess.PIPE).stdout.decode()]

    def long(model, params, task):
        print("y" * 3_000_000)
        print("\\x00" * 100_000, end="")
        task.log("z" * 200_000)

    def bar(model, params, task):
        for i in range(20_000):
            print("\\r%d/20000" % i, end="")
        print()

    def threads(model, params, task):
        many = [threading.Thread(target=lambda: [print("x" * 1000) for _ in range(200)]) for _ in range(4)]
        for thread in many: thread.start()
        for thread in many: thread.join()

    def in_child(task):
        print("in a child")
        task.log("in a child")
        task.progress(1, 2)

    def prints_in_a_child(model, params, task):
        # While another thread prints, and so holds what the child needs.
        holds, done = threading.Event(), threading.Event()

        def hold():
            with sys.stdout.buffer.lock:
                holds.set()
                done.wait()

        threading.Thread(target=hold).start()
        holds.wait()
        child = multiprocessing.get_context("fork").Process(target=print, args=("in a child",))
        child.start()
        child.join(30)
        done.set()
        return child.exitcode

    def forks(model, params, task):
        context = multiprocessing.get_context("fork")
        child = context.Process(target=in_child, args=(task,))
        child.start()
        child.join()
        endless = context.Process(target=threading.Event().wait)
        endless.start()
        endless.terminate()
        endless.join()
        return [child.exitcode, endless.exitcode]

    def forks_in_a_thread(model, params, task):
        results = []
        thread = threading.Thread(target=lambda: results.append(forks(model, params, task)))
        thread.start()
        thread.join()
        return results[0]

    def surrogate(model, params, task):
        print("a\\udc80b")
        task.log("a\\udc80b")

    @berth.task()
    def run(model, params, task):
        return globals()[task.type](model, params, task)
"""


class PrintsTest(WorkerTest):
    def run_one(self, name):
        worker = self.start_ready(PRINTS)
        worker.run(1, name)
        *messages, answer = worker.receive_until("result", "error")
        self.assertEqual(answer["type"], "result", messages)
        self.assertTrue(all(m["type"] == "log" and m["task"] == 1 for m in messages), messages)
        self.assertEqual(worker.stop(), 0)
        self.assertEqual(worker.rest(), [])
        return [message["line"] for message in messages], answer["value"], worker.log()

    def test_prints_of_a_handler_are_log_lines_of_its_task(self):
        lines, _, log = self.run_one("lines")
        self.assertEqual(sorted(lines[:2]), ["one 1", "two"])
        self.assertEqual(lines[2:], ["three", "", "größe", "four", "five", "no end"])
        self.assertEqual(log, "import\nload\nload, C level\n")

    def test_c_code_and_children_write_to_the_log_of_the_worker(self):
        lines, value, log = self.run_one("raw")
        self.assertEqual((lines, value), ([], None))
        self.assertIn("forged", log)
        self.assertIn("a child\na child with my stdout\n", log)

    def test_nothing_but_the_worker_reads_its_input(self):
        self.assertEqual(self.run_one("reads_stdin")[1], ["", ""])

    def test_long_lines_are_split(self):
        lines, _, _ = self.run_one("long")
        self.assertEqual("".join(lines), "y" * 3_000_000 + "\x00" * 65536 + "z" * 200_000 + "\x00" * 34464)
        self.assertLess(max(len(json.dumps(line)) for line in lines), 2**20)

    def test_of_a_progress_bar_some_states_and_the_last_are_logged(self):
        lines, _, _ = self.run_one("bar")
        self.assertEqual(lines[-1], "19999/20000")
        self.assertLess(len(lines), 1000)
        self.assertNotIn("\r", "".join(lines))

    def test_lines_of_threads_stay_whole(self):
        lines, _, _ = self.run_one("threads")
        self.assertEqual("".join(lines), "x" * 800_000)

    def test_a_forked_child_neither_speaks_to_the_server_nor_survives_its_end(self):
        for name in ("forks", "forks_in_a_thread"):
            with self.subTest(name):
                lines, value, log = self.run_one(name)
                self.assertEqual((lines, value), ([], [0, -15]), log)
                self.assertIn("in a child\n", log)

    def test_a_forked_child_can_print_although_another_thread_printed_at_the_fork(self):
        _, value, log = self.run_one("prints_in_a_child")
        self.assertEqual(value, 0)
        self.assertIn("in a child\n", log)

    def test_what_was_printed_before_the_import_is_in_the_log(self):
        script = "print('early')\nimport berth_worker as berth\n@berth.task()\ndef t(model, params): pass\nberth.run()"
        worker = self.start_script(script, env=dict(os.environ, PYTHONPATH=SDK, PYTHONUNBUFFERED=""))
        self.assert_ready(worker)
        self.assertEqual(worker.log(), "early\n")

    def test_text_that_is_no_unicode_is_logged(self):
        self.assertEqual(self.run_one("surrogate")[0], ["a\\udc80b", "a?b"])

    def test_a_spawned_child_that_reads_the_program_again_is_no_worker(self):
        source = """
            import multiprocessing

            def square(x): return x * x

            @berth.task()
            def spawn(model, params):
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    return pool.map(square, [1, 2, 3])
        """
        worker = self.start_ready(source)
        worker.run(1)
        self.assertEqual(worker.answer()["value"], [1, 4, 9], worker.log())

    def test_importing_it_elsewhere_leaves_stdout_alone(self):
        code = "import berth_worker; print('still here')"
        env = dict(os.environ, PYTHONPATH=SDK)
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], env=env), b"still here\n")


class SlowPipesTest(WorkerTest):
    FLOOD = """
        @berth.task("flood")
        def flood(model, params, task):
            for i in range(5000):
                print(i, "x" * 1000)
            return "done"

        @berth.task("size")
        def size(model, params):
            return len(params["text"])
    """

    def test_a_full_pipe_stops_the_handler_but_not_the_reading(self):
        worker = self.start(self.FLOOD, read=False)
        worker.run(1, "flood")
        # Nobody reads the output. The input is still read: these lines are far more than a pipe holds.
        for number in range(2, 6):
            worker.run(number, "size", text="p" * 2**20)
        for _ in range(100):
            worker.send(type="ping")
        worker.send(type="cancel", task=5)
        worker.read_output()

        messages = [worker.receive() for _ in range(1 + 5000 + 5 + 100)]

        self.assertEqual(sum(m["type"] == "pong" for m in messages), 100)
        self.assertIn("pong", [m["type"] for m in messages[:2500]])  # ahead of what waits
        lines = [m["line"].split()[0] for m in messages if m["type"] == "log"]
        self.assertEqual(lines, [str(i) for i in range(5000)])
        answers = [m.get("value", m.get("error_type")) for m in messages if m["type"] in ("result", "error")]
        self.assertEqual(answers, ["done", 2**20, 2**20, 2**20, "cancelled"])

    def test_a_full_pipe_does_not_stop_the_refusals_after_a_stop(self):
        worker = self.start(self.FLOOD, read=False)
        worker.run(1, "flood")
        worker.send(type="stop")
        for number in range(2, 6):
            worker.run(number, "size", text="p" * 2**20)
        worker.read_output()
        answers = [m for m in worker.rest() if m["type"] in ("result", "error")]
        self.assertEqual([m["error_type"] for m in answers if m["task"] != 1], ["stopping"] * 4)
        self.assertEqual([m["value"] for m in answers if m["task"] == 1], ["done"])

    def test_a_slow_reader_gets_the_last_result_whole(self):
        source = """
            berth.EXIT_SECONDS = 50

            @berth.task()
            def large(model, params): return "x" * 900_000

            @berth.unload
            def unload(model): print("unloaded")
        """
        worker = self.start(source, read=False)
        worker.run(1)
        worker.send(type="stop")
        while "unloaded" not in worker.log():
            time.sleep(0.01)
        time.sleep(0.2)
        worker.read_output()
        self.assertEqual(len(worker.answer()["value"]), 900_000)
        self.assertEqual(worker.wait(), 0)

    def test_a_reader_of_single_bytes_gets_whole_lines(self):
        worker = self.start(self.FLOOD, read=False)
        for byte in b'{"type":"run","task":1,"task_type":"size","params":{"text":"abc"}}\n' * 3:
            worker.write(bytes([byte]))
        received = b""
        while received.count(b"\n") < 4:
            received += os.read(worker.process.stdout.fileno(), 1)
        ready, *results = received.splitlines()
        self.assertEqual(json.loads(ready.decode()), {"type": "ready"})
        self.assertEqual(results, [b'{"type":"result","task":1,"value":3}'] * 3)

    def test_fifos_serve_as_well(self):
        with tempfile.TemporaryDirectory() as directory:
            to_worker, from_worker = os.path.join(directory, "in"), os.path.join(directory, "out")
            os.mkfifo(to_worker)
            os.mkfifo(from_worker)
            reading = os.open(from_worker, os.O_RDONLY | os.O_NONBLOCK)
            worker_in = os.open(to_worker, os.O_RDONLY | os.O_NONBLOCK)
            writing = os.open(to_worker, os.O_WRONLY)
            worker_out = os.open(from_worker, os.O_WRONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, reading)
            worker = self.start(self.FLOOD, read=False, stdin=worker_in, stdout=worker_out)
            os.close(worker_in)
            os.close(worker_out)
            os.set_blocking(reading, True)
            os.write(writing, b'{"type":"run","task":1,"task_type":"flood","params":{}}\n')
            received = b""
            while received.count(b"\n") < 5002:
                received += os.read(reading, 65536)
            self.assertTrue(received.endswith(b'"value":"done"}\n'), received[-200:])
            os.close(writing)
            self.assertEqual(worker.wait(), 0)


if __name__ == "__main__":
    unittest.main()
