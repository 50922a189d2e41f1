/// @file
/// The thread blocks of the templates' kernels.
#pragma once

namespace foldline::detail::device {

inline constexpr int lanes = 32, warps = 8, threads = lanes * warps;

}  // namespace foldline::detail::device
