// The sum of a .npy file of any size in constant memory.
#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: read_file FILE.npy\n", stderr), 2;
  try {
    foldline::ArrayReader file = foldline::ArrayReader::open_npy(argv[1]);
    foldline::Accumulator total(foldline::Operation::sum);
    std::vector<std::byte> block(1 << 20);
    while (const std::int64_t count = file.read(block))
      total.add(foldline::VectorView(block.data(), file.type(), count));
    std::printf("%.17g\n", total.result());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "read_file: %s\n",
                 error.what());  // names the file, says what is wrong and what to do
    return 1;
  }
  return 0;
}
