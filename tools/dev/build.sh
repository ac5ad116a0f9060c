# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds a CMake preset in build/PRESET, configuring only when something calls for it.

: "${root:?}"

# Where ccache's own directory cannot be written (no home, read-only home), keep the cache in build/.
use_ccache() {
  local dir
  if ! dir=$(ccache --get-config cache_dir 2>/dev/null) || ! mkdir -p "$dir" 2>/dev/null || [[ ! -w $dir ]]; then
    export CCACHE_DIR=$root/build/ccache
  fi
  # So that a second clone finds what the first one compiled.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
}

# Sanitizers of GCC 12 cannot start on kernels with many bits of address randomisation, so do without.
# Some containers forbid that; there we go on as we are.
sanitizer_prefix() { # PRESET
  if [[ $1 == asan || $1 == tsan || $1 == fuzz ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
    printf '%s\n' setarch "$(uname -m)" -R
  fi
}

# The stamp holds the tree's path: a tree that was copied with its build/ is configured anew. Ninja sees
# changes of CMakeLists.txt by itself, but neither presets nor packages that arrived since.
needs_configure() { # DIRECTORY
  local stamp=$1/.configured-by-dev newer
  [[ -f $1/build.ninja && $(cat "$stamp" 2>/dev/null) == "$root" ]] || return 0
  for newer in CMakePresets.json CMakeUserPresets.json build/.packages-changed; do
    [[ ! $root/$newer -nt $stamp ]] || return 0
  done
  return 1
}

# Written to be called in a condition, where `set -e` does not hold: every step returns its failure.
build_preset() { # PRESET [TARGET...]
  local dir=$root/build/$1
  local -a prefix fresh=() targets=()
  (($# == 1)) || targets=(--target "${@:2}")
  use_ccache
  mapfile -t prefix < <(sanitizer_prefix "$1")
  if needs_configure "$dir"; then
    [[ ! -e $dir/CMakeCache.txt || $(cat "$dir/.configured-by-dev" 2>/dev/null) == "$root" ]] || fresh=(--fresh)
    (cd "$root" && cmake --preset "$1" "${fresh[@]}") || return
    printf '%s\n' "$root" >"$dir/.configured-by-dev" || return
  fi
  "${prefix[@]}" cmake --build "$dir" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" "${targets[@]}"
}
