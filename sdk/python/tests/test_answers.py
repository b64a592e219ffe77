"""Results and errors: what counts as JSON, as too large, as out of memory."""

import json
import unittest

from worker_process import WorkerTest

import berth_worker

RESULTS = """
    import pathlib

    class Array:
        def __init__(self, values): self.values, self.size = values, len(values)
        def tolist(self): return self.values

    class Tensor:
        def __init__(self, count): self.count = count
        def numel(self): return self.count
        def tolist(self): raise AssertionError("too large to be read")

    circle = []
    circle.append(circle)
    deep = []
    for _ in range(100_000): deep = [deep]
    nested = ['[{"\\\\"[']
    for _ in range(59): nested = {"a": nested}

    VALUES = {
        "text": "Grüße, 你好 \\u2028 \\n\\r\\x00 🙂",
        "array": {"energy": Array([1, 2.5])},
        "path": pathlib.Path("/data/result.xyz"),
        "largest": "x" * (2**20 - 2),
        "one too many": "x" * (2**20 - 1),
        "chinese": "你" * 400_000,
        "large array": Tensor(2**30),
        "nan": [1.0, float("nan"), {"a": float("inf")}, -float("inf"), "NaN"],
        "word": "NaN and Infinity",
        "object": object(),
        "set": {1, 2},
        "keys": {(1, 2): 3},
        "circle": circle,
        "deep": deep,
        "nested": nested,
        "nested too far": [nested],
        "wide": [[{"[": "]"}]] * 1000,
        "surrogate": "\\ud800",
    }

    @berth.task()
    def value(model, params, task):
        return VALUES[task.type]
"""

FAILURES = """
    class OutOfMemoryError(RuntimeError): pass

    class Silent(Exception):
        def __str__(self): raise ValueError("no text")

    def fork():
        import os, sys
        if os.fork() == 0: sys.exit(3)
        os.wait()
        raise LookupError("in the parent")

    def chained():
        try:
            raise OutOfMemoryError("inner")
        except OutOfMemoryError as error:
            raise ValueError("step 3 failed") from error

    def handled():
        try:
            raise OutOfMemoryError("inner")
        except OutOfMemoryError:
            raise ValueError("retried, and then something else")

    def raises(error):
        def function(): raise error
        return function

    CASES = {
        "class": raises(OutOfMemoryError("tried to allocate 20 GiB")),
        "text": raises(RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")),
        "memory": raises(MemoryError()),
        "chained": chained,
        "handled": handled,
        "value": raises(ValueError("bad\\nvalue")),
        "exit": raises(SystemExit(3)),
        "interrupt": raises(KeyboardInterrupt()),
        "silent": raises(Silent()),
        "long": raises(ValueError("x" * 5_000_000)),
        "fork": fork,
    }

    @berth.task()
    def fail(model, params, task):
        return CASES[task.type]()
"""


class ResultsTest(WorkerTest):
    def setUp(self):
        self.worker = self.start_ready(RESULTS)

    def messages(self, name):
        self.worker.run(1, name)
        return self.worker.receive_until("result", "error")

    def value(self, name):
        message = self.messages(name)[-1]
        self.assertEqual(message["type"], "result", str(message)[:300])
        return message["value"]

    def test_text_of_any_language_arrives(self):
        self.assertEqual(self.value("text"), "Grüße, 你好 \u2028 \n\r\x00 🙂")

    def test_arrays_and_paths_become_plain_values(self):
        self.assertEqual(self.value("array"), {"energy": [1, 2.5]})
        self.assertEqual(self.value("path"), "/data/result.xyz")

    def test_a_result_of_the_limit_arrives_and_a_larger_one_is_refused(self):
        self.assertEqual(len(json.dumps(self.value("largest"))), 2**20)
        for name in ("one too many", "chinese", "large array"):
            messages = self.messages(name)
            self.assertEqual(len(messages), 1)
            self.assert_error(messages[0], "result_too_large", "Write it to a file and return the path")

    def test_nan_and_infinity_become_null_and_the_log_says_so(self):
        *logs, result = self.messages("nan")
        self.assertEqual(result["value"], [1.0, None, {"a": None}, None, "NaN"])
        self.assertEqual([log["line"].split(" (")[0] for log in logs], ["NaN or infinite numbers in the result that became null: 3"])
        self.assertEqual(self.messages("word"), [{"type": "result", "task": 1, "value": "NaN and Infinity"}])

    def test_a_nested_result_arrives(self):
        value = self.value("nested")
        for _ in range(59):
            value = value["a"]
        self.assertEqual(value, ['[{"\\"['])
        self.assertEqual(self.value("wide"), [[{"[": "]"}]] * 1000)

    def test_what_is_not_json_is_refused_with_advice(self):
        for name in ("object", "set", "keys", "circle", "deep", "nested too far", "surrogate"):
            with self.subTest(name):
                messages = self.messages(name)
                self.assertEqual(len(messages), 1)
                self.assert_error(messages[0], "result_not_json", "write a file and return its path")


class FailuresTest(WorkerTest):
    def setUp(self):
        self.worker = self.start_ready(FAILURES)

    def messages(self, name):
        self.worker.run(1, name)
        return self.worker.receive_until("result", "error")

    def test_an_exception_is_named_and_its_traceback_is_in_the_log(self):
        *logs, error = self.messages("value")
        self.assertEqual(error, {"type": "error", "task": 1, "error_type": "ValueError", "message": "bad\nvalue"})
        lines = [log["line"] for log in logs]
        self.assertEqual(lines[0], "Traceback (most recent call last):")
        self.assertIn("in fail", lines[1])
        self.assertEqual(lines[-2:], ["ValueError: bad", "value"])
        self.assertNotIn("berth_worker.py", "\n".join(lines))

    def test_out_of_memory_is_reported_as_such(self):
        self.assert_error(self.messages("class")[-1], "OOM", "tried to allocate 20 GiB")
        self.assert_error(self.messages("text")[-1], "OOM", "CUDA out of memory")
        self.assert_error(self.messages("memory")[-1], "OOM", "")
        self.assert_error(self.messages("chained")[-1], "OOM", "step 3 failed")
        self.assert_error(self.messages("handled")[-1], "ValueError", "something else")

    def test_no_exception_ends_the_worker(self):
        self.assert_error(self.messages("exit")[-1], "SystemExit", "3")
        self.assert_error(self.messages("interrupt")[-1], "KeyboardInterrupt", "")
        self.assert_error(self.messages("silent")[-1], "Silent", "cannot be read")
        long = self.messages("long")
        self.assertEqual(long[-1]["error_type"], "ValueError")
        self.assertTrue(all(len(json.dumps(message)) < 2**20 for message in long))

    def test_a_child_that_a_handler_forks_and_that_exits_is_no_second_worker(self):
        messages = self.messages("fork")
        self.assert_error(messages[-1], "LookupError", "in the parent")
        self.assertEqual(self.worker.stop(), 0)
        self.assertEqual(self.worker.rest(), [])  # the end of the output: no process keeps it open


class OutOfMemoryTest(unittest.TestCase):
    def error(self, name, text, base=RuntimeError):
        return type(name, (base,), {})(text)

    def test_what_frameworks_raise(self):
        for error in (
            self.error("OutOfMemoryError", "Out of memory allocating 8,589,934,592 bytes", MemoryError),  # cupy
            self.error("XlaRuntimeError", "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 137438953472 bytes."),
            self.error("ResourceExhaustedError", "OOM when allocating tensor with shape[8192,8192]", Exception),
            self.error("CudaAPIError", "[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY", Exception),
            RuntimeError("CUDA error: out of memory"),
            RuntimeError("cuBLAS error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
            RuntimeError("HIP out of memory. Tried to allocate 2.00 GiB"),
            RuntimeError("MPS backend out of memory"),
            RuntimeError("std::bad_alloc: out_of_memory: CUDA error at: rmm"),
        ):
            with self.subTest(str(error)):
                self.assertTrue(berth_worker.is_out_of_memory(error))

    def test_what_is_something_else(self):
        for error in (
            ValueError("the word memory"),
            RuntimeError("CUDA error: an illegal memory access was encountered"),
            RuntimeError("CUDA error: device-side assert triggered"),
            self.error("ResourceExhaustedError", "too many open sessions", Exception),
            self.error("RpcError", "RESOURCE_EXHAUSTED: quota of requests"),
            RecursionError("maximum recursion depth exceeded"),
        ):
            with self.subTest(str(error)):
                self.assertFalse(berth_worker.is_out_of_memory(error))


if __name__ == "__main__":
    unittest.main()
