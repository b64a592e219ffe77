"""A worker without a GPU, to try Berth's model tasks: echo, sleep, primes.

LOAD_SECONDS=3 makes the load take 3 seconds, as that of a real model does.
"""

import math
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import berth_worker as berth


@berth.load
def load():
    time.sleep(float(os.environ.get("LOAD_SECONDS", "0")))
    return {"loaded_at": time.time(), "gpus": os.environ.get("CUDA_VISIBLE_DEVICES", "")}


@berth.task("echo")
def echo(model, params, task):
    print("task", task.id, "on GPU", model["gpus"] or "(none)")
    return {"params": params, "gpus": model["gpus"], "loaded_at": model["loaded_at"], "pid": os.getpid()}


@berth.task("sleep")
def sleep(model, params, task):
    end = time.monotonic() + params.get("seconds", 1)
    while time.monotonic() < end:
        task.check_cancelled()
        time.sleep(0.02)


@berth.task("primes")
def primes(model, params, task):
    """Counts the primes below params["below"]."""
    below, found = params["below"], 0
    for number in range(2, below):
        if number % 1000 == 0:
            task.check_cancelled()
            task.progress(number, below)
        found += all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
    task.progress(below, below)
    return found


berth.run()
