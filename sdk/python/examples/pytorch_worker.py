"""A worker with PyTorch that keeps a few GB on its GPU. Berth sets CUDA_VISIBLE_DEVICES, so "cuda" is the right GPU.

MODEL_GB=3 sets the size of the model.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import berth_worker as berth

try:
    import torch
except ImportError:
    sys.exit("pytorch_worker: PyTorch is not installed for %s; see https://pytorch.org/get-started" % sys.executable)


@berth.load
def load():
    if not torch.cuda.is_available():
        sys.exit("pytorch_worker: PyTorch finds no GPU (CUDA_VISIBLE_DEVICES=%r)" % os.environ.get("CUDA_VISIBLE_DEVICES"))
    elements = int(float(os.environ.get("MODEL_GB", "3")) * 2**30 / 4)
    print("loading on", torch.cuda.get_device_name())
    return [torch.ones(elements, device="cuda")]


@berth.task("matmul")
def matmul(model, params, task):
    """Multiplies matrices of size n, steps times; allocate_gb provokes an out of memory."""
    n, steps = params.get("n", 2048), params.get("steps", 10)
    if "allocate_gb" in params:
        torch.empty(int(params["allocate_gb"] * 2**30), dtype=torch.uint8, device="cuda")
    a = torch.randn(n, n, device="cuda")
    for step in range(steps):
        task.check_cancelled()
        a = torch.nn.functional.normalize(a @ a)
        task.progress(step + 1, steps)
    return {"norm": a.norm(), "model": model[0].sum() / model[0].numel(), "reserved_mb": torch.cuda.memory_reserved() >> 20}


@berth.unload
def unload(model):
    model.clear()  # the caller's reference to the list stays; its tensors go
    torch.cuda.empty_cache()


berth.run()
