// total FILE.npy...: sum and mean of all the numbers of all files, exact, as if they were one array. A
// program to begin from.
#include <foldline/foldline.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

/// Adds the numbers of a file to `total`, in constant memory.
void add_file(foldline::Accumulator& total, const char* path) {
  foldline::ArrayReader file = foldline::ArrayReader::open_npy(path);
  std::vector<std::byte> block(1 << 20);
  while (const std::int64_t count = file.read(block))
    total.add(foldline::VectorView(block.data(), file.type(), count));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: total FILE.npy...\n", stderr), 2;
  try {
    foldline::Accumulator total(foldline::Operation::mean);
    for (int i = 1; i < argc; ++i) add_file(total, argv[i]);
    std::printf("count %lld\n", static_cast<long long>(total.count()));
    std::printf("sum   %.17g\n", total.result(foldline::Operation::sum));
    std::printf("mean  %.17g\n", total.result());
  } catch (const foldline::Error& error) {  // says what is wrong, where, and what to do
    std::fprintf(stderr, "total: %s\n", error.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "total: %s\n", error.what());
    return 1;
  }
  return 0;
}
