#!/usr/bin/env bash
# The core serves every target alike: no vendor's name stands in it. usage: core_names_no_vendor.sh SOURCE_DIR
set -euo pipefail
words='cuda|nvidia|ptx|nvvm|amd|amdgpu|hip|rocm|vulkan|spirv|mfma|wgmma'
[ -d "$1/core/ir" ] || { echo "there is no $1/core/ir"; exit 1; }
if grep -rnwiE "$words" "$1/core"; then
  echo "core/ names a vendor in the lines above; what is a vendor's belongs in backends/"
  exit 1
fi
