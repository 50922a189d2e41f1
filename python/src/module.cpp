// The extension module: what it consists of.
#define FOLDLINE_IMPORTS_NUMPY
#include "numpy_api.hpp"

#include "accumulator_object.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "gpu.hpp"
#include "integrals.hpp"
#include "pairs.hpp"
#include "reductions.hpp"
#include "scans.hpp"
#include "segments.hpp"
#include "threads.hpp"

namespace {
int import_numpy() {
  import_array1(-1);
  return 0;
}
}  // namespace

NB_MODULE(_core, module) {
  namespace python = foldline::python;
  if (import_numpy() != 0) throw nanobind::python_error();
  // What daemon threads still hold at the end is no leak that users should read of.
  nanobind::set_leak_warnings(false);
  python::register_errors();
  python::register_threads(module);
  python::register_sums(module);
  python::register_moments(module);
  python::register_extrema(module);
  python::register_pairs(module);
  python::register_products(module);
  python::register_scans(module);
  python::register_segments(module);
  python::register_integrals(module);
  python::register_files(module);
  python::register_accumulator(module);
  python::register_fsum(module);
  python::register_gpu(module);
}
