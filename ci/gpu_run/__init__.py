"""The parts of ci/gpu: programs finds the package, devices asks it what is there, command runs with a time limit, tests
and bench run the parts, report writes the tables. The standard library alone."""
