"""A lock that no child of os.fork() finds held by a thread that it does not have: the fork waits for that thread."""

import os
import threading


def fork_safe_lock():
    """For the life of the process."""
    lock = threading.RLock()
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
