// Words for messages: where in the source, which thread, which array.
#pragma once

#include <simt/error.hpp>

#include <cstdint>
#include <string>

namespace simt {

struct Lane;

struct SourcePlace {
  std::string file;
  int line = 0;
};

/// Of the instruction before `site`, the address to which a call returns. Empty if nothing is known.
SourcePlace source_place(std::uintptr_t site);
/// "kernel.cu:12"; empty if not known.
std::string place_of(std::uintptr_t site);
/// From the lower half of the address.
SourcePlace source_place_of_lower_half(std::uint32_t site);
/// The function's name with its parameters.
std::string function_name(const void* function);

/// An error with the lane's block and thread, if there is a lane.
Error error_at(ErrorKind kind, const Lane* lane, std::uintptr_t site, std::string text);
Error error_at(ErrorKind kind, const Lane* lane, std::string text, const SourcePlace& place);

std::string name_of_index(const uint3& index);
/// "thread (1,0,0) of block (0,0,0)"
std::string name_of_thread(const Lane& lane);
uint3 index_of_block(std::uint64_t number);

/// "element 3 of `tile`", or "byte 16 of an allocation of 4096 bytes".
std::string describe(std::uintptr_t address, unsigned bytes, bool shared);
/// "tile", or what is known of the allocation.
std::string array_at(std::uintptr_t address, bool shared);

}  // namespace simt
