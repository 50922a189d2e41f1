// Parts that the JSON reports of all commands share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compute.hpp"

namespace foldline::cli {

/// Adds the input files and their types, how the results were computed, and what was skipped.
void add_provenance(nlohmann::ordered_json& json, const Found& found, const Options& options);

/// The object as text, with the final newline.
std::string dump(const nlohmann::ordered_json& json);

/// The text of an object in a list of such a report, indented, without newlines around it.
std::string indented(const nlohmann::ordered_json& json);

}  // namespace foldline::cli
