"""Memory that must not be written: a launch refuses it for a parameter that the kernel may write to, and takes it for
every other one. On the device in $TEGULA_DEVICE."""
import os
import unittest

import numpy as np

import tegula
import tegula.language as tl

DEVICE = os.environ["TEGULA_DEVICE"]
N = 64


@tegula.jit
def put(at, value):
    tl.store(at, value)


@tegula.jit
def either(flag, a, b):
    if flag > 0:
        result = a
    else:
        result = b
    return result


# Each kernel reads x and writes o, if only where `flag` says so.


@tegula.jit
def stored(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i), mask=i < flag)


@tegula.jit
def added(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(o + i, tl.load(x + i), mask=i < flag)


@tegula.jit
def swapped(x, o, flag, B: tl.constexpr):
    tl.atomic_cas(o.to(tl.pointer_type(tl.int32)), 0, tl.load(x.to(tl.pointer_type(tl.int32))) * flag)


@tegula.jit
def selected(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(tl.where(i < flag, o + i, o + i + 0), v, mask=i < flag)


@tegula.jit
def looped(x, o, flag, B: tl.constexpr):
    from_, to = x, o
    for k in range(flag):
        tl.store(to, tl.load(from_))
        from_ += 1
        to += 1


@tegula.jit
def repeated(x, o, flag, B: tl.constexpr):
    at, k = o, 0
    while k < flag:
        tl.store(at + k, tl.load(x + k))
        k += 1


@tegula.jit
def inlined(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    put(o + i, tl.load(x + i) * flag)


@tegula.jit
def branched(x, o, flag, B: tl.constexpr):
    at = either(flag, o, o + 1)
    tl.store(at, tl.load(x))


@tegula.jit
def by_number(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    at = (o.to(tl.int64) + 4 * i.to(tl.int64)).to(tl.pointer_type(tl.float32))
    tl.store(at, tl.load(x + i), mask=i < flag)


@tegula.jit
def counted(x, o, flag, B: tl.constexpr):
    # The loop's variable is an address.
    first = o.to(tl.int64)
    for at in range(first, first + 4 * flag, 4):
        tl.store(at.to(tl.pointer_type(tl.float32)), tl.load(x))


@tegula.jit
def carried(x, o, flag, B: tl.constexpr, K: tl.constexpr = 1):
    # Behind K other values that have an origin, which the analysis keeps in one table with this one.
    total = 0.0
    for k in tl.static_range(K):
        total += tl.load(x + k)
    at = o
    for i in range(flag):
        if i >= 0:
            to = at
        else:
            to = at + 1
        tl.store(to, total)
        at = to


@tegula.jit
def described(x, o, flag, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [B], [1], [B])
    target = tl.make_tensor_descriptor(o, [B], [1], [B])
    target.store([0], source.load([0]) * flag)


@tegula.jit
def described_sum(x, o, flag, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [B], [1], [B])
    target = tl.make_tensor_descriptor(o, [B], [1], [B])
    target.atomic_add([0], source.load([0]) * flag)


@tegula.jit
def block_pointer(x, o, flag, B: tl.constexpr):
    source = tl.make_block_ptr(x, (B,), (1,), (0,), (B,), (0,))
    target = tl.make_block_ptr(o, (B,), (1,), (0,), (B,), (0,))
    tl.store(target, tl.load(source) * flag)


@tegula.jit
def escaped(x, o, flag, B: tl.constexpr):
    # The address of x itself is data here: nobody follows it through memory.
    tl.store(o.to(tl.pointer_type(tl.int64)), x.to(tl.int64))


@tegula.jit
def either_written(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tl.where(i < flag, x + i, o + i), 1.0)


@tegula.jit
def masked_by_address(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    end = x + flag
    tl.store(o + i, tl.load(x + i, mask=x + i < end, other=0), mask=x + i < end)


@tegula.jit
def from_assembly(x, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [tl.load(x + i)], tl.float32, True, 1)
    tl.store(o + i, v, mask=i < flag)


@tegula.jit
def through_table(rows, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    for k in range(2):
        tl.store(o + i, tl.load(tl.load(rows + k) + i), mask=i < flag)


@tegula.jit
def into_table(rows, x, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    for k in range(2):
        tl.store(tl.load(rows + k) + i, tl.load(x + i), mask=i < flag)


@tegula.jit
def numbers_of_table(table, o, flag, B: tl.constexpr):
    # The integers of `table` become addresses: not the memory of `table`.
    at = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(o, tl.load(at, mask=flag > 100, other=3.0))


KERNELS = (stored, added, swapped, selected, looped, repeated, inlined, branched, by_number, counted, carried,
           described, described_sum, block_pointer, masked_by_address, from_assembly)


def frozen(array):
    result = array.copy()
    result.setflags(write=False)
    return result


class ReadOnly(unittest.TestCase):
    def refuses(self, kernel, name, *arguments, **named):
        with self.assertRaisesRegex(tegula.errors.UseError, rf"read_only_test.py:\d+: parameter '{name}' of kernel "
                                    rf"'{kernel.__name__}': .* read-only memory; give a writable array or buffer"):
            kernel[(1,)](*arguments, device=DEVICE, **named)

    def launches(self, kernel, *arguments):
        kernel[(1,)](*arguments, B=N, device=DEVICE)

    def test_outputs_are_refused_and_inputs_are_not(self):
        x = np.arange(1, N + 1, dtype=np.float32)
        for kernel in KERNELS:
            for _ in range(2):  # the second launch is prepared
                out = np.zeros(2 * N, np.float32)
                self.launches(kernel, frozen(x), out, 3)
                self.assertNotEqual(out[0], 0, kernel.__name__)
                kept = frozen(np.zeros(2 * N, np.float32))
                self.refuses(kernel, "o", x, kept, 3, B=N)
                self.refuses(kernel, "o", frozen(x), kept, 0, B=N)  # what a kernel may do counts, not what it does
                np.testing.assert_array_equal(kept, 0)

    def test_either_of_two_arrays_and_an_address_that_is_lost(self):
        x, y = np.zeros(N, np.float32), np.zeros(N, np.float32)
        for kernel in (either_written, escaped):
            self.launches(kernel, x, y, 5)
            self.refuses(kernel, "x", frozen(x), y, 5, B=N)
            self.refuses(kernel, "o", x, frozen(y), 5, B=N)

    def test_of_many_values_none_is_lost(self):
        kept = frozen(np.zeros(N, np.float32))
        for k in range(96):
            self.refuses(carried, "o", np.zeros(128, np.float32), kept, 1, B=N, K=k)

    def test_tables_of_pointers(self):
        x, y, out = (np.full(N, value, np.float32) for value in (1, 2, 0))
        self.launches(through_table, [frozen(x), y], out, N)
        np.testing.assert_array_equal(out, 2)
        self.refuses(through_table, "o", [x, y], frozen(out), N, B=N)
        self.launches(into_table, [x, y], frozen(out), N)
        self.refuses(into_table, "rows", [x, frozen(y)], out, N, B=N)
        table = frozen(np.zeros(1, np.int64))
        self.launches(numbers_of_table, table, out, 0)
        self.assertEqual(out[0], 3)

    def test_descriptors_of_the_host(self):
        @tegula.jit
        def move(source, target, B: tl.constexpr):
            target.store([0], source.load([0]))

        x, out = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)

        def of(array):
            return tegula.TensorDescriptor(array, [N], [1], [N])

        move[(1,)](of(frozen(x)), of(out), N, device=DEVICE)
        np.testing.assert_array_equal(out, x)
        self.refuses(move, "target", of(x), of(frozen(out)), N)

    def test_elements_that_are_not_aligned(self):
        values, out = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
        array = np.frombuffer(bytes(1) + values.tobytes(), np.float32, offset=1)
        self.launches(stored, array, out, N)
        np.testing.assert_array_equal(out, values)
        self.refuses(stored, "o", out, array, N, B=N)

    def test_a_read_only_view_of_a_writable_array(self):
        array = np.zeros(2 * N, np.float32)
        view = array[:N]
        view.flags.writeable = False
        self.launches(stored, view, array[N:], N)
        self.refuses(stored, "o", array[N:], view, N, B=N)
        self.launches(inlined, view, array, 1)  # one memory, under two names

    def test_checked_launches(self):
        os.environ["TRITON_INTERPRET"] = "1"
        try:
            x = np.ones(N, np.float32)
            self.refuses(stored, "o", x, frozen(x), 3, B=N)
            out = np.zeros(N, np.float32)
            stored[(1,)](frozen(x), out, N, B=N)
            np.testing.assert_array_equal(out, 1)
        finally:
            del os.environ["TRITON_INTERPRET"]


class Tensor:
    """A tensor as other packages have them, of which only the device may be known."""

    def __init__(self, array, address=None, device="cpu"):
        self.array, self.address, self.device = array, address, device
        self.dtype, self.shape = str(array.dtype), array.shape

    def data_ptr(self):
        return self.array.ctypes.data if self.address is None else self.address

    def stride(self, *axis):
        strides = [stride // self.array.itemsize for stride in self.array.strides]
        return strides[axis[0]] if axis else strides


class WithoutMemory(unittest.TestCase):
    MESSAGE = "parameter 'x' of kernel 'stored': the tensor has elements, but their address is 0"

    def test_tensors_at_address_0_are_refused_by_every_launch(self):
        out, array = np.zeros(N, np.float32), np.ones(N, np.float32)
        fake = Tensor(array, address=0)
        for _ in range(3):
            with self.assertRaisesRegex(tegula.errors.UseError, self.MESSAGE):
                stored[(1,)](fake, Tensor(out), N, B=N, device=DEVICE)
            stored[(1,)](Tensor(array), Tensor(out), N, B=N, device=DEVICE)
            np.testing.assert_array_equal(out, 1)
            with self.assertRaisesRegex(tegula.errors.UseError, "the tensor has elements, but their address is 0"):
                stored[(1,)](tegula.TensorDescriptor(fake, [N], [1], [N]), Tensor(out), N, B=N, device=DEVICE)
            with self.assertRaisesRegex(tegula.errors.UseError, "element 1: the tensor has elements"):
                through_table[(1,)]([array, fake], out, N, B=N, device=DEVICE)

    def test_on_the_device(self):
        out = tegula.to_device(np.zeros(N, np.float32), DEVICE)
        fake = Tensor(np.ones(N, np.float32), address=0, device=DEVICE)
        for _ in range(3):
            stored[(1,)](tegula.to_device(np.ones(N, np.float32), DEVICE), out, N, B=N)
            with self.assertRaisesRegex(tegula.errors.UseError, self.MESSAGE):
                stored[(1,)](fake, out, N, B=N, device=DEVICE)

    def test_empty_tensors_need_no_memory(self):
        nothing = Tensor(np.zeros((0, 4), np.float32), address=0)
        out = np.zeros(N, np.float32)
        for _ in range(3):
            inlined[(0,)](nothing, out, 0, B=N, device=DEVICE)
            looped[(1,)](nothing, Tensor(out), 0, B=N, device=DEVICE)


if __name__ == "__main__":
    unittest.main()
