// What the simulator found wrong in a kernel or a launch.
#pragma once

#include <stdexcept>
#include <string>

#include <vector_types.h>

namespace simt {

enum class ErrorKind {
  race,           ///< two accesses that nothing orders
  barrier,        ///< a barrier that only a part of the block reaches, or different barriers
  out_of_bounds,  ///< an address outside of every array, or in freed memory
  uninitialised,  ///< a read of memory that nobody has written
  mask,           ///< a warp function with a mask that is not the lanes that call it
  host_pointer,   ///< memory that a GPU does not have
  deadlock,       ///< all blocks that run wait
  launch,         ///< a launch that a GPU refuses
  unsupported,    ///< an instruction that the chosen GPU does not have
  assertion,      ///< an assert of the kernel
};

/// As messages name it: "out of bounds".
const char* name_of(ErrorKind kind);

/// what() is one line: FILE:LINE: error: KIND: TEXT, without the place if there is none.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string text, std::string file = {}, int line = 0);

  ErrorKind kind;
  std::string text;        ///< what happened
  std::string file;        ///< of the learner's source; empty if not known
  int line;                ///< 0 if not known
  std::string other_file;  ///< of a race: where the other access is
  int other_line = 0;
  bool has_thread = false;
  uint3 block{}, thread{};  ///< if has_thread
  std::string array;        ///< the array's name in the source, or what is known about the allocation
  std::string kernel;
};

}  // namespace simt
