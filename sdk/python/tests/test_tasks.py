"""Loading, tasks, types, cancellation, bad messages."""

import os
import tempfile
import unittest

from worker_process import ENDLESS, SDK, WorkerTest

SERVE = """
    loads = []

    @berth.load
    def load():
        loads.append(1)
        return {"answer": 42}

    @berth.task("add")
    def add(model, params):
        return params["a"] + params["b"]

    @berth.task("model", "loads")
    def see(model, params, task):
        return [task.id, task.type, model, len(loads)]
"""

COOPERATIVE = """
    import time

    @berth.task("wait")
    def wait(model, params, task):
        print("begun")
        while True:
            if params.get("swallow"):
                try:
                    task.check_cancelled()
                except Exception:
                    pass
            elif params.get("by_flag"):
                if task.cancelled:
                    return "flag"
            elif params.get("raise_other") and task.cancelled:
                raise OSError("interrupted")
            else:
                task.check_cancelled()
            time.sleep(0.01)
"""


class TasksTest(WorkerTest):
    def test_the_model_is_loaded_once_and_given_to_every_task(self):
        worker = self.start_ready(SERVE)
        worker.run(7, "add", a=1, b=2)
        self.assertEqual(worker.receive(), {"type": "result", "task": 7, "value": 3})
        worker.run(8, "model")
        self.assertEqual(worker.answer()["value"], [8, "model", {"answer": 42}, 1])
        worker.run("nine", "loads")
        self.assertEqual(worker.answer(), {"type": "result", "task": "nine", "value": ["nine", "loads", {"answer": 42}, 1]})

    def test_params_may_be_missing_and_a_handler_may_return_nothing(self):
        worker = self.start_ready("@berth.task()\ndef every(model, params): assert params == {} and model is None")
        worker.send(type="run", task=1)
        self.assertEqual(worker.receive(), {"type": "result", "task": 1, "value": None})

    def test_an_unknown_task_type_is_refused_by_the_known_names(self):
        worker = self.start_ready(SERVE)
        worker.run(1, "subtract")
        self.assert_error(worker.receive(), "unknown_task_type", "add, loads, model")

    def test_a_handler_without_a_type_serves_all_other_types(self):
        source = """
            @berth.task("a")
            def one(model, params): return "one"

            @berth.task()
            def others(model, params, task): return "other " + task.type
        """
        worker = self.start_ready(source)
        worker.run(1, "a")
        worker.run(2, "b")
        self.assertEqual([worker.answer()["value"], worker.answer()["value"]], ["one", "other b"])

    def test_task_without_parentheses_serves_all_types(self):
        worker = self.start_ready("@berth.task\ndef every(model, params, task): return task.type")
        worker.run(1, "x")
        self.assertEqual(worker.answer()["value"], "x")

    def test_tasks_run_one_after_another_in_order(self):
        source = """
            running = []

            @berth.task()
            def alone(model, params, task):
                running.append(task.id)
                assert len(running) == 1
                return running.pop()
        """
        worker = self.start_ready(source)
        for number in range(200):
            worker.run(number)
        self.assertEqual([worker.receive()["value"] for _ in range(200)], list(range(200)))

    def test_progress_reaches_the_server_and_the_last_one_comes_before_the_result(self):
        source = """
            import time

            @berth.task()
            def count(model, params, task):
                begun = time.monotonic()
                for i in range(500):
                    task.progress(i + 1, 500)
                    time.sleep(0.001)
                return time.monotonic() - begun
        """
        worker = self.start_ready(source)
        worker.run(1)
        *progress, result = worker.receive_until("result")
        self.assertEqual(progress[-1], {"type": "progress", "task": 1, "done": 500, "total": 500})
        self.assertLess(len(progress), result["value"] * 10 + 3)  # a fast loop does not flood the server

    def test_progress_is_sent_although_nothing_follows(self):
        worker = self.start_ready(ENDLESS.replace('print("begun")', "task.progress(1, 9); time.sleep(0.05); task.progress(2, 9)"))
        worker.run(1, "endless")
        received = worker.receive()
        while received["done"] != 2:
            received = worker.receive()
        self.assertEqual(received["type"], "progress")

    def test_a_fraction_becomes_whole_numbers(self):
        worker = self.start_ready("@berth.task()\ndef t(model, params, task): task.progress(0.25, 1)")
        worker.run(1)
        self.assertEqual(worker.receive(), {"type": "progress", "task": 1, "done": 250, "total": 1000})

    def test_progress_takes_only_numbers(self):
        worker = self.start_ready("@berth.task()\ndef t(model, params, task): task.progress(float('nan'), 3)")
        worker.run(1)
        self.assert_error(worker.answer(), "TypeError", "finite")


class CancelTest(WorkerTest):
    def cancelled(self, **params):
        worker = self.start_ready(COOPERATIVE)
        worker.run(1, "wait", **params)
        worker.receive_until("log")
        worker.send(type="cancel", task=1)
        messages = worker.receive_until("result", "error")
        worker.run(2, "nothing")
        self.assert_error(worker.receive(), "unknown_task_type", "wait")  # one answer, and it serves on
        return messages

    def test_check_cancelled_ends_the_task(self):
        self.assert_error(self.cancelled()[-1], "cancelled", "cancelled")

    def test_except_exception_does_not_swallow_the_cancel(self):
        self.assert_error(self.cancelled(swallow=True)[-1], "cancelled", "cancelled")

    def test_a_handler_that_returns_has_a_result(self):
        self.assertEqual(self.cancelled(by_flag=True)[-1], {"type": "result", "task": 1, "value": "flag"})

    def test_another_exception_after_the_cancel_is_the_cancel(self):
        messages = self.cancelled(raise_other=True)
        self.assert_error(messages[-1], "cancelled", "interrupted")
        self.assertEqual(messages[-2]["line"], "OSError: interrupted")

    def test_a_task_cancelled_before_it_begins_does_not_run(self):
        worker = self.start_ready(COOPERATIVE)
        worker.run(1, "wait")
        worker.receive_until("log")
        worker.run(2, "wait")
        worker.send(type="cancel", task=2)
        worker.send(type="cancel", task=1)
        self.assertEqual(worker.receive()["task"], 1)
        self.assert_error(worker.receive(), "cancelled", "before it began")

    def test_a_cancel_of_an_unknown_or_ended_task_changes_nothing(self):
        worker = self.start_ready(SERVE)
        worker.run(1, "add", a=1, b=1)
        worker.answer()
        worker.send(type="cancel", task=1)
        worker.send(type="cancel", task=99)
        worker.run(1, "add", a=2, b=2)
        self.assertEqual(worker.receive(), {"type": "result", "task": 1, "value": 4})


class MessagesTest(WorkerTest):
    def test_a_bad_line_is_noted_and_ignored(self):
        bad = [
            b"no json",
            b"{",
            b"[1]",
            b"17",
            b"null",
            b'"run"',
            b"{}",
            b'{"type":"dance"}',
            b'{"type":["run"]}',
            b'{"type":"run"}',
            b'{"type":"run","task":null}',
            b'{"type":"run","task":{}}',
            b'{"type":"run","task":1,"task_type":[]}',
            b'{"type":"cancel"}',
            b'{"type":"cancel","task":[]}',
            b"\xff\xfe\x00",
            b"[" * 100_000,
        ]
        worker = self.start_ready(SERVE)
        for line in bad:
            worker.write(line + b"\n")
        worker.run(1, "add", a=1, b=1)
        self.assertEqual(worker.receive(), {"type": "result", "task": 1, "value": 2})
        notes = worker.log().splitlines()
        self.assertEqual(len(notes), len(bad), notes)
        for note in notes:
            self.assertTrue(note.startswith("berth_worker: ignored"), note)
            self.assertLess(len(note), 500)

    def test_empty_lines_and_carriage_returns_do_not_matter(self):
        worker = self.start_ready(SERVE)
        worker.write(b'\n\r\n {"type":"ping"}\r\n\n')
        self.assertEqual(worker.receive(), {"type": "pong"})
        self.assertEqual(worker.log(), "")

    def test_a_line_without_end_is_dropped(self):
        worker = self.start_ready("berth.LINE_BYTES = 1 << 20\n@berth.task()\ndef t(model, params): return 1")
        worker.write(b"x" * (4 << 20) + b"\n")
        worker.run(1)
        self.assertEqual(worker.receive()["value"], 1)
        self.assertEqual(worker.log(), "berth_worker: ignored a line of more than 1048576 bytes\n")

    def test_a_ping_is_answered_while_a_handler_computes_and_while_the_model_loads(self):
        source = """
            import os

            @berth.load
            def load():
                while not os.path.exists(os.environ["RELEASE"]): pass

            @berth.task()
            def busy(model, params, task):
                print("begun")
                while not task.cancelled: pass
        """
        with tempfile.TemporaryDirectory() as directory:
            release = os.path.join(directory, "release")
            worker = self.start(source, env=dict(os.environ, PYTHONPATH=SDK, RELEASE=release))
            worker.send(type="ping")
            self.assertEqual(worker.receive(), {"type": "pong"})
            open(release, "w").close()
            self.assert_ready(worker)
        worker.run(1)
        worker.receive_until("log")
        for _ in range(3):
            worker.send(type="ping")
            self.assertEqual(worker.receive(), {"type": "pong"})
        worker.send(type="cancel", task=1)
        self.assertEqual(worker.receive()["type"], "result")


class RegistrationTest(WorkerTest):
    def refused(self, source, text):
        worker = self.start(source)
        self.assertEqual(worker.wait(), 1)
        self.assertEqual(worker.rest(), [])
        self.assertIn(text, worker.log())

    def test_mistakes_in_the_decorators_are_named(self):
        one = "@berth.task('a')\ndef one(model, params): pass\n"
        self.refused("", "no task handler")
        self.refused(one + one, "two handlers for task type 'a'")
        self.refused("@berth.task()\ndef one(params): pass", "(model, params)")
        self.refused("@berth.task()\nasync def one(model, params): pass", "plain function")
        self.refused("@berth.load\ndef a(): pass\n@berth.load\ndef b(): pass", "twice")


if __name__ == "__main__":
    unittest.main()
