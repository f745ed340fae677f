#!/usr/bin/env python3
"""Measures PyTorch and Triton on the cases of gpu_bench, in the same way, and prints the same lines of JSON."""
import argparse
import json
import statistics
import sys
import time

EPILOG = """\
For each case one line of JSON for each peer: case, device, who, ms (the median), value in unit, max_error (of Triton's
kernels: the largest difference from PyTorch's result), error. Before each timed run 256 MiB are written, so that caches
are cold. Triton's kernels are those of peers_triton.py; Triton tries their configurations before the first run, which
can take a minute.

Examples:
  peers.py --list
  peers.py --cases matmul_tma_wgmma/8192,copy/1GiB

Exit status: 0; 1, a case failed; 2, bad use, or PyTorch finds no GPU.
"""

FLUSH_BYTES = 1 << 28
SIZES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# The cases of gpu_bench --list, large ones and small ones.
CASES = [
    "copy/256MiB", "copy/1GiB", "vector_add/256MiB_each", "vector_add/256MiB_all", "softmax/65536x1024",
    "matmul_tma_wgmma/8192", "matmul_tma_wgmma/4096", "matmul_tma_wgmma/2048", "matmul_mma_cp_async/8192",
    "matmul_mma_cp_async/4096", "flash_attention/4x32x4096x128", "add_source/256MiB_each", "softmax_source/65536x1024",
    "softmax_source/86016x781", "softmax_source/16384x4096", "softmax_source/4096x16384",
    "softmax_source_f16/131072x1024", "softmax_source_f16/172032x781", "softmax_source_f16/32768x4096",
    "softmax_source_f16/8192x16384", "layernorm_source/65536x1024", "layernorm_source/86016x781",
    "layernorm_source/16384x4096", "layernorm_source/4096x16384", "layernorm_source_f16/131072x1024",
    "layernorm_source_f16/172032x781", "layernorm_source_f16/32768x4096", "layernorm_source_f16/8192x16384",
    "matmul_source/8192",
    "matmul_source/4096", "matmul_source/2048", "matmul_descriptor_source/8192", "matmul_descriptor_source/4096",
    "matmul_descriptor_source/2048", "attention_source/4x32x4096x128", "attention_descriptor_source/4x32x4096x128",
    "attention_source/4x32x4096x64", "attention_descriptor_source/4x32x4096x64",
]
QUICK_CASES = [
    "copy/4MiB", "vector_add/1MiB_each", "softmax/300x1000", "matmul_tma_wgmma/1024", "matmul_mma_cp_async/1024",
    "flash_attention/1x2x512x128", "softmax_source/300x781", "layernorm_source/300x781", "softmax_source_f16/300x781",
    "layernorm_source_f16/300x781", "matmul_source/256",
    "matmul_descriptor_source/256", "attention_source/1x2x256x64", "attention_descriptor_source/1x2x256x64",
]


class Peer:
    """One way to compute a case: `run` enqueues one run. An implementation that is no library's is checked before its
    first measurement: `check` is (result, function that computes the right one, allowed difference)."""

    def __init__(self, who, run, check=None):
        self.who, self.run, self.check, self.error = who, run, check, None

    def prove(self):
        if self.check:
            result, right, allowed = self.check
            result.fill_(float("nan"))
            self.run()
            self.error = accept(result, right(), allowed)
            self.check = None


def bytes_of(text):
    return int(text[:-3]) * SIZES[text[-3:]]


def largest_difference(actual, expected):
    return float((actual.double() - expected.double()).abs().max())


def accept(actual, expected, allowed):
    """Returns the largest difference; raises if it exceeds the allowed one, or for NaN."""
    difference = largest_difference(actual, expected)
    if not difference <= allowed:
        raise ValueError(f"wrong result: it differs by {difference:.3g} from PyTorch's, {allowed:.3g} are allowed")
    return difference


class Cases:
    """Makes the peers of a case: each method returns (work, unit, [peers])."""

    def __init__(self, torch, kernels, device):
        self.torch, self.kernels, self.device = torch, kernels, device

    def prepare(self, name):
        kind, _, size = name.partition("/")
        maker = getattr(self, kind, None)
        if kind.startswith("_") or maker is None or not size:
            raise ValueError(f"unknown case '{name}'")
        self.torch.manual_seed(7)
        return maker(size)

    def _normal(self, shape, dtype):
        return self.torch.randn(shape, device=self.device, dtype=self.torch.float32).to(dtype)

    def copy(self, size):
        source = self._normal((bytes_of(size) // 4,), self.torch.float32)
        target = self.torch.empty_like(source)
        return 2 * source.numel() * 4, "GB/s", [Peer("torch", lambda: target.copy_(source))]

    def vector_add(self, size):
        text, _, of = size.partition("_")
        count = bytes_of(text) // (4 if of == "each" else 12)
        x, y = self._normal((count,), self.torch.float32), self._normal((count,), self.torch.float32)
        z = self.torch.empty_like(x)
        peers = [Peer("torch", lambda: self.torch.add(x, y, out=z))]
        if self.kernels:
            peers.append(Peer("triton", lambda: self.kernels.add(x, y, z), (z, lambda: x + y, 0)))
        return 12 * count, "GB/s", peers

    def softmax(self, size, dtype=None):
        rows, columns = map(int, size.split("x"))
        x = self._normal((rows, columns), dtype or self.torch.float32)
        y = self.torch.empty_like(x)
        peers = [Peer("torch", lambda: self.torch.softmax(x, dim=1, out=y))]
        if self.kernels:
            peers.append(Peer("triton", lambda: self.kernels.softmax(x, y),
                              (y, lambda: self.torch.softmax(x, dim=1), 1e-6 if dtype is None else 1e-3)))
        return 2 * x.element_size() * rows * columns, "GB/s", peers

    def _matmul(self, size, transposed):
        """`transposed`: B is stored by columns, as the case's kernel reads it. cuBLAS is asked for both orders, since
        whoever may choose takes the faster one."""
        n, half = int(size), self.torch.float16
        a, stored = self._normal((n, n), half), self._normal((n, n), half)
        b, other = (stored.t(), stored) if transposed else (stored, stored.t())
        c = self.torch.empty((n, n), device=self.device, dtype=half)
        layout, other_layout = ("A B^T", "A B") if transposed else ("A B", "A B^T")
        peers = [Peer(f"torch {layout}", lambda: self.torch.matmul(a, b, out=c)),
                 Peer(f"torch {other_layout}", lambda: self.torch.matmul(a, other, out=c))]
        if self.kernels:
            # Both add the same products in f32 and round to f16; terms are about 1, so sums are about sqrt(n).
            check = (c, lambda: self.torch.matmul(a, b), n ** 0.5 * 8 * 2 ** -10)
            peers.append(Peer(f"triton {layout}", lambda: self.kernels.matmul(a, b, c), check))
            if transposed:
                programs = self.torch.cuda.get_device_properties(self.device).multi_processor_count
                peers.append(Peer(f"triton persistent {layout}",
                                  lambda: self.kernels.persistent_matmul(a, stored, c, programs), check))
        return 2 * n ** 3, "TFLOP/s", peers

    def matmul_tma_wgmma(self, size):
        return self._matmul(size, transposed=True)

    def matmul_mma_cp_async(self, size):
        return self._matmul(size, transposed=False)

    def flash_attention(self, size):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        batch, heads, length, width = map(int, size.split("x"))
        q, k, v = (self._normal((batch, heads, length, width), self.torch.float16) for _ in range(3))

        def peer(who, backend):
            def run():
                with sdpa_kernel(backend):
                    self.torch.nn.functional.scaled_dot_product_attention(q, k, v)
            return Peer(who, run)

        peers = [peer("torch cuDNN", SDPBackend.CUDNN_ATTENTION), peer("torch flash", SDPBackend.FLASH_ATTENTION)]
        if self.kernels and length % 128 == 0:  # the largest block
            out = self.torch.empty_like(q)
            right = self.torch.nn.functional.scaled_dot_product_attention
            peers.append(Peer("triton", lambda: self.kernels.attention(q, k, v, out),
                              (out, lambda: right(q, k, v), 1e-2)))
        return 4 * batch * heads * length ** 2 * width, "TFLOP/s", peers

    def layernorm_source(self, size, dtype=None):
        rows, columns = map(int, size.split("x"))
        dtype = dtype or self.torch.float32
        x = self._normal((rows, columns), dtype)
        weight, bias = self._normal((columns,), dtype), self._normal((columns,), dtype)
        norm = self.torch.nn.functional.layer_norm
        work = 2 * x.element_size() * rows * columns
        return work, "GB/s", [Peer("torch", lambda: norm(x, (columns,), weight, bias, 1e-5))]

    def layernorm_source_f16(self, size):
        return self.layernorm_source(size, self.torch.float16)

    # The samples' kernels have the peers of the hand-written ones.
    def add_source(self, size):
        return self.vector_add(size)

    def softmax_source(self, size):
        return self.softmax(size)

    def softmax_source_f16(self, size):
        return self.softmax(size, self.torch.float16)

    def matmul_source(self, size):
        return self._matmul(size, transposed=False)

    def matmul_descriptor_source(self, size):
        return self._matmul(size, transposed=True)

    def attention_source(self, size):
        return self.flash_attention(size)

    def attention_descriptor_source(self, size):
        return self.flash_attention(size)


class Bench:
    """Keeps the last case's arrays, so that an immediate repetition can reuse them."""

    def __init__(self, torch, cases, device, label, seconds):
        self.torch, self.cases, self.label, self.seconds = torch, cases, label, seconds
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device=device)
        self.name, self.prepared = None, None

    def _timed(self, run, count):
        events = [(self.torch.cuda.Event(enable_timing=True), self.torch.cuda.Event(enable_timing=True))
                  for _ in range(count)]
        for start, end in events:
            self.flush.zero_()
            start.record()
            run()
            end.record()
        self.torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in events]

    def _measure(self, peer):
        # Runs until the clocks are steady, as gpu_bench does.
        begin, before, median = time.monotonic(), 0, 1
        while (time.monotonic() - begin < 0.4 or abs(median - before) > 0.02 * median) and time.monotonic() - begin < 3:
            before, median = median, statistics.median(self._timed(peer.run, 5))
        once = max(statistics.median(self._timed(peer.run, 5)), 1e-4)
        return self._timed(peer.run, int(min(max(self.seconds * 1e3 / once, 10), 200)))

    def run(self, name):
        """Prints one line for each peer; returns True if none failed."""
        record = {"case": name, "device": self.label, "who": "torch", "ms": None, "value": None, "unit": None,
                  "runs": 0, "max_error": None, "error": None}
        try:
            if name != self.name:
                self.name = self.prepared = None
                self.torch.cuda.empty_cache()
                self.prepared, self.name = self.cases.prepare(name), name
            work, unit, peers = self.prepared
        except Exception as error:  # an exception of a library is the case's result
            show({**record, "error": f"{type(error).__name__}: {error}"})
            return False
        good = True
        for peer in peers:
            mine = {**record, "who": peer.who, "unit": unit}
            try:
                peer.prove()
                mine["max_error"] = peer.error
                times = self._measure(peer)
                ms = statistics.median(times)
                mine.update(ms=ms, least_ms=min(times), runs=len(times),
                            value=work / ms * 1e3 / (1e9 if unit == "GB/s" else 1e12))
            except Exception as error:
                mine["error"] = f"{type(error).__name__}: {error}"
                good = False
            show(mine)
        return good


def show(record):
    print(json.dumps(record), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=int, default=0, help="which GPU, as PyTorch counts them (default: 0)")
    parser.add_argument("--cases", default="", help="names of --list, separated by commas (default: all large ones)")
    parser.add_argument("--seconds", type=float, default=0.3, help="device time for each peer (default: 0.3)")
    parser.add_argument("--quick", action="store_true", help="the small cases, for trying the benchmark itself")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and end")
    parser.add_argument("--serve", action="store_true",
                        help="read names of cases from standard input and run each as it comes")
    options = parser.parse_args()
    if options.list:
        print("\n".join(CASES + QUICK_CASES))
        return 0
    names = [name for name in options.cases.split(",") if name] or (QUICK_CASES if options.quick else CASES)
    for name in names:
        if name not in CASES + QUICK_CASES:
            parser.error(f"unknown case '{name}'; --list shows all")
    try:
        import torch
    except ImportError as error:
        print(f"peers.py: this python3 has no PyTorch: {error}", file=sys.stderr)
        return 2
    if not torch.cuda.is_available() or options.index >= torch.cuda.device_count():
        print(f"peers.py: PyTorch {torch.__version__} finds no GPU {options.index}", file=sys.stderr)
        return 2
    torch.cuda.set_device(options.index)
    try:
        import peers_triton as kernels
    except ImportError as error:
        print(f"peers.py: without Triton: {error}", file=sys.stderr)
        kernels = None
    device = torch.device("cuda", options.index)
    bench = Bench(torch, Cases(torch, kernels, device), device, torch.cuda.get_device_name(options.index),
                  options.seconds)
    if not options.serve:
        return 0 if all([bench.run(name) for name in names]) else 1
    for line in sys.stdin:
        name = line.strip()
        bench.run(name)
        show({"done": name})
    return 0


if __name__ == "__main__":
    sys.exit(main())
