// Atomic operations. The shim has the same numbers.
#pragma once

#include <simt/devices.hpp>

#include <cstdint>

#include "runtime/state.hpp"

namespace simt {

enum AtomicOperation {
  atomic_add,
  atomic_exchange,
  atomic_min_signed,
  atomic_min_unsigned,
  atomic_max_signed,
  atomic_max_unsigned,
  atomic_and,
  atomic_or,
  atomic_xor,
  atomic_increment,
  atomic_decrement,
  atomic_compare_and_swap,
  atomic_add_float,
  atomic_add_double
};

/// Ends the thread if the device lacks what it wants.
void need(Lane& lane, Feature feature, std::uintptr_t site);

}  // namespace simt
