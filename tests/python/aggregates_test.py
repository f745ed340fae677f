"""Kernels that use classes marked by `_aggregate`."""
import unittest

import numpy as np

import helpers
import tegula
import tegula.language as tl
from tegula import jit
from tegula.language.core import _aggregate as aggregate

SHIFT = 5
WEIGHT = 3


@aggregate
class Row:
    start: tl.tensor
    columns: tl.tensor
    N: tl.constexpr

    def __init__(self, start, N):
        self.start = start
        self.columns = start + tl.arange(0, N)
        self.N = tl.constexpr(N)

    @jit
    def shifted(self, values):
        return values + SHIFT + self.N

    @tegula.jit
    def read(self, x):
        return helpers.twice(tl.load(x + self.columns))


@aggregate
class Window:
    row: Row
    WEIGHT: tl.constexpr

    def __init__(self, row, WEIGHT=WEIGHT):
        self.row = row
        self.WEIGHT = tl.constexpr(WEIGHT)


WEIGHT = 4  # a parameter's default keeps the value that its expression had


@tegula.jit
def windows(x, y, N: tl.constexpr):
    window = Window(Row(0, N))
    values = window.row.shifted(window.row.read(x))
    tl.store(y + window.row.columns, values * window.WEIGHT)


@tegula.jit
def of_another_file(x, y, N: tl.constexpr):
    at = tl.arange(0, N)
    pair = helpers.Pair(tl.load(x + at), 10)
    tl.store(y + at, pair.scaled())


@tegula.jit
def of_module(x, y, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(y + at, Row(0, N).shifted(tl.load(x + at)))


@tegula.jit
def given(x, y, N: tl.constexpr, MADE: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(y + at, MADE(tl.load(x + at), 4).scaled())


@aggregate
class Wrong:
    value: tl.tensor

    def __init__(self, value):
        self.value = value

    @jit
    def broken(self):
        return self.value + nowhere  # noqa: F821


@tegula.jit
def uses_wrong(x):
    Wrong(tl.load(x)).broken()


@aggregate
class Twice:  # defined once more below
    value: tl.tensor

    @jit
    def changed(self):
        return self.value + 1


@tegula.jit
def defined_twice(x, y, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(y + at, Twice(tl.load(x + at)).changed())


G = 5  # not the G that the methods of Adds read


@tegula.jit
def amount(v):
    return v + 3


def local_class():
    G = 50

    @aggregate
    class Adds:
        value: tl.tensor

        @staticmethod
        @jit
        def static(v, N: tl.constexpr = G):
            return v + G + N

        @jit
        def __private(self):
            return self.value + G

        @jit
        def both(self, function: tl.constexpr = amount):
            return function(self.__private())

    return Adds


Adds = local_class()


@tegula.jit
def amount(v):  # noqa: F811
    return v + 4


@tegula.jit
def adds(x, y, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(y + at, Adds.static(Adds(tl.load(x + at)).both()))


class Aggregates(unittest.TestCase):
    def setUp(self):
        self.x, self.y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)

    def expect(self, right):
        np.testing.assert_array_equal(self.y, np.asarray(right, np.float32))

    def test_methods_and_nested_fields(self):
        windows[(1,)](self.x, self.y, 8)
        self.expect((2 * self.x + 5 + 8) * 3)

    def test_class_of_another_file(self):
        of_another_file[(1,)](self.x, self.y, 8)
        self.expect(self.x * 10 * helpers.FACTOR)

    def test_class_as_argument(self):
        given[(1,)](self.x, self.y, 8, helpers.Pair)
        self.expect(self.x * 4 * helpers.FACTOR)

    def test_class_inside_of_a_function(self):
        weight = tl.constexpr(7)

        @aggregate
        class Local:
            value: tl.tensor

            def __init__(self, value):
                self.value = value

            @jit
            def weighted(self):
                return self.value * weight

        @tegula.jit
        def local(x, y, N: tl.constexpr):
            at = tl.arange(0, N)
            tl.store(y + at, Local(tl.load(x + at)).weighted())

        local[(1,)](self.x, self.y, 8)
        self.expect(self.x * 7)

    def test_a_global_that_a_method_reads_may_change(self):
        global SHIFT
        try:
            for SHIFT in (1, 2):
                of_module[(1,)](self.x, self.y, 8)
                self.expect(self.x + SHIFT + 8)
        finally:
            SHIFT = 5

    def test_message_at_its_place_in_a_method(self):
        with self.assertRaises(tegula.CompilationError) as caught:
            uses_wrong[(1,)](self.x)
        self.assertIn("'nowhere' is not defined", str(caught.exception))
        with open(__file__) as file:
            line = 1 + [text.strip() for text in file].index("return self.value + nowhere  # noqa: F821")
        self.assertEqual((caught.exception.file, caught.exception.line), (__file__, line))

    def test_names_of_wrapped_and_private_methods(self):
        adds[(1,)](self.x, self.y, 8)
        self.expect(self.x + 50 + 3 + 50 + 50)

    def test_replaced_method_is_refused(self):
        changed = local_class()
        changed.static = Row.shifted

        @tegula.jit
        def uses_changed(x, y, N: tl.constexpr):
            at = tl.arange(0, N)
            tl.store(y + at, changed.static(tl.load(x + at)))

        with self.assertRaisesRegex(tegula.errors.UseError, "'static' of aggregate 'Adds' was replaced"):
            uses_changed[(1,)](self.x, self.y, 8)

    def test_class_that_is_defined_once_more(self):
        global Twice
        defined_twice[(1,)](self.x, self.y, 8)
        self.expect(self.x + 1)

        @aggregate
        class Twice:
            value: tl.tensor

            @jit
            def changed(self):
                return self.value + 2

        defined_twice[(1,)](self.x, self.y, 8)
        self.expect(self.x + 2)

    def test_python_keeps_the_class(self):
        self.assertEqual(Wrong(3).value, 3)
        self.assertIsInstance(Wrong(3), Wrong)

    def test_unmarked_class_is_refused(self):
        class Plain(Wrong):
            pass

        @tegula.jit
        def uses_plain(x):
            Plain(tl.load(x))

        with self.assertRaisesRegex(tegula.CompilationError, "'Plain' is of type 'type'"):
            uses_plain[(1,)](self.x)


if __name__ == "__main__":
    unittest.main()
