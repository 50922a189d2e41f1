// Writes serialised accumulators into a folder: the first inputs of accumulator_fuzzer, which by chance would
// hardly find one.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "foldline/foldline.hpp"
#include "require.hpp"

using namespace foldline;

namespace {

void save(const std::string& path, const Accumulator& accumulator) {
  const std::vector<std::byte> bytes = accumulator.serialise();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  fuzz::require(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                    std::fclose(file) == 0,
                "the folder can be written");
}

/// An accumulator of every operation that was given this, as NAME-`number`.
template <class Element>
void save_all(const std::string& folder, const std::vector<Element>& input, std::size_t number) {
  for (int code = 0; code <= static_cast<int>(Operation::root_mean_square); ++code) {
    const auto operation = static_cast<Operation>(code);
    const bool two = operation == Operation::dot || operation == Operation::weighted_mean;
    Accumulator accumulator(operation);
    two ? accumulator.add(input, input) : accumulator.add(input);
    save(folder + "/" + std::string(name_of(operation)) + "-" + std::to_string(number), accumulator);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fuzz::require(argc == 2, "one argument: the folder");
  const std::vector<std::vector<double>> inputs = {
      {}, {1.5, -3}, {1e300, 1e-300, -1e300}, {-0.0}, {std::numeric_limits<double>::infinity(), 1}};
  for (std::size_t i = 0; i < inputs.size(); ++i) save_all(argv[1], inputs[i], i);
  save_all(argv[1], std::vector{INT64_MIN, INT64_MAX, INT64_MIN}, inputs.size());
  save_all(argv[1], std::vector<std::uint64_t>(100, UINT64_MAX), inputs.size() + 1);
}
