"""Launches of one kernel again and again, with arguments whose types, sizes and properties change between them, on the
device in $TEGULA_DEVICE. What is prepared for one launch must not be taken for another."""
import functools
import gc
import os
import sys
import threading
import time
import unittest
import unittest.mock
import weakref

import numpy as np

import tegula
import tegula.language as tl
from tegula import _abi, _devices as devices
from tegula.options import HINTS


@tegula.jit
def mix(out, x, n, factor, extra, ROWS: tl.constexpr, COLUMNS: tl.constexpr, KIND: tl.constexpr = None):
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    at = row * COLUMNS + column
    value = tl.load(x + at, mask=at < n, other=0) * factor + row
    if extra is not None:
        value += extra
    if KIND == "negative":
        value = -value
    tl.store(out + at, value, mask=at < n)


@tegula.jit
def tell(out, number, FIRST: tl.constexpr, SECOND: tl.constexpr = 3):
    tl.store(out + tl.program_id(0), number * 10000 + FIRST * 100 + SECOND)


def expected(x, n, factor, extra, rows, columns, kind=None):
    row = np.repeat(np.arange(rows), columns)[:n]
    value = x.reshape(-1)[:n].astype(np.float64) * factor + row + (extra or 0)
    return -value if kind == "negative" else value


class Repeated(unittest.TestCase):
    def check(self, x, n, factor, extra, rows, columns, kind=None, out=None, **options):
        out = np.zeros(64, np.float64) if out is None else out
        mix[(1,)](out, x, n, factor, extra, COLUMNS=columns, ROWS=rows, KIND=kind, **options)
        np.testing.assert_array_equal(out[:n], expected(x, n, factor, extra, rows, columns, kind))
        self.assertFalse(out[n:].any())

    def test_everything_changes_in_turn(self):
        x = np.arange(64, dtype=np.float32)
        wide = x.astype(np.float64)
        launches = ((x, 64, 2, 3, 8, 8), (x, 64, 2, 3, 4, 16), (x, 64, 2, 3, 16, 4), (x, 63, 2, None, 8, 8),
                    (x, 64, 2.5, 3, 8, 8), (x, 64, True, 3, 8, 8), (wide, 64, 2**40, 3, 8, 8),
                    (wide, 64, 2, -2**33, 8, 8),
                    (x, 64, 2, 3, 8, 8, "negative"), (wide, 64, 2, 3, 8, 8),
                    (x.astype(np.int16), 64, 2, 3, 8, 8), (np.arange(65, dtype=np.float32)[1:], 64, 2, 3, 8, 8),
                    (x, 1, 1, 1, 8, 8), (x, 64, np.int64(2), np.float32(3), 8, 8))
        for _ in range(3):
            for launch in launches:
                self.check(*launch)
                self.check(*launch)
        for warps in (1, 2, 8, 1):
            self.check(*launches[0], num_warps=warps)

    def test_arrays_change_their_properties(self):
        x = np.arange(64, dtype=np.float32)
        for _ in range(3):
            self.check(x, 64, 2, 3, 8, 8)
            x.flags.writeable = False
            self.check(x, 64, 2, 3, 8, 8)
            x.flags.writeable = True
        out = np.zeros(64, np.float64)
        for _ in range(2):
            with self.assertRaisesRegex(tegula.errors.UseError, "a stride of -4 bytes"):
                mix[(1,)](out, x[::-1], 64, 2, 3, 8, 8)
            self.check(x, 64, 2, 3, 8, 8)

    def test_checked_launches_are_not_prepared(self):
        x = np.arange(60, dtype=np.float32)
        mix[(1,)](np.zeros(64), x[:60], 60, 2, 3, 8, 8)
        os.environ["TRITON_INTERPRET"] = "1"
        try:
            with self.assertRaises(tegula.errors.KernelFault):
                mix[(1,)](np.zeros(64), x, 64, 2, 3, 8, 8)
        finally:
            del os.environ["TRITON_INTERPRET"]

    def test_more_kinds_of_launches_than_are_kept(self):
        for _ in range(3):
            out = np.zeros(40, np.int32)
            for first in range(40):
                for _ in range(2):
                    tell[(1,)](out[first:], first, FIRST=first)
            np.testing.assert_array_equal(out, np.arange(40) * 10100 + 3)

    def test_names_in_any_order(self):
        def launch(by, **more):
            out = np.zeros(1, np.int32)
            if by == "position":
                tell[(1,)](out, 1, 2, 3)
            elif by == "name":
                tell[(1,)](number=1, FIRST=2, SECOND=3, out=out)
            elif by == "other order":
                tell[(1,)](out, SECOND=3, FIRST=2, number=1)
            else:
                tell[(1,)](out, 1, 2, **more)
            self.assertEqual(out[0], 10203, by)

        ignored = dict.fromkeys((*HINTS, "num_warps", "num_stages", "device", "SECOND"))
        many = {**ignored, "SECOND": 3}
        for _ in range(3):
            for by in ("position", "name", "other order", "position"):
                launch(by)
                launch(by)
            launch("mapping", SECOND=3)
            launch("mapping", **many)
            with self.assertRaisesRegex(tegula.errors.UseError, "has no parameter 'SECOND_'"):
                launch("mapping", SECOND_=3)
            with self.assertRaisesRegex(tegula.errors.UseError, "'FIRST' .* by position and by name"):
                launch("mapping", FIRST=2)

    def test_grids_of_any_kind(self):
        one, two, larger = (1,), (2,), [1]
        for _ in range(3):
            for grid, count in ((one, 1), (two, 2), (one, 1), (2, 2), ([2], 2), (lambda meta: (meta["FIRST"],), 2),
                                (larger, larger[0]), ((np.int64(2),), 2), ((2, 1, 1), 2), ((True,), 1)):
                for _ in range(2):
                    out = np.zeros(3, np.int32)
                    tell[grid](out, 1, FIRST=2)
                    self.assertEqual(np.count_nonzero(out), count, grid)
            larger[0] += 1

    def test_values_without_a_slot(self):
        x, out = np.ones(64, np.float32), np.zeros(64)
        for factor in (1.0, 1e300, 1.0):  # 1e300 is infinite in f32
            mix[(1,)](out, x, 64, factor, None, 8, 8)
            self.assertEqual(out[0], np.inf if factor > 2 else 1)
        for grid in ((1,), (-1,), (1,), (2**32,)):
            if 0 <= grid[0] < 2:
                mix[grid](out, x, 64, 1.0, None, 8, 8)
            else:
                with self.assertRaisesRegex(tegula.errors.UseError, "grid axis 0"):
                    mix[grid](out, x, 64, 1.0, None, 8, 8)


def local_kernel():
    """A kernel that its closure keeps alive."""
    @tegula.jit
    def increase(x, B: tl.constexpr):
        tl.store(x + tl.arange(0, B), tl.load(x + tl.arange(0, B)) + amount)

    amount = 3
    keeps = {"kernel": increase}

    def launch(x):
        return keeps["kernel"][(1,)](x, B=4)

    increase.launch = launch
    return launch


class Lifetime(unittest.TestCase):
    def test_kernels_and_what_launches_return_are_collected(self):
        launch = local_kernel()
        x = np.zeros(4, np.float32)
        launched = [launch(x) for _ in range(3)]
        np.testing.assert_array_equal(x, 9)
        kernel = weakref.ref(launch.__closure__[0].cell_contents["kernel"])
        arrays = sys.getrefcount(x)
        del launch
        gc.collect()
        if launched[-1] is not None:  # what it ran is still known, and can be launched
            self.assertEqual(launched[-1].metadata.name, "increase")
            launched[-1][(1,)](x, B=4)
            np.testing.assert_array_equal(x, 12)
        del launched
        gc.collect()
        self.assertIsNone(kernel())
        self.assertEqual(sys.getrefcount(x), arrays)

    def test_no_references_are_left_behind(self):
        x, out = np.arange(64, dtype=np.float32), np.zeros(64)
        mode = "".join(("neg", "ative"))  # an object of its own: nothing else refers to it, or ceases to
        values = [x, out, mode, 3.5]
        for _ in range(3):
            mix[(1,)](out, x, 64, 3.5, None, 8, 8, mode)
        gc.collect()
        before = [sys.getrefcount(value) for value in values]
        for _ in range(100):
            mix[(1,)](out, x, 64, 3.5, None, 8, 8, mode)
            mix[lambda meta: (meta["n"] // 64,)](x=x, out=out, n=64, factor=3.5, extra=None, ROWS=8, COLUMNS=8)
        gc.collect()
        self.assertEqual([sys.getrefcount(value) for value in values], before)


STEP = 1


@tegula.jit
def convert(x, out, TYPE: tl.constexpr):
    tl.store(out, tl.load(x).to(TYPE).to(tl.float32))


class Slow:
    """Stands for a handle of the library whose making takes long."""

    def __init__(self, *arguments):
        time.sleep(0.05)
        self.pointer = self


class Threads(unittest.TestCase):
    def launches(self, index, problems):
        x = np.zeros(50 + index, np.float32 if index % 2 else np.int32)
        try:
            for _ in range(100):
                grow[(1,)](x, x.size, B=64 if index < 4 else 128)
            np.testing.assert_array_equal(x, 100)
        except Exception as problem:  # of any kind: a thread does not report it otherwise
            problems.append((index, problem))

    def in_threads(self, *calls):
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_one_stream_in_several_threads(self):
        device, found = devices.get("cpu"), []
        with unittest.mock.patch.object(_abi, "Handle", Slow), unittest.mock.patch.object(device, "_wrapped", {}):
            self.in_threads(*[lambda: found.append(device.stream_of(7))] * 4)
            self.assertEqual(found, [device.stream_of(7)] * 4)

    def test_constants_that_are_slow_to_compare(self):
        def launches(type_, want):
            x, out = np.full(1, 3.7, np.float32), np.zeros(1, np.float32)
            for _ in range(3):
                convert[(1,)](x, out, type_)
                wrong.extend([type_] if out[0] != np.float32(want) else [])

        wrong, hashed = [], tl.dtype.__hash__
        with unittest.mock.patch.object(tl.dtype, "__hash__", lambda type_: time.sleep(0.01) or hashed(type_)):
            self.in_threads(lambda: launches(tl.int8, 3), lambda: launches(tl.float32, 3.7))
        self.assertEqual(wrong, [])

    def test_first_launches_in_several_threads(self):
        global grow
        for _ in range(5):
            @tegula.jit
            def grow(x, n, B: tl.constexpr):
                at = tl.arange(0, B)
                tl.store(x + at, tl.load(x + at, mask=at < n) + STEP, mask=at < n)

            problems = []
            self.in_threads(*[functools.partial(self.launches, index, problems) for index in range(8)])
            self.assertEqual(problems, [])


if __name__ == "__main__":
    unittest.main()
