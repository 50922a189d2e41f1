// What is changed in the intermediate code between clang's instrumentation and its machine code.
#pragma once

#include <set>
#include <string>

#include "compile/ir_module.hpp"

namespace simt::ir {

/// `__shared__` variables, which are thread_local in the source, become ordinary variables of a section of
/// their own with a guard zone behind each; `extern __shared__` arrays become the runtime's one dynamic
/// block. Tables keep the names and sizes. `__device__` variables come into a section, too.
void place_variables(Module& module);

/// Callbacks of accesses: volatile ones get their own; neighbouring ones that a GPU makes at once become one;
/// those that clang leaves out (copies of structures) are added.
void edit_accesses(Module& module);

/// A table of what each basic block costs a GPU, and callbacks where functions end. `remainders`: the debug
/// locations of remainders in the source.
void add_weights(Module& module, const std::set<std::string>& remainders);

/// A table of the names of functions' parameters, for messages about the memory that they point to.
void keep_parameter_names(Module& module);

/// Makes the module's constructor tell the runtime where the tables are.
void register_tables(Module& module);

/// All of it, of what clang has made of the preprocessed source.
std::string instrument(std::string_view text, std::string_view source);

}  // namespace simt::ir
