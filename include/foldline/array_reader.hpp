/// @file
/// Reading arrays from files, pipes and standard input, block by block, in constant memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/input_file.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// Which byte of a number comes first.
enum class ByteOrder : std::uint8_t { little, big };

/// That of this machine.
inline constexpr ByteOrder native_byte_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

/// What a file of bare numbers does not say itself.
struct RawFormat {
  ElementType type = ElementType::float64;  ///< of the elements
  /// Lengths of the axes, each at least 0. Without one the array is one-dimensional and reaches to the end of
  /// the file; with one the file may be longer and only that much of it is used.
  std::optional<std::vector<std::int64_t>> shape = std::nullopt;
  /// Bytes before the first element; at least 0.
  std::int64_t offset = 0;
  /// Of the file; elements are read in that of the machine.
  ByteOrder byte_order = native_byte_order;
};

/// Where an array lies in a regular file.
struct FilePlace {
  int descriptor;        ///< of the file; the reader's own, which closes it
  std::int64_t offset;   ///< of the first element, in bytes from the beginning of the file
  ByteOrder byte_order;  ///< of the elements in the file
};

/// Reads one array from front to back. It trusts nothing: a malformed, lying or truncated file gives a
/// DataError that names the file, says what is wrong and what to do, and memory beyond the caller's own
/// buffer stays below 100 KiB whatever the file claims (InputFile says how much decompression takes). Regular
/// files are read with pread, never mapped, so a file that shrinks while it is read gives a DataError too.
///
/// Movable. Not for use by two threads at once.
class FOLDLINE_API ArrayReader {
 public:
  /// Opens a .npy file (format 1.0, 2.0 or 3.0) of float16, float32, float64, bool or integers of 8 to 64
  /// bits, either byte order; the path "-" is standard input. The file must hold exactly what its header
  /// promises: NumPy ignores bytes after the array, here they are an error, because a header that is wrong
  /// about the size may be wrong about more. A regular file is checked here, a pipe when its end is reached.
  /// Throws DataError.
  static ArrayReader open_npy(const std::string& path);
  /// The same of a file that is open already.
  static ArrayReader open_npy(InputFile file);

  /// Opens a file of bare numbers; the path "-" is standard input. Throws InvalidArgument if the format makes
  /// no sense (a negative length or offset, a size beyond 2^63 - 1 bytes), DataError if the file does not fit
  /// it.
  static ArrayReader open_raw(const std::string& path, const RawFormat& format);
  /// The same of a file that is open already.
  static ArrayReader open_raw(InputFile file, const RawFormat& format);

  /// @{ What was moved from may only be assigned to or destroyed.
  ArrayReader(ArrayReader&& other) noexcept;
  ArrayReader& operator=(ArrayReader&& other) noexcept;
  /// @}
  ~ArrayReader();

  /// The path as given, or "standard input".
  [[nodiscard]] const std::string& name() const;
  /// Type of the elements, in the file and as they are read.
  [[nodiscard]] ElementType type() const;
  /// Lengths of the axes, empty for a 0-d array (one element). None while it is unknown: raw numbers from a
  /// pipe or out of a compressed file without a shape, until the end has been read.
  [[nodiscard]] const std::optional<std::vector<std::int64_t>>& shape() const;
  /// True if the first axis varies fastest in the file. Elements come in the order of the file either way.
  [[nodiscard]] bool fortran_order() const;
  /// Number of elements of the array; none while it is unknown.
  [[nodiscard]] std::optional<std::int64_t> size() const;
  /// Number of elements read so far.
  [[nodiscard]] std::int64_t position() const;

  /// Where its elements lie, for those who map the file or read it with several threads; none of what is not
  /// a regular file that is read as it stands. As of its opening: a file may become shorter.
  [[nodiscard]] std::optional<FilePlace> place() const;

  /// Reads only elements [first, last), for those who share an array among processes: before anything is
  /// read, of an array that has a place(). Throws InvalidArgument if it has none or no such elements.
  void read_only(std::int64_t first, std::int64_t last);

  /// Reads the next elements, in native byte order: as many as fit the buffer or are left, whichever is less.
  /// Returns their number; 0 at the end. Waits for a pipe; the call that reads the last element of a .npy
  /// array from a pipe also waits for the pipe's end. The buffer need not be aligned. Throws InvalidArgument
  /// if the buffer holds no element; DataError if the data ends too early, goes on too long or cannot be
  /// read. What the buffer holds is then unspecified.
  std::int64_t read(std::span<std::byte> buffer);

 private:
  struct FOLDLINE_HIDDEN State;
  explicit ArrayReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace foldline
