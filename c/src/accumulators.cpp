// Accumulators, single ones and arrays of them.
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/accumulator.hpp"
#include "foldline/accumulator_array.hpp"
#include "foldline/array_reader.hpp"
#include "foldline/input_file.hpp"
#include "foldline/text_reader.hpp"
#include "store.hpp"

using namespace foldline;
using namespace foldline::c;

struct foldline_accumulator {
  Accumulator cpp;
};

struct foldline_accumulator_array {
  AccumulatorArray cpp;
};

namespace {

constexpr const char *accumulator_name = "the accumulator", *array_name = "the array of accumulators",
                     *index_name = "the array of indices";

void add_array(Accumulator& accumulator, ArrayReader reader, const Context& context) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  while (const std::int64_t count = reader.read(buffer))
    accumulator.add(VectorView(buffer.data(), reader.type(), count), context);
}

void add_text(Accumulator& accumulator, TextReader reader, const Context& context) {
  TextBlock block;
  while (reader.read(block)) accumulator.add(block.values(), context);
}

/// All of the bytes, or none.
void hand_over(const void* bytes, std::size_t count, void* to, std::size_t size, std::size_t* needed) {
  required(needed, "the address of the size that is needed") = count;
  if (size < count) return;
  std::memcpy(&required(static_cast<char*>(to), "the memory for the result"), bytes, count);
}

std::span<const std::uint32_t> indices_of(const std::uint32_t* indices, const VectorView& x) {
  if (x.size() != 0) static_cast<void>(required(indices, index_name));
  return {indices, static_cast<std::size_t>(x.size())};
}

}  // namespace

foldline_status foldline_accumulator_create(foldline_operation operation,
                                            foldline_accumulator** accumulator) {
  return call([&] { hand_out(accumulator, Accumulator(operation_of(operation))); });
}

foldline_status foldline_accumulator_copy(const foldline_accumulator* accumulator,
                                          foldline_accumulator** copy) {
  return call([&] { hand_out(copy, required(accumulator, accumulator_name).cpp); });
}

void foldline_accumulator_destroy(foldline_accumulator* accumulator) { delete accumulator; }

foldline_status foldline_accumulator_add(foldline_accumulator* accumulator, const foldline_array* x,
                                         const foldline_context* context) {
  return call(
      [&] { required(accumulator, accumulator_name).cpp.add(vector_of(x, "x"), context_of(context)); });
}

foldline_status foldline_accumulator_add_pairs(foldline_accumulator* accumulator, const foldline_array* x,
                                               const foldline_array* y, const foldline_context* context) {
  return call([&] {
    required(accumulator, accumulator_name)
        .cpp.add(vector_of(x, "x"), vector_of(y, "y"), context_of(context));
  });
}

foldline_status foldline_accumulator_add_file(foldline_accumulator* accumulator, const char* path,
                                              const char* column_name, std::int64_t column,
                                              std::int32_t skip_missing, const foldline_context* context) {
  return call([&] {
    Accumulator& all = required(accumulator, accumulator_name).cpp;
    InputFile file = InputFile::open(&required(path, "the path"));
    Accumulator added(all.operation());
    if (file.begins_like_npy()) {
      if (column_name != nullptr || column != 0)
        throw InvalidArgument("foldline: " + file.name() + " is an array, which has no columns to name");
      add_array(added, ArrayReader::open_npy(std::move(file)), context_of(context));
    } else {
      TextFormat format;
      if (column_name != nullptr)
        format.columns.emplace_back(column_name);
      else if (column != 0)
        format.columns.emplace_back(column);
      if (skip_missing != 0) format.missing = MissingValues::skip_row;
      add_text(added, TextReader::open(std::move(file), format), context_of(context));
    }
    all.merge(added);
  });
}

foldline_status foldline_accumulator_merge(foldline_accumulator* accumulator,
                                           const foldline_accumulator* other) {
  return call([&] {
    required(accumulator, accumulator_name).cpp.merge(required(other, "the other accumulator").cpp);
  });
}

foldline_status foldline_accumulator_count(const foldline_accumulator* accumulator, std::int64_t* count) {
  return call(
      [&] { required(count, "the count's address") = required(accumulator, accumulator_name).cpp.count(); });
}

foldline_status foldline_accumulator_result(const foldline_accumulator* accumulator,
                                            foldline_operation operation, std::int64_t ddof,
                                            const foldline_array* result, const foldline_context* context) {
  return call([&] {
    const MutableVectorView out = one_element_of(result, "the result");
    store(required(accumulator, accumulator_name)
              .cpp.rounded(operation_of(operation), out.type(), ddof_of(ddof), context_of(context).overflow),
          out);
  });
}

foldline_status foldline_accumulator_exact(const foldline_accumulator* accumulator,
                                           foldline_operation operation, std::int64_t ddof, char* text,
                                           std::size_t size, std::size_t* needed) {
  return call([&] {
    const std::string digits =
        required(accumulator, accumulator_name).cpp.exact(operation_of(operation), ddof_of(ddof));
    hand_over(digits.c_str(), digits.size() + 1, text, size, needed);
  });
}

foldline_status foldline_accumulator_store(const foldline_accumulator* accumulator, void* bytes,
                                           std::size_t size, std::size_t* needed) {
  return call([&] {
    const std::vector<std::byte> state = required(accumulator, accumulator_name).cpp.serialise();
    hand_over(state.data(), state.size(), bytes, size, needed);
  });
}

foldline_status foldline_accumulator_load(const void* bytes, std::size_t size,
                                          foldline_accumulator** accumulator) {
  return call([&] {
    const std::span state(&required(static_cast<const std::byte*>(bytes), "the address of the bytes"), size);
    hand_out(accumulator, Accumulator::deserialise(state));
  });
}

foldline_status foldline_accumulator_array_create(foldline_operation operation, std::int64_t size,
                                                  foldline_accumulator_array** accumulators) {
  return call([&] { hand_out(accumulators, AccumulatorArray(operation_of(operation), size)); });
}

void foldline_accumulator_array_destroy(foldline_accumulator_array* accumulators) { delete accumulators; }

foldline_status foldline_accumulator_array_resize(foldline_accumulator_array* accumulators,
                                                  std::int64_t size) {
  return call([&] { required(accumulators, array_name).cpp.resize(size); });
}

foldline_status foldline_accumulator_array_size(const foldline_accumulator_array* accumulators,
                                                std::int64_t* size) {
  return call([&] { required(size, "the size's address") = required(accumulators, array_name).cpp.size(); });
}

foldline_status foldline_accumulator_array_add(foldline_accumulator_array* accumulators,
                                               const std::uint32_t* indices, const foldline_array* x) {
  return call([&] {
    const VectorView values = vector_of(x, "x");
    required(accumulators, array_name).cpp.add(indices_of(indices, values), values);
  });
}

foldline_status foldline_accumulator_array_add_pairs(foldline_accumulator_array* accumulators,
                                                     const std::uint32_t* indices, const foldline_array* x,
                                                     const foldline_array* y) {
  return call([&] {
    const VectorView values = vector_of(x, "x");
    required(accumulators, array_name).cpp.add(indices_of(indices, values), values, vector_of(y, "y"));
  });
}

foldline_status foldline_accumulator_array_merge(foldline_accumulator_array* accumulators, std::int64_t index,
                                                 const foldline_accumulator_array* other,
                                                 std::int64_t other_index) {
  return call([&] {
    required(accumulators, array_name).cpp.merge(index, required(other, "the other array").cpp, other_index);
  });
}

foldline_status foldline_accumulator_array_at(const foldline_accumulator_array* accumulators,
                                              std::int64_t index, foldline_accumulator** accumulator) {
  return call([&] { hand_out(accumulator, required(accumulators, array_name).cpp.at(index)); });
}
