"""Which launches are prepared: those with numbers of any type, texts, tuples and functions, whatever Python calls their
classes. A value must not be taken for another one that it equals. On the device in $TEGULA_DEVICE."""
import enum
import os
import unittest
import warnings

import numpy as np

import tegula
import tegula.language as tl

DEVICE = os.environ["TEGULA_DEVICE"]


class Mode(enum.IntEnum):
    ZERO = 0
    THREE = 3


class Name(str, enum.Enum):
    NEGATIVE = "negative"


class Whole(int):
    pass


class Real(float):
    pass


class Odd(str):
    """Equals every text."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


@tegula.jit
def twice(x):
    return x * 2


FACTOR = 3


@tegula.jit
def by_factor(x):
    return x * FACTOR


@tegula.jit
def argument(out, value, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), value)


@tegula.jit
def plus(out, K: tl.constexpr, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), K + 1)


@tegula.jit
def kind(out, K: tl.constexpr, B: tl.constexpr):
    # True, 1, 1.0 and None take four ways.
    v = 0
    if K is None:
        v = 4
    elif K is True:
        v = 3
    elif K / 2 * 2 == K and isinstance(K, float):
        v = 2
    else:
        v = 1
    tl.store(out + tl.arange(0, B), v)


@tegula.jit
def text(out, K: tl.constexpr, B: tl.constexpr):
    v = 7
    if K == "negative":
        v = -7
    tl.store(out + tl.arange(0, B), v)


@tegula.jit
def apply(out, f: tl.constexpr, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), f(tl.arange(0, B) + 1))


@tegula.jit
def of_tuple(out, K, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), K[0] * 2 + K[1])


class Prepared(unittest.TestCase):
    def launched(self, kernel, *values, expected, by_python=None, grid=(1,), dtype=np.float64, **options):
        """Launches twice, of which `by_python` launches go through Python, and compares the first element. The process
        may have launched the like before, so that None stands for at most one."""
        calls = []
        out = np.zeros(16, dtype)
        original = type(kernel)._launch
        kernel._launch = lambda *arguments: calls.append(1) or original(kernel, *arguments)
        try:
            for _ in range(2):
                out[:] = 0
                kernel[grid](out, *values, B=16, device=DEVICE, **options)
                self.assertEqual(out[0], expected, values)
        finally:
            del kernel._launch
        if DEVICE != "cpu":
            return  # arrays are copied
        if by_python is None:
            self.assertLessEqual(len(calls), 1, values)
        else:
            self.assertEqual(len(calls), by_python, values)

    def test_arguments(self):
        for value in (3, Mode.THREE, Whole(3), np.int8(3), np.int16(3), np.int32(3), np.int64(3), np.uint8(3),
                      np.uint64(3), tl.constexpr(3)):
            self.launched(argument, value, expected=3)
        for value in (1.5, Real(1.5), np.float16(1.5), np.float32(1.5), np.float64(1.5), tl.constexpr(1.5)):
            self.launched(argument, value, expected=1.5)
        for value in (True, np.bool_(True), tl.constexpr(True)):
            self.launched(argument, value, expected=1)
        for value in (False, np.bool_(False)):
            self.launched(argument, value, expected=0)
        for value in (2**40, np.int64(2**40), -2**40, 2**63, np.uint64(2**63), 2**64 - 2**11, -2**63):
            self.launched(argument, value, expected=float(int(value)))

    def test_types_of_one_value_share_a_launch(self):
        self.launched(argument, 5, expected=5)
        self.launched(argument, np.int64(6), expected=6, by_python=0)
        self.launched(argument, Mode.THREE, expected=3, by_python=0)
        self.launched(plus, 3, expected=4)
        self.launched(plus, Mode.THREE, expected=4, by_python=0)
        self.launched(plus, np.uint8(3), expected=4, by_python=0)
        self.launched(plus, tl.constexpr(3), expected=4, by_python=0)

    def test_constants(self):
        for value in (0, Mode.ZERO, Whole(0), np.int64(0), tl.constexpr(0)):
            self.launched(plus, value, expected=1)
        for value in (2.5, Real(2.5), np.float32(2.5), np.float64(2.5), np.float16(2.5), tl.constexpr(2.5)):
            self.launched(plus, value, expected=3.5)
        for value in ("negative", Name.NEGATIVE, np.str_("negative"), tl.constexpr("negative")):
            self.launched(text, value, expected=-7)
        self.launched(text, "positive", expected=7)
        self.launched(text, Odd("positive"), expected=7)
        self.launched(text, Odd("negative"), expected=-7)

    def test_equal_constants_of_other_kinds(self):
        for _ in range(2):
            for value, expected in ((True, 3), (1, 1), (1.0, 2), (None, 4), (np.bool_(True), 3), (np.int64(1), 1),
                                    (np.float32(1), 2), (Mode(3) - 2, 1), (Real(1), 2), (tl.constexpr(True), 3),
                                    (tl.constexpr(None), 4)):
                self.launched(kind, value, expected=expected)

    def test_functions(self):
        global FACTOR
        for _ in range(2):
            self.launched(apply, twice, expected=2)
            self.launched(apply, by_factor, expected=3 if FACTOR == 3 else 5)
            self.launched(apply, tl.constexpr(twice), expected=2)
            self.launched(apply, tl.abs, expected=1)
        try:
            FACTOR = 5  # the function that is prepared uses it
            self.launched(apply, by_factor, expected=5, by_python=1)
            self.launched(apply, twice, expected=2, by_python=0)
        finally:
            FACTOR = 3
        self.launched(apply, by_factor, expected=3, by_python=1)

    def test_tuples(self):
        for _ in range(2):
            for value, expected in (((1, 2), 4), ((2, 2), 6), ((1.5, 2), 5), ((1, 2.0), 4), ((Mode.THREE, 1), 7),
                                    ((np.int64(3), 1), 7), ((True, 2), 4)):
                self.launched(of_tuple, value, expected=expected)

    def test_grids(self):
        for grid in (1, (1,), [1], (np.int64(1),), (Whole(1), 1, 1), np.int32(1), (1, 1, 1, 9), lambda meta: (1,),
                     lambda meta: (np.int64(1), 1)):
            self.launched(argument, 3, expected=3, grid=grid)

    def test_options(self):
        for options in ({"num_warps": np.int64(4)}, {"num_warps": Whole(4), "num_stages": 2}, {"num_ctas": 1},
                        {"enable_fp_fusion": False}, {"launch_cooperative_grid": True}, {"arch": "sm80"}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.launched(argument, 3, expected=3, **options)


if __name__ == "__main__":
    unittest.main()
