// Kernels with one fault each, and right ones that look like them.
#pragma once

#include <string>
#include <vector>

struct FaultyKernel {
  const char* name;
  const char* kind;   ///< as messages name it; empty for a right kernel
  int line;           ///< where the fault must be reported; 0 for any
  const char* array;  ///< that the message must name; empty for any
  void (*run)();
};

const std::vector<FaultyKernel>& faults_in_a_block();      ///< of faults.cu
const std::vector<FaultyKernel>& faults_between_blocks();  ///< of faults_between_blocks.cu
