/// @file
/// The one message of every collective call: what each rank asks for, what went wrong on it, and its exact
/// sums. Ranks' messages are merged by an operation that is associative and commutative on integers, so all
/// ranks get the same message, whatever the order; they then all return the same result or throw the same
/// error.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/error.hpp"
#include "foldline/mpi/detail/call.hpp"
#include "foldline/mpi/error.hpp"

namespace foldline::mpi::detail {

/// The kinds of exceptions that travel.
enum class Failure : std::int64_t {
  none,
  invalid_argument,
  data_error,
  device_error,
  overflow,
  overflow_that_wraps,
  out_of_memory,
  other
};

/// 64-bit integers, but for the text.
struct Message {
  static constexpr std::int64_t nobody = INT64_MAX;
  /// An accumulator's words after its header, without extrema: three sums of at most 3 + 70, 3 + 70 and
  /// 3 + 136 words (docs/serialisation.md).
  static constexpr std::size_t most_words = 285;
  static constexpr std::size_t header_bytes = 16, key_bytes = 32, longest_text = 512;

  Failure failure = Failure::none;
  std::int64_t failed_rank = nobody;  ///< the lowest one that failed
  std::int64_t first_rank;            ///< the lowest one
  Call call;                          ///< and what it calls
  std::int64_t other_rank = nobody;   ///< the lowest one that calls something else
  Call other;
  std::int64_t count = 0;
  std::int64_t not_only_negative_zeros = 0;  ///< number of ranks
  std::int64_t words = 0;                    ///< in use; the same on all ranks that call the same
  std::array<std::int64_t, most_words> sums{};
  /// Low and high halves; those of no elements.
  std::array<std::int64_t, 2> lowest = {-1, INT64_MAX}, highest = {0, INT64_MIN};
  std::array<char, longest_text> text{};  ///< of the failure

  Message(int rank, const Call& asked) : first_rank(rank), call(asked) {}

  void fail(const std::exception_ptr& exception, int rank) noexcept;
  void put(const Accumulator& accumulator);
  [[nodiscard]] Accumulator total(Operation operation) const;
  void merge(const Message& from);
};
static_assert(sizeof(Message) % 8 == 0);

inline void Message::fail(const std::exception_ptr& exception, int rank) noexcept {
  const auto set = [&](Failure kind, const char* what) {
    failure = kind;
    failed_rank = rank;
    std::strncpy(text.data(), what, longest_text - 1);
  };
  try {
    std::rethrow_exception(exception);
  } catch (const InvalidArgument& error) {
    set(Failure::invalid_argument, error.what());
  } catch (const DataError& error) {
    set(Failure::data_error, error.what());
  } catch (const DeviceError& error) {
    set(Failure::device_error, error.what());
  } catch (const OverflowError& error) {
    set(error.can_wrap() ? Failure::overflow_that_wraps : Failure::overflow, error.what());
  } catch (const std::bad_alloc&) {
    set(Failure::out_of_memory, "out of memory");
  } catch (const std::exception& error) {
    set(Failure::other, error.what());
  } catch (...) {
    set(Failure::other, "an unknown exception");
  }
}

inline std::int64_t word_at(const std::byte* bytes) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return static_cast<std::int64_t>(word);
}

inline void put_word(std::byte* bytes, std::int64_t word) {
  for (unsigned i = 0; i < 8; ++i)
    bytes[i] = static_cast<std::byte>(static_cast<std::uint64_t>(word) >> (8 * i));
}

/// Numbers of words of the sums that an operation's accumulators hold, in the order of their stored form; 0
/// for one that they do not.
inline std::array<std::int64_t, 3> sum_words(Operation operation) {
  const bool values = operation == Operation::sum || operation == Operation::mean ||
                      operation == Operation::variance || operation == Operation::weighted_mean ||
                      operation == Operation::statistics || operation == Operation::standard_deviation ||
                      operation == Operation::standard_error;
  const bool magnitudes = operation == Operation::abs_sum || operation == Operation::statistics;
  const bool products = operation == Operation::two_norm || operation == Operation::variance ||
                        operation == Operation::dot || operation == Operation::weighted_mean ||
                        operation == Operation::statistics || operation == Operation::standard_deviation ||
                        operation == Operation::standard_error || operation == Operation::root_mean_square;
  return {values ? 70 : 0, magnitudes ? 70 : 0, products ? 136 : 0};
}
inline bool has_extrema(Operation operation) {
  return operation == Operation::minimum || operation == Operation::maximum ||
         operation == Operation::range || operation == Operation::statistics;
}

/// Takes the accumulator's state. Each word of a sum is below 2^32 (the last below 2^31), so that 2^31 ranks'
/// words add up in 64 bits without carries.
inline void Message::put(const Accumulator& accumulator) {
  const std::vector<std::byte> bytes = accumulator.serialise();
  const bool keys = has_extrema(accumulator.operation());
  const std::byte* const begin = bytes.data();
  not_only_negative_zeros = bytes[7] == std::byte{0} ? 1 : 0;
  count = word_at(begin + 8);
  words = static_cast<std::int64_t>((bytes.size() - header_bytes - (keys ? key_bytes : 0)) / 8);
  for (std::size_t i = 0; i < static_cast<std::size_t>(words); ++i)
    sums[i] = word_at(begin + header_bytes + 8 * i);
  if (!keys) return;
  const std::byte* const key = begin + bytes.size() - key_bytes;
  lowest = {word_at(key), word_at(key + 8)};
  highest = {word_at(key + 16), word_at(key + 24)};
}

/// The accumulator of all ranks: propagates the carries, and lets the library check the rest.
inline Accumulator Message::total(Operation operation) const {
  if (count < 0) throw InvalidArgument("foldline::mpi: more than 2^63 - 1 elements on all ranks together");
  std::vector<std::byte> bytes = Accumulator(operation).serialise();
  std::byte* at = bytes.data();
  if (count > 0) bytes[7] = static_cast<std::byte>(not_only_negative_zeros == 0 ? 1 : 0);
  put_word(at + 8, count);
  at += header_bytes;
  const std::int64_t* sum = sums.data();
  const auto put = [&](std::int64_t word) {
    put_word(at, word);
    at += 8;
  };
  for (const std::int64_t length : sum_words(operation)) {
    if (length == 0) continue;
    for (int special = 0; special < 3; ++special) put(*sum++);
    std::int64_t carry = 0;
    for (std::int64_t i = 0; i < length - 1; ++i) {
      const std::int64_t word = *sum++ + carry;
      carry = word >> 32;  // floor
      put(word & 0xffffffff);
    }
    put(*sum++ + carry);
  }
  if (has_extrema(operation))
    for (const auto& key : {lowest, highest})
      for (const std::int64_t half : key) put(half);
  return Accumulator::deserialise(bytes);
}

inline std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
/// Whether one 128-bit number is smaller than another; low halves first.
inline bool is_below(const std::array<std::int64_t, 2>& a, const std::array<std::int64_t, 2>& b) {
  return a[1] != b[1] ? a[1] < b[1] : static_cast<std::uint64_t>(a[0]) < static_cast<std::uint64_t>(b[0]);
}

/// Adds another group of ranks, in any order.
inline void Message::merge(const Message& from) {
  if (from.failed_rank < failed_rank) {
    failure = from.failure;
    failed_rank = from.failed_rank;
    text = from.text;
  }
  // The lowest rank of both groups keeps its call; of those that are known to differ from it, the lowest
  // stays.
  const bool is_lower = from.first_rank < first_rank;
  const Message& low = is_lower ? from : *this;
  const Message& high = is_lower ? *this : from;
  std::int64_t differing_rank = low.other_rank;
  Call differing = low.other;
  const bool same = high.call == low.call;
  const std::int64_t candidate = same ? high.other_rank : high.first_rank;
  if (candidate < differing_rank) {
    differing_rank = candidate;
    differing = same ? high.other : high.call;
  }
  const Call lowest_call = low.call;
  first_rank = std::min(first_rank, from.first_rank);
  call = lowest_call;
  other_rank = differing_rank;
  other = differing;

  count = count < 0 || from.count < 0 ? -1 : wrapped_sum(count, from.count);
  not_only_negative_zeros += from.not_only_negative_zeros;
  words = std::max(words, from.words);
  const auto used = static_cast<std::size_t>(words);
  for (std::size_t i = 0; i < used; ++i) sums[i] = wrapped_sum(sums[i], from.sums[i]);
  if (is_below(from.lowest, lowest)) lowest = from.lowest;
  if (is_below(highest, from.highest)) highest = from.highest;
}

/// MPI's handles for messages and their merging.
class MessageHandles {
 public:
  MessageHandles() {
    check(MPI_Type_contiguous(sizeof(Message) / 8, MPI_INT64_T, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    check(MPI_Op_create(&merge_all, 1, &operation_), "MPI_Op_create");
  }
  MessageHandles(const MessageHandles&) = delete;
  MessageHandles& operator=(const MessageHandles&) = delete;
  ~MessageHandles() {
    MPI_Op_free(&operation_);
    MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] MPI_Op operation() const { return operation_; }

 private:
  static void merge_all(void* from, void* into, int* count, MPI_Datatype* /*type*/) {
    for (int i = 0; i < *count; ++i)
      static_cast<Message*>(into)[i].merge(static_cast<const Message*>(from)[i]);
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

/// Throws what went wrong on a rank, on every rank the same.
inline void throw_failure(const Message& all) {
  if (all.failure == Failure::none) return;
  const std::string text = "foldline::mpi: rank " + std::to_string(all.failed_rank) + ": " + all.text.data();
  switch (all.failure) {
    case Failure::invalid_argument:
      throw InvalidArgument(text);
    case Failure::data_error:
      throw DataError(text);
    case Failure::device_error:
      throw DeviceError(text);
    case Failure::overflow:
    case Failure::overflow_that_wraps: {
      const std::size_t end = text.find("; ");
      throw OverflowError(text.substr(0, end),
                          end == std::string::npos ? "ask for a wider type" : text.substr(end + 2),
                          all.failure == Failure::overflow_that_wraps);
    }
    default:
      throw foldline::Error(text);
  }
}

inline void throw_difference(const Message& all) {
  if (all.other_rank == Message::nobody) return;
  throw InvalidArgument("foldline::mpi: ranks " + std::to_string(all.first_rank) + " and " +
                        std::to_string(all.other_rank) + " differ in their " +
                        difference(all.call, all.other) +
                        "; all ranks of a communicator must make the same call");
}

/// Every rank calls prepare(message) on its own and merges its message with all others'. Throws on all ranks
/// if one of them threw or called something else.
template <class Prepare>
Message agree(MPI_Comm comm, const Place& place, const Call& call, const MessageHandles& handles,
              const Prepare& prepare) {
  Message all(place.rank, call);
  try {
    prepare(all);
  } catch (...) {
    all.fail(std::current_exception(), place.rank);
  }
  check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, handles.type(), handles.operation(), comm), "MPI_Allreduce");
  throw_difference(all);
  throw_failure(all);
  return all;
}

/// The end of a call that worked in between: all ranks return, or all throw what the lowest that failed has
/// seen.
inline void agree_at_end(MPI_Comm comm, const Place& place, const Call& call, const MessageHandles& handles,
                         const std::exception_ptr& failure) {
  int any = failure ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  if (any == 0) return;
  agree(comm, place, call, handles, [&](Message&) {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace foldline::mpi::detail
