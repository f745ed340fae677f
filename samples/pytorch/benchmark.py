"""PyTorch, lesson 4: a benchmark over sizes, as a table, and as a plot where matplotlib is installed.

    $ python3 samples/pytorch/benchmark.py FOLDER
    softmax-cpu:
        N  Tegula  PyTorch
      256  ...

writes softmax-cpu.png and softmax-cpu.csv into FOLDER. Rates count 2 * M * N * 4 bytes: x is read and y is written."""
import sys

import torch

import tegula
from softmax_autograd import launch, softmax_forward

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LAST = 13 if DEVICE == "cpu" else 15  # N up to 2^LAST


@tegula.testing.perf_report(tegula.testing.Benchmark(
    x_names=["N"], x_vals=[2**i for i in range(8, LAST + 1)], line_arg="provider", line_vals=["tegula", "torch"],
    line_names=["Tegula", "PyTorch"], ylabel="GB/s", plot_name=f"softmax-{DEVICE}", x_log=True, args={"M": 512}))
def benchmark(M, N, provider):
    x = torch.randn(M, N, device=DEVICE)
    y = torch.empty_like(x)
    run = {"tegula": lambda: launch(softmax_forward, x, y), "torch": lambda: torch.softmax(x, dim=-1, out=y)}[provider]
    milliseconds = tegula.testing.do_bench(run, warmup=5, rep=20, return_mode="median")
    return 2 * M * N * 4 / milliseconds * 1e-6


if __name__ == "__main__":
    benchmark.run(print_data=True, save_path=sys.argv[1] if len(sys.argv) > 1 else "")
