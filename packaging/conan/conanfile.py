"""Conan 2 recipe: conan create packaging/conan (README.md beside it says what was tried)."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Foldline(ConanFile):
    name = "foldline"
    description = "Exact sums at the speed of memory"
    license = "Apache-2.0"
    topics = ("summation", "reproducible", "exact", "floating-point", "simd")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "system_highway": [True, False], "compression": [True, False]}
    default_options = {"shared": False, "fPIC": True, "system_highway": False, "compression": True}

    def set_version(self):
        text = load(self, os.path.join(SOURCES, "CMakeLists.txt"))
        self.version = re.search(r"project\(foldline VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, SOURCES, self.export_sources_folder)

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if not self.options.system_highway:
            self.requires("highway/[>=1.0.3 <2]")
            self.requires("fast_float/[>=3.9 <9]")  # headers only, to build
            if self.options.compression:
                for library in ("zlib/[>=1.2.11 <2]", "xz_utils/[>=5.4 <6]", "zstd/[>=1.5 <2]", "bzip2/1.0.8"):
                    self.requires(library)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "hwy")  # as Highway itself calls it
        dependencies.generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FOLDLINE_BLIS"] = False  # no recipe has it; matrix products are slow without
        toolchain.cache_variables["FOLDLINE_COMPRESSION"] = bool(self.options.compression)
        for part in ("CLI", "TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"FOLDLINE_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for folder in ("cmake", "pkgconfig"):  # Conan's generators write their own
            rmdir(self, os.path.join(self.package_folder, "lib", folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "foldline")
        self.cpp_info.set_property("cmake_target_name", "foldline::foldline")
        self.cpp_info.set_property("pkg_config_name", "foldline")
        self.cpp_info.libs = ["foldline"]
        if not self.options.system_highway:
            self.cpp_info.requires = ["highway::highway", "fast_float::fast_float"]
            if self.options.compression:
                self.cpp_info.requires += [f"{name}::{name}" for name in ("zlib", "xz_utils", "zstd", "bzip2")]
        if self.options.shared:
            return
        self.cpp_info.defines = ["FOLDLINE_STATIC"]
        self.cpp_info.exelinkflags = self.cpp_info.sharedlinkflags = ["-fopenmp"]
        if self.options.system_highway and self.options.compression:  # of Highway only the headers are used
            self.cpp_info.system_libs = ["z", "lzma", "zstd", "bz2"]
