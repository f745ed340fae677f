#!/usr/bin/python3
"""Runs each kernel of the specification, unchanged, through `tegula run` and compares with NumPy.

usage: seed_kernels.py TEGULA FOLDER

FOLDER holds the specification's kernel files. Tolerances: vector add and copies exactly, other f32 elementwise work
within 2e-6 relative, products of f16 within 1e-3 * sqrt(K), of f32 within 1e-6 * K/2 absolute for normal inputs (a
plain f32 sum of 1000 products errs by 2e-4).
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

TEGULA, FOLDER = sys.argv[1], sys.argv[2]
WORK = tempfile.mkdtemp(prefix="tegula-seeds-")
random = np.random.default_rng(7)
passed, failed = 0, 0


def report(name, problem):
    global passed, failed
    if problem:
        failed += 1
        print(f"FAILED {name}: {problem}", flush=True)
    else:
        passed += 1
        print(f"ok     {name}", flush=True)


def save(name, array):
    path = os.path.join(WORK, name + ".npy")
    np.save(path, array)
    return "@" + path


def run(kernel, grid, values, out=None, options=()):
    """Returns (exit status, standard output, standard error, result array or None)."""
    path = os.path.join(WORK, "out.npy")
    if os.path.exists(path):
        os.remove(path)
    command = [TEGULA, "run", f"{FOLDER}/{kernel}", f"--grid={grid}", *options]
    command += [f"{name}={value}" for name, value in values.items()]
    if out:
        command += ["--out", f"{out}={path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    result = np.load(path) if out and os.path.exists(path) else None
    return done.returncode, done.stdout, done.stderr, result


def check(name, kernel, grid, values, out, expected, tolerance, relative=False, options=()):
    status, _, errors, result = run(kernel, grid, values, out, options)
    if status != 0 or result is None:
        return report(name, f"exit status {status}: {errors.strip()[:600]}")
    if result.shape != expected.shape:
        return report(name, f"shape {result.shape}, expected {expected.shape}")
    got, want = result.astype(np.float64), expected.astype(np.float64)
    error = np.abs(got - want)
    if relative:
        error = error / np.maximum(np.abs(want), np.finfo(np.float32).tiny)
    worst = float(error.max()) if error.size else 0.0
    report(f"{name}: error {worst:.3g}", None if worst <= tolerance else f"error {worst:.3g} exceeds {tolerance:.3g}")


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


# --- elementwise ------------------------------------------------------------------------------------------------------
for n in (10000, 1, 781, 3500):
    a, b = normal(n), normal(n)
    va, vb, vc = save("a", a), save("b", b), f"zeros:f32:{n}"
    for options in ((), ("--check",)):
        tag = f"{n}{' checked' if options else ''}"
        check(f"s2_vector_add {tag}", "s2_vector_add.py::vector_add_kernel", "cdiv(n_elements, BLOCK_SIZE)",
              dict(a_ptr=va, b_ptr=vb, c_ptr=vc, n_elements=n, BLOCK_SIZE=1024), "c_ptr", a + b, 0, options=options)
        check(f"s1 add_kernel {tag}", "s1_slides.py::add_kernel", "cdiv(N, BLOCK_SIZE)",
              dict(x_ptr=va, y_ptr=vb, z_ptr=vc, N=n, BLOCK_SIZE=1024), "z_ptr", a + b, 0, options=options)
        check(f"s2_concepts {tag}", "s2_concepts.py::my_kernel", "cdiv(n_elements, BLOCK_SIZE)",
              dict(input_ptr=va, output_ptr=vc, n_elements=n, BLOCK_SIZE=256), "output_ptr", a * 2, 0, options=options)
    x, y = random.integers(-2**31, 2**31, n, dtype=np.int32), random.integers(-1000, 1000, n, dtype=np.int32)
    with np.errstate(over="ignore"):
        total = x + y
    for kernel in ("add", "add_global"):
        check(f"s1 {kernel} {n}", f"s1_slides.py::{kernel}", "cdiv(N, 512)",
              dict(X=save("x", x), Y=save("y", y), Z=f"zeros:i32:{n}", N=n), "Z", total, 0)


# --- rows -------------------------------------------------------------------------------------------------------------
def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


for rows, columns in ((64, 781), (33, 1024), (1, 1), (7, 4096)):
    block = 1 << (columns - 1).bit_length()
    x = normal(rows, columns)
    vx, vy = save("x", x), f"zeros:f32:{rows}x{columns}"
    for options in ((), ("--check",)):
        tag = f"{rows}x{columns}{' checked' if options else ''}"
        check(f"s2_softmax {tag}", "s2_softmax.py::softmax_kernel", str(rows),
              dict(input_ptr=vx, output_ptr=vy, n_cols=columns, input_row_stride=columns, output_row_stride=columns,
                   BLOCK_SIZE=block), "output_ptr", softmax(x), 2e-6, True, options)
        check(f"s1 softmax {tag}", "s1_slides.py::softmax_kernel", str(rows),
              dict(input_ptr=vx, output_ptr=vy, n_cols=columns, input_row_stride=columns, output_row_stride=columns,
                   BLOCK_SIZE=block), "output_ptr", softmax(x), 2e-6, True, options)
        weight, bias = normal(columns), normal(columns)
        wide = x.astype(np.float64)
        centered = wide - wide.mean(axis=1, keepdims=True)
        scaled = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5)
        # A product and a bias can cancel: the error is relative to the terms, not to their sum.
        check(f"s2_layernorm {tag}", "s2_layernorm.py::layernorm_kernel", str(rows),
              dict(x_ptr=vx, y_ptr=vy, weight_ptr=save("w", weight), bias_ptr=save("bias", bias), n_cols=columns,
                   eps=1e-5, x_row_stride=columns, BLOCK_SIZE=block), "y_ptr", scaled * weight + bias,
              2e-6 * max(1.0, float(np.abs(scaled * weight).max())), options=options)

# --- copies with any strides ------------------------------------------------------------------------------------------
x = normal(64, 32)
for name, source, strides in (("rows", x, (32, 1)), ("Fortran order", np.asfortranarray(x), (1, 64))):
    check(f"s1 copy_kernel {name}", "s1_slides.py::copy_kernel", "1",
          dict(X=save("x", source), stride_xm=strides[0], stride_xn=strides[1], Z="zeros:f32:64x32", stride_zm=32,
               stride_zn=1, BLOCK_M=64, BLOCK_N=32), "Z", x, 0, options=("--check",))
check("s1 copy_kernel transposing", "s1_slides.py::copy_kernel", "1",
      dict(X=save("x", x), stride_xm=32, stride_xn=1, Z="zeros:f32:32x64", stride_zm=1, stride_zn=64, BLOCK_M=64,
           BLOCK_N=32),
      "Z", np.ascontiguousarray(x.T), 0)


# --- products ---------------------------------------------------------------------------------------------------------
def matmul(name, kernel, grid, sizes, constants, dtype=np.float32, out_type="f32", transposed=(False, False),
           options=(), rest=None):
    m, n, k = sizes
    a, b = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype)
    sa, sb = ((1, m) if transposed[0] else (k, 1)), ((1, k) if transposed[1] else (n, 1))
    va = save("a", np.asfortranarray(a) if transposed[0] else a)
    vb = save("b", np.asfortranarray(b) if transposed[1] else b)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    half = dtype == np.float16 or out_type == "f16"
    tolerance = 1e-3 * np.sqrt(k) if half else 1e-6 + 5e-7 * k
    if out_type == "f16":  # the rounding of the result
        tolerance += float(np.abs(expected).max()) * 2**-11
    values = dict(a_ptr=va, b_ptr=vb, c_ptr=f"zeros:{out_type}:{m}x{n}", M=m, N=n, K=k, stride_am=sa[0],
                  stride_ak=sa[1], stride_bk=sb[0], stride_bn=sb[1], stride_cm=n, stride_cn=1, **constants)
    check(f"{name} {m}x{n}x{k} {np.dtype(dtype).name}->{out_type} {transposed}", kernel, grid, values, "c_ptr",
          expected, tolerance, options=options)


S0 = dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=32)
S23 = dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
S1 = dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=64, GROUP_SIZE_M=2)
grid0 = "cdiv(M, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N)"
grid2 = "cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)"
for sizes in ((1000, 1000, 1000), (1, 1, 1), (333, 77, 1000), (128, 256, 64)):
    for transposed in ((False, False), (True, False), (False, True), (True, True)):
        if sizes == (1000, 1000, 1000) and transposed[0] != transposed[1]:
            continue
        matmul("s0_matmul", "s0_matmul.py::matmul_kernel", grid0, sizes, S0, transposed=transposed)
        matmul("s2_matmul", "s2_matmul.py::matmul_kernel", grid2, sizes, S23, transposed=transposed)
        matmul("s3_matmul", "s3_matmul.py::matmul_kernel", grid2, sizes, S23, transposed=transposed)
    matmul("s2_matmul_autotuned", "s2_matmul_autotuned.py::matmul_kernel_autotuned", grid2, sizes, {})
    for kernel, grid, constants in (("s0_matmul", grid0, S0), ("s2_matmul", grid2, S23), ("s3_matmul", grid2, S23)):
        matmul(kernel, f"{kernel}.py::matmul_kernel", grid, sizes, constants, np.float16, "f32")
        matmul(kernel, f"{kernel}.py::matmul_kernel", grid, sizes, constants, np.float16, "f16")
for kernel in ("s0_matmul", "s3_matmul"):
    matmul(kernel + " checked", f"{kernel}.py::matmul_kernel", grid0 if kernel == "s0_matmul" else grid2,
           (333, 77, 100), S0 if kernel == "s0_matmul" else S23, options=("--check",))
for options in ((), ("--check",)):
    matmul("s1 matmul", "s1_slides.py::matmul_kernel", grid0, (256, 192, 320), S1, np.float16, "f16", options=options)
    matmul("s1 persistent", "s1_slides.py::matmul_kernel_persistent", "NUM_SMS", (256, 192, 320), dict(S1, NUM_SMS=3),
           np.float16, "f16", options=options)

m, n, k = 256, 192, 320
a, b = normal(m, k, dtype=np.float16), normal(n, k, dtype=np.float16)
expected = a.astype(np.float64) @ b.astype(np.float64).T
for bn, bk in ((64, 64), (32, 64)):
    check(f"s1 descriptors, B block {bn}x{bk}", "s1_slides.py::matmul_kernel_tma",
          "cdiv(M, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N)",
          dict(a_desc=f"desc:64x{bk}:{save('a', a)}", b_desc=f"desc:{bn}x{bk}:{save('b', b)}",
               c_desc=f"desc:64x{bn}:zeros:f16:{m}x{n}",
               M=m, N=n, K=k, BLOCK_SIZE_M=64, BLOCK_SIZE_N=bn, BLOCK_SIZE_K=bk, GROUP_SIZE_M=1), "c_desc", expected,
          1e-3 * np.sqrt(k) + float(np.abs(expected).max()) * 2**-11)

# --- where the kernels do not mask, the checked mode says so ----------------------------------------------------------
a, b = save("a", normal(100, 64, dtype=np.float16)), save("b", normal(64, 100, dtype=np.float16))
for kernel, constants in (("matmul_kernel", S1), ("matmul_kernel_persistent", dict(S1, NUM_SMS=2))):
    status, _, errors, _ = run(f"s1_slides.py::{kernel}", "NUM_SMS" if "persistent" in kernel else grid0,
                               dict(a_ptr=a, b_ptr=b, c_ptr="zeros:f16:100x100", M=100, N=100, K=64, stride_am=64,
                                    stride_ak=1, stride_bk=100, stride_bn=1, stride_cm=100, stride_cn=1, **constants),
                               options=("--check",))
    wanted = ("s1_slides.py:", "program (", "past its end", "a_ptr" if "a_ptr" in errors else "b_ptr")
    report(f"s1 {kernel} 100x100x64 faults when checked",
           None if status == 1 and all(w in errors for w in wanted) else f"exit status {status}: {errors[:300]}")
status, _, errors, _ = run("s1_slides.py::copy_kernel", "1",
                           dict(X=save("x", normal(30, 30)), stride_xm=30, stride_xn=1, Z="zeros:f32:30x30",
                                stride_zm=30, stride_zn=1, BLOCK_M=32, BLOCK_N=32), options=("--check",))
report("s1 copy_kernel 30x30 faults when checked",
       None if status == 1 and "X[" in errors and "program (0, 0, 0)" in errors else
       f"exit status {status}: {errors[:300]}")

# --- printing ---------------------------------------------------------------------------------------------------------
x = normal(100)
status, output, errors, _ = run("s2_debugging.py::debug_kernel", "cdiv(n, BLOCK)",
                                dict(x_ptr=save("x", x), n=100, BLOCK=64))
lines = output.splitlines()
values = [line for line in lines if "First block values: " in line]
maxima = [line for line in lines if "Max: " in line]
good = (status == 0 and len(values) == 64 and len(maxima) == 1
        and values[3].startswith("pid (0, 0, 0) idx ( 3) First block values: ")
        and abs(float(maxima[0].split("Max: ")[1]) - float(x[:64].max())) < 1e-5
        and abs(float(values[63].split("values: ")[1]) - float(x[63])) < 1e-5)
report("s2_debugging", None if good else f"exit status {status}: {output[:200]} {errors[:200]}")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
