"""Tensors in memory of the device in $TEGULA_DEVICE, which stand-ins describe as PyTorch does. Their memory comes from
the C interface, which reads the results back."""
import os
import sys
import types
import unittest
import unittest.mock
from ctypes import Structure, byref, c_int, c_int64, c_size_t, c_uint64, c_void_p, sizeof

import numpy as np

import tegula
import tegula.language as tl
from tegula import _abi, _devices as devices

DEVICE = os.environ["TEGULA_DEVICE"]
N = 300


class BufferInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("address", c_uint64), ("bytes", c_size_t), ("elements", c_int64),
                ("type", c_int), ("rank", c_size_t), ("shape", c_void_p), ("strides", c_void_p)]


class Tensor:
    def __init__(self, array, device=DEVICE):
        self.device, self.dtype, self.shape = device, f"torch.{array.dtype}", array.shape
        self.where = devices.get(DEVICE)
        self.buffer = _abi.Handle("buffer", "buffer_create", self.where.handle, _abi.DTYPES.index("f32"), 1,
                                  _abi.int64_array([array.size]))
        _abi.call("stream_write", self.where.stream, self.buffer.pointer, array.ctypes.data)
        self.where.synchronize()

    def data_ptr(self):
        info = BufferInfo(struct_size=sizeof(BufferInfo))
        function = _abi._library.tegula_buffer_get_info
        function.argtypes = [c_void_p, c_void_p]
        assert function(self.buffer.pointer, byref(info)) == 0
        return info.address

    def stride(self):
        return (1,)

    def numpy(self):
        result = np.zeros(self.shape, np.float32)
        devices.synchronize()
        _abi.call("stream_read", self.where.stream, self.buffer.pointer, result.ctypes.data)
        return result


@tegula.jit
def add(x, y, out, n, B: tl.constexpr = 128):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


class DeviceTensors(unittest.TestCase):
    def setUp(self):
        self.x, self.y = np.arange(N, dtype=np.float32), np.full(N, 0.5, np.float32)
        self.out = np.full(N, 77, np.float32)

    def test_in_place(self):
        out = Tensor(self.out)
        add[(3,)](Tensor(self.x), Tensor(self.y), out, N - 1)
        np.testing.assert_array_equal(out.numpy()[:-1], (self.x + self.y)[:-1])
        self.assertEqual(out.numpy()[-1], 77)

    def test_not_together_with_arrays_of_the_host(self):
        with self.assertRaisesRegex(tegula.errors.UseError, "parameter 'y'.* an array on 'cpu' was given.*" + DEVICE):
            add[(3,)](Tensor(self.x), self.y, Tensor(self.out), N)

    def test_not_on_two_devices(self):
        with self.assertRaisesRegex(tegula.errors.UseError, "parameter 'out'.* on 'elsewhere:1' was given.*" + DEVICE):
            add[(3,)](Tensor(self.x), Tensor(self.y), Tensor(self.out, "elsewhere:1"), N)

    def test_the_interface_of_arrays(self):
        class Array:
            def __init__(self, tensor, address=None, is_read_only=False):
                self.tensor = tensor
                self.device = types.SimpleNamespace(id=0)
                data = (tensor.data_ptr() if address is None else address, is_read_only)
                self.__cuda_array_interface__ = {"data": data, "typestr": "<f4", "shape": tensor.shape,
                                                 "strides": None, "version": 3}

        if not DEVICE.startswith("rocm"):
            self.skipTest("the interface has no other vendors' devices")
        with self.torch([]):
            out = Tensor(self.out)
            add[(3,)](Array(Tensor(self.x), is_read_only=True), Array(Tensor(self.y)), Array(out), N)
            with self.assertRaisesRegex(tegula.errors.UseError, "parameter 'out' of kernel 'add': .* read-only memory"):
                add[(3,)](Array(Tensor(self.x)), Array(Tensor(self.y)), Array(out, is_read_only=True), N)
            with self.assertRaisesRegex(tegula.errors.UseError, "parameter 'x' .* elements, but their address is 0"):
                add[(3,)](Array(Tensor(self.x), address=0), Array(Tensor(self.y)), Array(out), N)
        np.testing.assert_array_equal(out.numpy(), self.x + self.y)

    def torch(self, asked):
        """PyTorch as far as a launch asks it: its vendor and its current stream."""
        def current_stream(index):
            asked.append(index)
            return types.SimpleNamespace(cuda_stream=0)

        module = types.ModuleType("torch")
        module.version = types.SimpleNamespace(hip="6.0")
        module.cuda = types.SimpleNamespace(current_stream=current_stream)
        return unittest.mock.patch.dict(sys.modules, torch=module)

    def check_active_device(self, torch):
        torch.device = lambda *parts: parts
        for available, device, number in ((True, ("cuda", 3), 3), (False, ("cpu",), 0)):
            torch.cuda.is_available, torch.cuda.current_device = lambda: available, lambda: 3
            self.assertEqual(tegula.pytorch.active_torch_device(), device)
            self.assertEqual(tegula.pytorch.current_device(), number)

    def test_descriptions_of_devices(self):
        properties = types.SimpleNamespace(major=9, minor=0, gcnArchName="gfx942:sramecc+", warp_size=64,
                                           multi_processor_count=132, regs_per_multiprocessor=65536,
                                           shared_memory_per_block_optin=232448, memory_clock_rate=2500000,
                                           max_threads_per_multi_processor=2048, memory_bus_width=5120)
        with self.torch([]) as modules:
            torch = modules["torch"]
            torch.cuda.get_device_properties = lambda index: properties
            torch.cuda.is_available, torch.cuda.current_device = lambda: True, lambda: 0
            target = tegula.pytorch.current_target()
            self.assertEqual((target.backend, target.arch, target.warp_size), ("hip", "gfx942", 64))
            torch.version.hip = None
            target = tegula.pytorch.current_target()
            self.assertEqual((target.backend, target.arch, target.warp_size), ("cuda", 90, 32))
            self.assertEqual(tegula.pytorch.device_properties(0), {
                "multiprocessor_count": 132, "warpSize": 64, "max_num_regs": 65536, "max_shared_mem": 232448,
                "max_threads_per_sm": 2048, "sm_clock_rate": 0, "mem_clock_rate": 2500000, "mem_bus_width": 5120})
            self.assertEqual(tegula.testing.get_dram_gbps(), 3200)
        self.assertEqual(tegula.pytorch.current_target().backend, "cpu")

    def test_the_stream_of_pytorch(self):
        if not DEVICE.startswith("rocm"):
            self.skipTest("PyTorch has streams with handles on other devices")
        asked = []
        with self.torch(asked) as modules:
            self.check_active_device(modules["torch"])
            out = Tensor(self.out, "cuda:0")
            add[(3,)](Tensor(self.x, "cuda:0"), Tensor(self.y, "cuda"), out, N)
        self.assertEqual(asked, [0])
        np.testing.assert_array_equal(out.numpy(), self.x + self.y)


if __name__ == "__main__":
    unittest.main()
