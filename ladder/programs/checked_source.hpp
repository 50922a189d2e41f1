// Which kernels of a file are checked, and the functions that call them.
#pragma once

#include <string>
#include <vector>

#include "translate/translate.hpp"

namespace foldline::ladder {

/// The kernels that the file defines, or the one that is asked for. Throws std::runtime_error if there is
/// none.
std::vector<simt::DeclaredKernel> kernels_to_check(const simt::Translation& translation,
                                                   const std::string& file, const std::string& name);

/// The name of the function, a simt::CallChecked, that calls kernel `i`.
std::string checked_function(std::size_t i);

/// Source that follows the translated one. A template is instantiated as `name` asks, or for float and
/// `block`.
std::string checking_functions(const std::vector<simt::DeclaredKernel>& kernels, unsigned block,
                               const std::string& name);

}  // namespace foldline::ladder
