// What simt-cc has put beside the code of a program or a shared object: basic blocks, arrays, names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simt {

/// Blocks are numbered across all images from 1 on; an exit of a function has the number of its first block
/// and this.
constexpr std::uint32_t exit_bit = 1u << 31;

struct BasicBlock {
  std::uintptr_t address = 0;
  std::uint32_t meets =
      0;  ///< where its threads meet again if they part: a block, or the exit of its function
  std::uint32_t weight = 0;  ///< instructions, estimated
  bool is_entry = false, is_branch = false;
};

/// A `__shared__` variable.
struct SharedArray {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  const char* symbol = nullptr;  ///< mangled
};

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool holds(std::uintptr_t address) const { return address - begin < end - begin; }
};

struct Image {
  Range guards, shared, constant, device;
  std::uint32_t first_block = 0;
  std::vector<SharedArray> arrays;  ///< by address
  /// For each 4 bytes of `shared` the number of its array, from 1 on; 0 between arrays.
  std::vector<std::uint16_t> array_of_word;
};

struct Images {
  std::vector<BasicBlock> blocks{1};
  std::vector<Image> images;
};

Images& images();

/// The image whose shared variables contain the address, or null.
const Image* image_with_shared(std::uintptr_t address);
/// The source's name of a variable: "tile" of "void kernel<float>(float*)::tile".
std::string source_name(const char* symbol);
/// What the kernel calls its dynamic shared memory; "shared memory" if it has none.
std::string dynamic_array_name(const void* kernel);
/// In order; empty if they are not known.
std::vector<std::string> names_of_parameters(const void* kernel);

}  // namespace simt
