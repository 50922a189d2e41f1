// What every JSON object of the command has.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compute.hpp"

namespace foldline::cli {

/// Adds what was read, how it was computed and what was left out.
void add_provenance(nlohmann::ordered_json& json, const Found& found, const Options& options);

/// As text, with the final newline.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace foldline::cli
