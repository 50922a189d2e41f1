# What run, test and .ci/run share; sourced by them from the root of the repository.
# shellcheck shell=bash

library_packages=(g++ cmake ninja-build libhwy-dev libfast-float-dev libblis-openmp-dev
  zlib1g-dev liblzma-dev libzstd-dev libbz2-dev)
command_packages=(libcli11-dev libfmt-dev nlohmann-json3-dev)
ladder_packages=(clang-19 libboost-context-dev libdw-dev)
# What foldline-bench compares with, and NumPy, which test_packages has.
bench_packages=(libeigen3-dev libopenblas-dev libtbb-dev)
mpi_packages=(libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran)
python_packages=(python3 python3-dev python3-venv)
test_packages=("${python_packages[@]}" libgtest-dev libgmp-dev libmpfr-dev libgsl-dev libboost-dev python3-numpy zsh fish groff man-db zstd)

# Options of cmake for builds that run here alone. Kernels are compiled for plain C++ and on x86 for AVX2 and AVX-512, too.
without_the_lesser_simd() { # for plain C++ and this processor's best
  if grep -qw avx512bw /proc/cpuinfo; then echo -DFOLDLINE_LESS_SIMD=HWY_AVX2; else echo -DFOLDLINE_LESS_SIMD=HWY_AVX3; fi
}
with_the_best_simd_alone() { # which the compilers take from what they are told to rely on
  if grep -qw avx512bw /proc/cpuinfo; then
    echo '-DFOLDLINE_CPU_OPTIONS=-march=x86-64-v4;-maes;-mpclmul'
  elif grep -qw avx2 /proc/cpuinfo; then
    printf '%s\n' '-DFOLDLINE_CPU_OPTIONS=-march=x86-64-v3;-maes;-mpclmul' -DFOLDLINE_LESS_SIMD=HWY_AVX3
  fi
}

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
heading() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# Installs the Debian packages among its arguments that are not installed yet.
need() {
  local package missing=() root=()
  if ! command -v apt-get >/dev/null; then
    echo "No apt-get here: going on with what is installed. Needed, by their Debian names: $*" >&2
    return
  fi
  for package; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == *' ok installed' ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Packages are missing, and installing them needs root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install)
  # The lists of packages may be missing or old; fetching them takes a while, so only then.
  "${install[@]}" "${missing[@]}" >/dev/null 2>&1 ||
    { "${root[@]}" apt-get -qq update && "${install[@]}" "${missing[@]}" >/dev/null; } ||
    { echo "These packages could not be installed: ${missing[*]}" >&2; exit 1; }
}

# Runs a command whose output is of interest only if it fails.
quietly() {
  local log status
  log=$(mktemp)
  "$@" >"$log" 2>&1 && status=0 || status=$?
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  return "$status"
}
