// A shared library needs one source of its own; its rooms are linked whole.
