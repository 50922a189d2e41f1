// The device's memory as a program under test may want to change it.
#pragma once

#include <cstddef>

namespace simt {

/// These bytes of memory from cudaMalloc have no value until a kernel or a copy writes them: who reads them
/// before is told, as with memory that is new.
void forget(void* begin, std::size_t bytes);

}  // namespace simt
