"""How a worker ends: stop, signals, a server that is gone, a load that fails."""

import os
import signal
import unittest

from worker_process import ENDLESS, WorkerTest

UNLOADS = """
    import time

    @berth.load
    def load(): return "the model"

    @berth.unload
    def unload(model): print("unloaded", model)

    @berth.task("wait")
    def wait(model, params, task):
        print("begun")
        while not task.cancelled and not params.get("seconds"):
            time.sleep(0.01)
        time.sleep(params.get("seconds", 0))
        return task.cancelled

    @berth.task("quick")
    def quick(model, params): return 1
"""


class StopTest(WorkerTest):
    def test_stop_unloads_and_exits_with_0(self):
        worker = self.start_ready(UNLOADS)
        worker.run(1, "quick")
        worker.answer()
        self.assertEqual(worker.stop(), 0)
        self.assertEqual(worker.rest(), [])
        self.assertEqual(worker.log(), "unloaded the model\n")

    def test_tasks_before_the_stop_are_served_and_later_ones_refused(self):
        worker = self.start_ready(UNLOADS)
        worker.run(1, "wait", seconds=0.3)
        worker.run(2, "quick")
        worker.send(type="stop")
        worker.run(3, "quick")
        worker.close_input()  # after a stop that means nothing
        messages = [message for message in worker.rest() if message["type"] != "log"]
        self.assertEqual([(m["task"], m.get("value", m.get("error_type"))) for m in messages], [(3, "stopping"), (1, False), (2, 1)])
        self.assertEqual(worker.wait(), 0)

    def test_a_failing_unload_is_logged(self):
        worker = self.start_ready(UNLOADS.replace('print("unloaded", model)', "raise ValueError(model)"))
        self.assertEqual(worker.stop(), 0)
        self.assertIn("ValueError: the model", worker.log())

    def test_an_unload_may_ignore_the_model(self):
        worker = self.start_ready(UNLOADS.replace("unload(model)", "unload()").replace('"unloaded", model', '"bye"'))
        self.assertEqual(worker.stop(), 0)
        self.assertEqual(worker.log(), "bye\n")

    def test_a_stop_during_the_load_does_not_wait_for_it(self):
        source = ENDLESS + "\n    berth.GRACE_SECONDS = 0.1\n    @berth.load\n    def load(): time.sleep(600)\n"
        worker = self.start(source)
        self.assertEqual(worker.stop(), 0)
        self.assertEqual(worker.rest(), [])

    def test_a_thread_that_does_not_end_does_not_keep_the_process(self):
        source = ENDLESS + """
    import threading
    berth.EXIT_SECONDS = 0.1
    threading.Thread(target=threading.Event().wait).start()
"""
        self.assertEqual(self.start_ready(source).stop(), 0)


    def test_a_library_that_hangs_at_exit_does_not_keep_the_process(self):
        source = ENDLESS + """
    import ctypes
    berth.EXIT_SECONDS = 0.1
    libc = ctypes.CDLL(None)
    libc.on_exit(libc.pause, None)
"""
        self.assertEqual(self.start_ready(source).stop(), -signal.SIGALRM)


class SignalTest(WorkerTest):
    def test_sigterm_unloads_and_exits_with_0(self):
        worker = self.start_ready(UNLOADS)
        worker.signal(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0)
        self.assertEqual(worker.log(), "unloaded the model\n")

    def test_a_signal_that_does_not_wake_the_main_thread_ends_the_worker_too(self):
        source = """
            import signal, threading, time

            def interrupt():
                time.sleep(0.2)  # until the main thread waits for the next task
                signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

            @berth.task()
            def later(model, params, task):
                threading.Thread(target=interrupt).start()
        """
        worker = self.start_ready(source)
        worker.run(1)
        self.assertEqual(worker.wait(), 0)

    def test_sigterm_cancels_the_running_task_and_answers_for_all(self):
        worker = self.start_ready(UNLOADS)
        worker.run(1, "wait")
        worker.receive_until("log")
        worker.run(2, "quick")
        worker.send(type="ping")
        worker.receive_until("pong")  # so that the second task has arrived
        worker.signal(signal.SIGTERM)
        first, second = worker.rest()
        self.assertEqual((first["task"], first["value"]), (1, True))
        self.assert_error(second, "cancelled", "before it began")
        self.assertEqual(worker.wait(), 0)

    def test_ctrl_c_ends_without_a_traceback(self):
        worker = self.start_ready(UNLOADS)
        worker.signal(signal.SIGINT)
        self.assertEqual(worker.wait(), 0)
        self.assertEqual(worker.log(), "unloaded the model\n")

    def test_a_second_ctrl_c_ends_a_task_that_goes_on(self):
        worker = self.start_ready(ENDLESS)
        worker.run(1, "endless")
        worker.receive_until("log")
        worker.signal(signal.SIGINT)
        while worker.process.poll() is None:
            worker.signal(signal.SIGINT)
        self.assertEqual(worker.wait(), 130)

    def test_ctrl_c_during_the_load(self):
        source = ENDLESS + """
    @berth.load
    def load():
        berth._worker.outbox.pong()  # tells the test that it has begun
        while True: time.sleep(0.01)
"""
        worker = self.start(source)
        worker.receive_until("pong")
        worker.signal(signal.SIGINT)
        self.assertEqual(worker.wait(), 130)
        self.assertEqual(worker.log(), "")


class ServerGoneTest(WorkerTest):
    def test_an_idle_worker_unloads_and_exits(self):
        worker = self.start_ready(UNLOADS)
        worker.close_input()
        self.assertEqual(worker.wait(), 0)
        self.assertEqual(worker.log(), "berth_worker: ends: the server closed the input\nunloaded the model\n")

    def test_a_task_that_notices_ends_and_the_model_is_unloaded(self):
        worker = self.start_ready(UNLOADS)
        worker.run(1, "wait")
        worker.receive_until("log")
        worker.close_input()
        self.assertEqual(worker.wait(), 0)
        self.assertIn("unloaded the model", worker.log())

    def test_a_task_that_does_not_notice_is_ended(self):
        worker = self.start_ready(ENDLESS + "\n    berth.GRACE_SECONDS = 0.1\n")
        worker.run(1, "endless")
        worker.receive_until("log")
        worker.close_input()
        self.assertEqual(worker.wait(), 0)

    def test_a_closed_output_is_the_end_too(self):
        source = """
            berth.GRACE_SECONDS = 0.1

            @berth.task()
            def print_on(model, params, task):
                while True: print("line")
        """
        worker = self.start(source, read=False)
        worker.run(1)
        os.read(worker.process.stdout.fileno(), 100)
        worker.process.stdout.close()
        self.assertEqual(worker.wait(), 0)
        self.assertIn("cannot write to the server", worker.log())


class LoadFailureTest(WorkerTest):
    def failed(self, body, program="pass"):
        worker = self.start("@berth.load\ndef load(): %s\n@berth.task()\ndef t(model, params): pass\n%s" % (body, program))
        code = worker.wait()
        self.assertEqual(worker.rest(), [])
        return code, worker.log()

    def test_the_traceback_is_on_stderr_and_the_exit_code_is_1(self):
        code, log = self.failed("raise FileNotFoundError('weights.pt')")
        self.assertEqual(code, 1)
        self.assertIn("Traceback", log)
        self.assertIn("FileNotFoundError: weights.pt", log)

    def test_exit_with_a_sentence(self):
        self.assertEqual(self.failed("raise SystemExit('needs a GPU')"), (1, "needs a GPU\n"))

    def test_an_error_of_the_program_itself(self):
        code, log = self.failed("pass", "print('noise')\nimport no_such_module")
        self.assertEqual(code, 1)
        self.assertTrue(log.startswith("noise\n"), log)
        self.assertIn("No module named 'no_such_module'", log)


if __name__ == "__main__":
    unittest.main()
