// Options that take one of a few names.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>

#include "suggest.hpp"

namespace foldline::cli {

/// Names and what they stand for, in the order that help shows them.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

template <class Value>
std::vector<std::string> names_of(const Choices<Value>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  return names;
}

/// Adds an option that stores what the chosen name stands for. Its type name is "a|b|c", from which help,
/// manual and completions learn the choices.
template <class Value, class Stored>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Stored& stored, const Choices<Value>& choices,
                        const std::string& text) {
  const std::vector<std::string> names = names_of(choices);
  const std::string joined = CLI::detail::join(names, "|");
  const auto check = [names, joined](const std::string& chosen) -> std::string {
    if (std::ranges::find(names, chosen) != names.end()) return "";
    return "'" + chosen + "' is not one of " + joined + suggestion(chosen, names);
  };
  const auto store = [&stored, choices](const std::string& chosen) {
    stored = std::ranges::find(choices, chosen, &std::pair<std::string, Value>::first)->second;
  };
  return app.add_option_function<std::string>(name, store, text)->check(check)->type_name(joined);
}

/// Accepts plain whole numbers of [least, most]. (CLI11's own conversion also takes what overflows.)
CLI::Validator whole_number(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Refuses the empty name that an unset variable of a shell leaves.
inline std::string check_path(const std::string& path) {
  return path.empty() ? "'' is no path; name a file" : "";
}

}  // namespace foldline::cli
