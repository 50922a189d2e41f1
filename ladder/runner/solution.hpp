// solve() of a learner's file, which `try` has compiled and loads where a rung would be.
#pragma once

#include <functional>
#include <string>

namespace foldline::ladder {

/// Of the loaded file.
struct LoadedSolution {
  /// The function with these parameters; null if the file's solve() cannot be called with them.
  std::function<void*(const std::string& parameters)> find;
  /// Throws what a launch was refused for.
  std::function<void()> finish;
};

void set_solution(LoadedSolution solution);
/// Throws Unsupported if there is none with these parameters.
void* solution_with(const std::string& parameters);
void finish_solution();

template <class T>
constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<int> = "int";
template <>
inline constexpr const char* type_name<int*> = "int*";
template <>
inline constexpr const char* type_name<const int*> = "const int*";
template <>
inline constexpr const char* type_name<float*> = "float*";
template <>
inline constexpr const char* type_name<const float*> = "const float*";
template <>
inline constexpr const char* type_name<double*> = "double*";
template <>
inline constexpr const char* type_name<const double*> = "const double*";

/// solve() with these parameters.
template <class... P>
struct Solution {
  static std::string parameters() {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + std::string(type_name<P>)), ...);
    return text;
  }
  static void run(P... arguments) {
    reinterpret_cast<void (*)(P...)>(solution_with(parameters()))(arguments...);
    finish_solution();
  }
};

}  // namespace foldline::ladder
