#!/usr/bin/env bash
# newer.sh TREE LIBRARIES COMMAND...: runs the command in the root folder of ci/coopmat-lavapipe. That has LLVM, but not
# MLIR, which LIBRARIES has. 77: this user cannot prepare the folder.
set -u
tree=$1 libraries=$2
shift 2
"$tree/ci/coopmat-lavapipe" prepare
status=$?
[ "$status" -ne 2 ] || exit 77
[ "$status" -eq 0 ] || exit "$status"
exec "$tree/ci/coopmat-lavapipe" run env LD_LIBRARY_PATH="$libraries" "$@"
