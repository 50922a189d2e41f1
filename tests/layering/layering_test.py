"""Includes go down, never up, and never in a circle."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from includes import includes, sources  # noqa: E402

# What each pattern of the CUDA backend stands on; none includes another.
CUDA_PATTERN = "public arithmetic contract rounding cuda_runtime cuda_device cuda_exact cuda_finish cuda_workspace"

CPU_PATTERN = "public arithmetic contract simd cpu_simd"

# A file belongs to the first layer that one of its patterns fits. It may include files of its own layer and of the
# layers named, and of the headers from elsewhere those that `foreign` lists; the standard library's go anywhere.
#
#   layer         files                                         may include           foreign headers
LAYERS = {
    "mpi":        (r"include/foldline/mpi(/|\.hpp$)",          "public",             "mpi.h mpi-ext.h"),
    "public":     (r"include/foldline/.*\.hpp$",               "",                   ""),
    "device":     (r"include/foldline/.*\.cuh$",               "public",             "cuda_runtime_api.h"),
    "arithmetic": (r"src/arithmetic/",                          "",                   ""),
    "simd":       (r"src/simd/",                                "public",             "cpuid.h hwy/"),
    "contract":   (r"src/contract/",                            "public arithmetic",  ""),
    "rounding":   (r"src/results/(range|rounded_results|integer_conversion|product_entry)\.hpp", "public arithmetic contract", ""),  # what backends round with, too
    "results":    (r"src/results/",                             "public arithmetic contract rounding", ""),
    "cpu_simd":   (r"src/cpu/simd/",                            "public arithmetic contract", "hwy/ immintrin.h"),
    "cpu_reduce": (r"src/cpu/reduce/",                          CPU_PATTERN,          "hwy/ immintrin.h"),
    "cpu_columns": (r"src/cpu/columns/",                        CPU_PATTERN + " cpu_reduce", "hwy/ immintrin.h omp.h"),
    "cpu_masks":  (r"src/cpu/masks/",                           CPU_PATTERN + " cpu_columns", "hwy/"),
    "cpu_scan":   (r"src/cpu/scan/",                            CPU_PATTERN + " cpu_reduce", "hwy/ immintrin.h"),
    "cpu_product": (r"src/cpu/product/",                        CPU_PATTERN + " rounding", "blis.h omp.h hwy/"),
    "cuda_runtime":   (r"src/cuda/runtime/",                    "public contract",    "cuda_runtime_api.h omp.h"),
    "cuda_device":    (r"src/cuda/device/",                     "public arithmetic contract cuda_runtime", "cuda_fp16.h"),
    "cuda_exact":     (r"src/cuda/exact/",                      "arithmetic cuda_device", ""),
    "cuda_finish":    (r"src/cuda/finish/",                     "public arithmetic contract rounding", "cuda_fp16.h"),
    "cuda_workspace": (r"src/cuda/workspace/.*\.hpp$",          "public cuda_runtime cuda_finish rounding", "cuda_runtime_api.h"),
    "cuda_reduce":    (r"src/cuda/reduce/",                     CUDA_PATTERN,   "cuda_runtime_api.h"),
    "cuda_axis":      (r"src/cuda/axis/",                       CUDA_PATTERN,   "cuda_runtime_api.h cub/"),
    "cuda_scan":      (r"src/cuda/scan/",                       CUDA_PATTERN,   "cuda_runtime_api.h cooperative_groups.h"),
    "cuda_product":   (r"src/cuda/product/",                    CUDA_PATTERN,   "cuda_runtime_api.h dlfcn.h"),
    # What calls borrow is allocated by what each pattern says it needs: above the patterns.
    "cuda_memory": (r"src/cuda/workspace/.*\.cpp$",         "public contract cuda_runtime cuda_workspace cuda_reduce cuda_axis cuda_scan cuda_product", ""),
    "nccl":        (r"src/nccl/",                           CUDA_PATTERN + " api cuda_reduce cuda_scan", "cuda_runtime_api.h cuda_bf16.h cuda_fp16.h dlfcn.h unistd.h"),
    "io":         (r"src/io/",                                  "public simd","fcntl.h unistd.h sys/ fast_float/ hwy/ bzlib.h lzma.h zlib.h zstd"),
    "quadrature": (r"src/quadrature/",                          "public api",         ""),
    "accumulators": (r"src/accumulators/",                      "public arithmetic contract results rounding api", ""),
    "api":        (r"src/api/",                                 "public arithmetic contract results rounding", "omp.h"),
    "no_cuda":    (r"src/no_cuda/",                             "public contract",    ""),
    "cli":        (r"cli/",                                     "public device",      "CLI/ fmt/ nlohmann/ cuda_runtime.h dlfcn.h signal.h sys/ unistd.h omp.h"),
    "examples":   (r"examples/",                                "public device c mpi",      "cuda_runtime.h"),
    "bench":      (r"bench/",                                   "public mpi",             "*"),
    "ladder":     (r"ladder/",                                  "public device",      "cli/suggest.hpp simt/ compile/compile.hpp compile/process.hpp translate/ stdlib.h CLI/ fmt/ nlohmann/ cuda_runtime_api.h cuda_pipeline_primitives.h cub/ dlfcn.h poll.h sys/ unistd.h"),
    # The simulator stands alone: nothing of foldline, no other project's headers but Boost.Context and libdw.
    "simt_public": (r"simt/include/simt/",                      "simt_shim",          ""),
    "simt_shim":   (r"simt/shim/",                              "simt_public",        "math.h stdlib.h"),
    "simt_model":  (r"simt/model/",                             "simt_shim",          ""),
    "simt_memory": (r"simt/memory/",                            "simt_public simt_shim", "sys/ unistd.h"),
    "simt_devices": (r"simt/devices/",                          "simt_public simt_shim", ""),
    "simt_runtime": (r"simt/(runtime|report)/",                 "simt_public simt_shim simt_model simt_memory simt_devices", "boost/context/ dlfcn.h elfutils/ cxxabi.h execinfo.h link.h signal.h sys/ ucontext.h unistd.h"),
    "simt_host":   (r"simt/(host_api|program)/",                "simt_public simt_shim simt_memory simt_devices simt_runtime", ""),
    "simt_compile": (r"simt/compile/",                          "",                   "sys/ unistd.h"),
    "simt_translate": (r"simt/translate/",                      "simt_compile",       ""),
    "simt_example": (r"simt/example/",                          "simt_public simt_shim", ""),
    "simt_tests":  (r"simt/tests/",                             "simt_public simt_shim simt_model simt_memory simt_devices simt_runtime simt_host simt_compile simt_translate", "*"),
    "fuzz":       (r"fuzz/",                                    "public io cli",      "sys/ unistd.h"),
    "preload":    (r"mpi/",                                     "public mpi",         ""),
    "c":          (r"c/",                                       "public",             "stddef.h stdint.h"),
    "consumer":   (r"tests/consumer/",                          "public",             ""),
    "oracle":     (r"tests/(oracle|generators)[^/]*\.(hpp|cpp)", "public",            "gmpxx.h mpfr.h gtest/"),
    "kernel_tests": (r"tests/scan_axis_on_gpu_test\.cpp",      "public tests oracle arithmetic contract api cuda_scan", "gtest/"),  # on the host
    "overlap_test": (r"tests/overlap_test\.cpp",               "public tests oracle api", "gtest/"),
    "simulated":  (r"tests/simulated/",                        "public tests oracle arithmetic contract rounding api cuda_runtime cuda_device cuda_finish cuda_reduce cuda_axis cuda_scan", "cuda_runtime.h cuda_runtime_api.h gtest/ simt/"),
    "tests":      (r"tests/",                                   "public device mpi oracle arithmetic contract results rounding nccl io quadrature cli ladder c", "*"),
}

def layer_of(path):
    return next((name for name, (pattern, _, _) in LAYERS.items() if re.match(pattern, path)), None)


def is_standard(name):
    return re.fullmatch(r"[a-z_0-9]+", name) is not None  # <vector>; all others have a dot or a slash


def violations(files):
    found = [f"{path} belongs to no layer" for path in sorted(files) if layer_of(path) is None]
    for path, name, target in includes(files):
        layer = layer_of(path)
        if layer is None or name == "foldline/version.hpp":  # that one is generated
            continue
        _, below, foreign = LAYERS[layer]
        if target is not None:
            if layer_of(target) != layer and layer_of(target) not in below.split():
                found.append(f"{path} ({layer}) includes {target} ({layer_of(target)})")
        elif not is_standard(name) and not any(name.startswith(f) or f == "*" for f in foreign.split()):
            found.append(f"{path} ({layer}) includes {name}, which is not for this layer")
    return found


def circle(files):
    """Files that include each other in a circle, or None."""
    graph = {path: set() for path in files}
    for path, _, target in includes(files):
        if target not in (None, path):  # a file that is compiled once per instruction set may name itself
            graph[path].add(target)
    done, trail = set(), []

    def visit(path):
        if path in trail:
            return trail[trail.index(path):] + [path]
        if path in done:
            return None
        trail.append(path)
        found = next(filter(None, map(visit, sorted(graph[path]))), None)
        trail.pop()
        done.add(path)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


class Layering(unittest.TestCase):
    def test_includes_go_down(self):
        self.assertEqual(violations(sources()), [])

    def test_no_circles(self):
        self.assertIsNone(circle(sources()))

    def test_every_layer_is_there(self):
        layers = {layer_of(path) for path in sources()}
        self.assertEqual(set(LAYERS) - layers, set())

    def test_the_test_itself(self):
        files = sources()
        before = set(violations(files))
        for path, text in (
            ("include/foldline/x.hpp", '#include "moments.hpp"'),
            ("include/foldline/x.hpp", "#include <fmt/format.h>"),
            ("include/foldline/x.hpp", "#include <mpi.h>"),
            ("include/foldline/x.hpp", '#include "foldline/mpi/error.hpp"'),
            ("src/arithmetic/x.hpp", '#include "foldline/types.hpp"'),
            ("src/arithmetic/x.hpp", "#  include <omp.h>"),
            ("src/cpu/scan/x.hpp", '#include "results/results.hpp"'),
            ("src/cpu/scan/x.hpp", '#include "../../io/shape.hpp"'),
            ("src/cuda/reduce/x.cu", '#include "cuda/scan/launch_scan.hpp"'),
            ("src/cuda/exact/x.cuh", '#include "cuda/reduce/launch.hpp"'),
            ("src/cuda/x.cuh", '#include "cuda/device/block.cuh"'),
            ("src/cpu/reduce/x.hpp", '#include "cpu/scan/kernels.hpp"'),
            ("src/io/x.cpp", '#include "cpu/reduce/kernels.hpp"'),
            ("src/api/x.cpp", '#include "cpu/scan/kernels.hpp"'),
            ("src/api/x.cpp", '#include "accumulators/accumulator_state.hpp"'),
            ("src/x.cpp", ""),
            ("cli/x.cpp", '#include "../src/results/results.hpp"'),
            ("ladder/reduce/x.cu", '#include "cuda/runtime/check.hpp"'),
            ("tests/oracle_x.cpp", '#include "arithmetic/limbs.hpp"'),
            ("elsewhere/x.cpp", ""),
        ):
            with self.subTest(path=path, text=text):
                self.assertEqual(len(set(violations({**files, path: text})) - before), 1)
        ring = {"src/a.hpp": '#include "b.hpp"', "src/b.hpp": '#include "a.hpp"'}
        self.assertEqual(circle(ring), ["src/a.hpp", "src/b.hpp", "src/a.hpp"])


if __name__ == "__main__":
    unittest.main()
