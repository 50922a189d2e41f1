// Kernels with one fault each, and right ones that look like them.
#pragma once

#include <string>
#include <vector>

struct FaultyKernel {
  const char* name;
  const char* kind;   ///< as messages name it; empty for a right kernel
  int line;           ///< of faults.cu, where the fault must be reported
  const char* array;  ///< that the message must name; empty for any
  void (*run)();
};

const std::vector<FaultyKernel>& faulty_kernels();
