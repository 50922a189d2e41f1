#include "translate/not_here.hpp"

#include <array>
#include <string>

#include "translate/translate.hpp"

namespace simt {
namespace {

struct Missing {
  std::string_view begin, what;  ///< of the header's name
};

constexpr std::array missing = {
    Missing{"cuda_fp16", "half precision"},
    Missing{"cuda_bf16", "bfloat16"},
    Missing{"cuda_fp8", "numbers of 8 bits"},
    Missing{"mma.h", "tensor cores by nvcuda::wmma"},
    Missing{"cooperative_groups", "cooperative groups"},
    Missing{"curand", "cuRAND"},
    Missing{"cublas", "cuBLAS"},
    Missing{"cufft", "cuFFT"},
    Missing{"cusparse", "cuSPARSE"},
    Missing{"cusolver", "cuSOLVER"},
    Missing{"thrust/", "Thrust"},
    Missing{"cub/", "CUB"},
    Missing{"cuda/", "libcu++"},
    Missing{"cuda.h", "the driver's API"},
    Missing{"nvrtc", "compilation at run time"},
    Missing{"surface_", "surfaces"},
};

/// The header of an #include, or nothing.
std::string_view included(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  const auto skip = [&](std::size_t at) {
    return line.substr(std::min(line.find_first_not_of(blanks, at), line.size()));
  };
  line = skip(0);
  if (!line.starts_with('#')) return {};
  line = skip(1);
  if (!line.starts_with("include")) return {};
  line = skip(7);
  if (!line.starts_with('<') && !line.starts_with('"')) return {};
  return line.substr(1, line.find_first_of(">\"", 1) - 1);
}

}  // namespace

void refuse_headers_that_are_not_here(std::string_view source, std::string_view file) {
  int number = 0;
  for (std::size_t begin = 0; begin < source.size(); ++number) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view header = included(source.substr(begin, end - begin));
    begin = end + 1;
    for (const Missing& one : missing)
      if (header.starts_with(one.begin))
        throw TranslationError(std::string(file) + ":" + std::to_string(number + 1) + ": error: <" +
                               std::string(header) + "> is not in the simulator: " + std::string(one.what));
  }
}

}  // namespace simt
