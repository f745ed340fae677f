"""Children of os.fork(): the CPU works in them, and any use of the parent's other devices raises DeviceError at once.
$TEGULA_DEVICE names the parent's device."""
import ctypes
import gc
import itertools
import multiprocessing
import os
import signal
import threading
import unittest

import numpy as np

import tegula
import tegula.language as tl
from tegula import _devices as devices

DEVICE = os.environ["TEGULA_DEVICE"]
# NVIDIA's library for Vulkan has an exit handler that crashes or hangs in a child of a process that has made a device.
ENDS_IN_CHILDREN = not any(DEVICE == found.name and DEVICE.startswith("vulkan") and "NVIDIA" in found.description
                           for found in tegula.devices())
PATIENCE = 60  # seconds; a child that waits for the device waits for ever


@tegula.jit
def fill(o, value, B: tl.constexpr):
    tl.store(o + tl.program_id(0) * B + tl.arange(0, B), value)


def filled(device, value, programs=1):
    out = np.zeros(16 * programs, np.int32)
    fill[(programs,)](out, value, B=16, device=device)
    return bool((out == value).all())


def in_child(body):
    """What `body` raises or returns in a child, as text, and the status with which it ends, after destructors."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        signal.alarm(PATIENCE)
        try:
            text = repr(body())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os.close(write)
        devices._open.clear()
        gc.collect()
        if ENDS_IN_CHILDREN:
            ctypes.CDLL(None).exit(0)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return text, os.waitstatus_to_exitcode(status)


class Forked(unittest.TestCase):
    def setUp(self):
        self.assertTrue(filled(DEVICE, 3))
        self.buffer = tegula.to_device(np.arange(16, dtype=np.int32), DEVICE)
        self.host = tegula.to_device(np.arange(16, dtype=np.int32), "cpu")

    def refused(self, body):
        text, status = in_child(body)
        if DEVICE == "cpu":
            self.assertEqual((text, status), ("True", 0))
            return
        self.assertEqual(status, 0)
        self.assertRegex(text, f"^DeviceError: .*device {DEVICE} was opened before this process was forked, and a "
                         r"child of fork\(\) cannot use it; start processes that use the device by exec")

    def test_each_use_of_the_device(self):
        def compiles_another():
            @tegula.jit
            def other(o, B: tl.constexpr):
                tl.store(o + tl.arange(0, B), 5)

            other[(1,)](self.buffer, B=16)
            return bool((self.buffer.numpy() == 5).all())

        self.refused(lambda: filled(DEVICE, 4))  # prepared in the parent
        self.refused(lambda: bool((self.buffer.numpy() == np.arange(16)).all()))
        self.refused(lambda: self.buffer.fill(1) is None)
        self.refused(lambda: tegula.empty((4,), tl.float32, DEVICE).shape == (4,))
        self.refused(compiles_another)

    def test_the_cpu_works(self):
        self.assertTrue(filled("cpu", 2, programs=512))
        text, status = in_child(lambda: all(filled("cpu", value, programs=512) for value in range(20)))
        self.assertEqual((text, status), ("True", 0))
        text, status = in_child(lambda: bool((self.host.numpy() == np.arange(16)).all()) and len(self.host.numpy()))
        self.assertEqual((text, status), ("16", 0))

    def test_the_cpu_has_threads_again(self):
        self.assertTrue(filled("cpu", 2, programs=512))

        def threads():
            filled("cpu", 1, programs=512)
            return len(os.listdir("/proc/self/task")) >= min(2, len(os.sched_getaffinity(0)))

        self.assertEqual(in_child(threads), ("True", 0))

    def test_forked_while_threads_launch(self):
        is_over = threading.Event()

        def work():
            for value in itertools.count(1):
                if is_over.is_set():
                    return
                filled("cpu", value % 3, programs=64)

                @tegula.jit
                def compiled(o, B: tl.constexpr):  # for each value anew
                    tl.store(o + tl.arange(0, B), value)

                compiled[(1,)](np.zeros(16, np.int32), B=16, device="cpu")

        thread = threading.Thread(target=work)
        thread.start()
        try:
            for _ in range(10):
                text, status = in_child(lambda: filled("cpu", 7, programs=512))
                self.assertEqual((text, status), ("True", 0))
        finally:
            is_over.set()
            thread.join()

    def test_the_parent_goes_on(self):
        self.refused(lambda: filled(DEVICE, 4))
        self.assertTrue(filled(DEVICE, 9))
        np.testing.assert_array_equal(self.buffer.numpy(), np.arange(16))

    def test_by_multiprocessing(self):
        process = multiprocessing.get_context("fork").Process(target=filled, args=(DEVICE, 4))
        stderr, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)  # the child's traceback
        try:
            process.start()
        finally:
            os.dup2(stderr, 2)
        process.join(PATIENCE)
        self.assertEqual(process.exitcode, 0 if DEVICE == "cpu" else 1)

    def test_devices_are_listed(self):
        text, status = in_child(lambda: [device.name for device in tegula.devices()])
        self.assertEqual(status, 0)
        self.assertIn("'cpu'", text)
        self.assertEqual(DEVICE in text, DEVICE == "cpu")


if __name__ == "__main__":
    unittest.main()
