#include "runtime/places.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "memory/memory.hpp"
#include "runtime/machine.hpp"

namespace simt {
namespace {

/// The program and shared objects in memory, and what the debugging information says of them. Looked at when
/// it is first asked for.
class DebugInformation {
 public:
  Dwfl_Module* module_of(std::uintptr_t address) {
    Dwfl_Module* const found = dwfl_ == nullptr ? nullptr : dwfl_addrmodule(dwfl_, address);
    if (found != nullptr) return found;
    report();
    return dwfl_addrmodule(dwfl_, address);
  }

 private:
  void report() {
    if (dwfl_ == nullptr) {
      static char* no_path = nullptr;
      static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                               dwfl_offline_section_address, &no_path};
      dwfl_ = dwfl_begin(&callbacks);
      dwfl_report_begin(dwfl_);
    } else {
      dwfl_report_begin_add(dwfl_);
    }
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* dwfl) {
          const std::string name = info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name;
          if (name.find('/') == name.npos) return 0;
          dwfl_report_elf(static_cast<Dwfl*>(dwfl), name.c_str(), name.c_str(), -1, info->dlpi_addr, true);
          return 0;
        },
        dwfl_);
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }

  Dwfl* dwfl_ = nullptr;
};

DebugInformation& debug_information() {
  static DebugInformation all;
  return all;
}

std::string demangled(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  return name;
}

/// As the user may have written it: relative to the current folder, if it is below that.
std::string shortened(const std::string& file) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  const std::string plain = std::filesystem::path(file).lexically_normal().string();
  return plain.starts_with(here) ? plain.substr(here.size()) : plain;
}

SourcePlace look_up(std::uintptr_t address) {
  Dwfl_Module* const module = debug_information().module_of(address);
  if (module == nullptr) return {};
  SourcePlace place;
  // Code that clang has made of several lines has line 0: the code before it is the nearest that is known.
  constexpr std::uintptr_t farthest = 64;
  for (std::uintptr_t back = 0; place.line == 0 && back < farthest; ++back) {
    Dwfl_Line* const line = dwfl_module_getsrc(module, address - back);
    if (line == nullptr) break;
    const char* const file = dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr);
    if (file != nullptr) place.file = shortened(file);
  }
  return place;
}

/// The kernel's parameter that points into an allocation, or has such a pointer in it.
std::string parameter_of(const Allocation& array) {
  const Machine& all = machine();
  const std::vector<std::string> names = names_of_parameters(all.kernel);
  if (names.size() != all.arguments.size()) return "";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const bytes = static_cast<const char*>(all.arguments[i].address);
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= all.arguments[i].bytes;
         at += sizeof(std::uintptr_t)) {
      std::uintptr_t pointer = 0;
      std::memcpy(&pointer, bytes + at, sizeof pointer);
      if (pointer - array.begin <= array.bytes) return names[i];
    }
  }
  return "";
}

const char* plural(std::uint64_t n) { return n == 1 ? "" : "s"; }

}  // namespace

SourcePlace source_place(std::uintptr_t site) {
  static std::unordered_map<std::uintptr_t, SourcePlace> known;
  const auto [place, is_new] = known.try_emplace(site);
  if (is_new && site != 0) Fiber::on_large_stack([&] { place->second = look_up(site - 1); });
  return place->second;
}

std::string place_of(std::uintptr_t site) {
  const SourcePlace place = source_place(site);
  return place.file.empty() ? "" : place.file + ":" + std::to_string(place.line);
}

SourcePlace source_place_of_lower_half(std::uint32_t site) {
  if (site == 0) return {};
  // It is one of the kernel's image, less than 2 GiB away from the kernel.
  const auto kernel = reinterpret_cast<std::uintptr_t>(machine().kernel);
  const auto distance = static_cast<std::int32_t>(site - static_cast<std::uint32_t>(kernel));
  return source_place(kernel + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance)));
}

std::string function_name(const void* function) {
  static std::unordered_map<const void*, std::string> known;
  const auto [name, is_new] = known.try_emplace(function, "kernel");
  if (is_new) {
    Fiber::on_large_stack([&] {
      const auto address = reinterpret_cast<std::uintptr_t>(function);
      Dwfl_Module* const module = debug_information().module_of(address);
      const char* const symbol = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
      if (symbol != nullptr) name->second = demangled(symbol);
    });
  }
  return name->second;
}

std::string name_of_index(const uint3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

std::string name_of_thread(const Lane& lane) {
  return "thread " + name_of_index(lane.index) + " of block " + name_of_index(lane.block->index);
}

uint3 index_of_block(std::uint64_t number) {
  const dim3& grid = machine().grid;
  return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
          static_cast<unsigned>(number / grid.x / grid.y)};
}

Error error_at(ErrorKind kind, const Lane* lane, std::uintptr_t site, std::string text) {
  return error_at(kind, lane, std::move(text), site == 0 ? SourcePlace{} : source_place(site));
}

Error error_at(ErrorKind kind, const Lane* lane, std::string text, const SourcePlace& place) {
  Error error(kind, std::move(text), place.file, place.line);
  error.kernel = machine().kernel == nullptr ? "" : function_name(machine().kernel);
  if (lane != nullptr) {
    error.has_thread = true;
    error.block = lane->block->index;
    error.thread = lane->index;
  }
  return error;
}

std::string array_at(std::uintptr_t address, bool shared) {
  if (shared) {
    const auto dynamic = reinterpret_cast<std::uintptr_t>(simt_dynamic_shared);
    if (address - dynamic < most_dynamic_shared + 4096) return dynamic_array_name(machine().kernel);
    const Image* const image = image_with_shared(address);
    if (image == nullptr) return "";
    const SharedArray* nearest = nullptr;
    for (const SharedArray& array : image->arrays)
      if (array.begin <= address) nearest = &array;
    return nearest == nullptr ? "" : source_name(nearest->symbol);
  }
  if (!device_memory().contains(address)) return "";
  const Allocation* const array = device_memory().find(address);
  if (array == nullptr) return "";
  const std::string name = parameter_of(*array);
  return name.empty() ? "an array of " + std::to_string(array->bytes) + " byte" + plural(array->bytes) : name;
}

std::string describe(std::uintptr_t address, unsigned bytes, bool shared) {
  std::uintptr_t begin = 0;
  std::string name = array_at(address, shared);
  if (shared) {
    begin = reinterpret_cast<std::uintptr_t>(simt_dynamic_shared);
    if (const Image* const image = image_with_shared(address); image != nullptr)
      for (const SharedArray& array : image->arrays)
        if (array.begin <= address) begin = array.begin;
  } else if (device_memory().contains(address)) {
    if (const Allocation* const array = device_memory().find(address)) begin = array->begin;
  }
  if (begin == 0) return std::to_string(bytes) + " bytes of memory";
  if (name.find(' ') == name.npos) name = "`" + name + "`";
  const std::intptr_t offset = static_cast<std::intptr_t>(address - begin);
  const bool whole = bytes != 0 && offset % static_cast<std::intptr_t>(bytes) == 0;
  if (whole)
    return "element " + std::to_string(offset / static_cast<std::intptr_t>(bytes)) + " (of " +
           std::to_string(bytes) + " byte" + plural(bytes) + ") of " + name;
  return "byte " + std::to_string(offset) + " of " + name;
}

}  // namespace simt
