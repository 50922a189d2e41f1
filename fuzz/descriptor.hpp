// Bytes as a file in memory and as a pipe, which readers open by a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "require.hpp"

namespace foldline::fuzz {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) { require(value >= 0, "the fuzzer can make files"); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(value_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(value_); }

 private:
  int value_;
};

inline Descriptor in_memory(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  require(::write(file, data, size) == static_cast<ssize_t>(size), "memory takes all bytes");
  return Descriptor(file);
}

inline Descriptor in_pipe(const std::uint8_t* data, std::size_t size) {
  int ends[2];
  require(::pipe(ends) == 0, "the fuzzer can make pipes");
  require(::write(ends[1], data, size) == static_cast<ssize_t>(size), "the pipe takes all bytes");
  ::close(ends[1]);
  return Descriptor(ends[0]);
}

}  // namespace foldline::fuzz
