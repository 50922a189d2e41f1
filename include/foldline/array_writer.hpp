/// @file
/// Writing arrays to .npy files, block by block: a whole new file or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// What the header of a .npy file says; the elements are in the byte order of this machine.
struct NpyFormat {
  ElementType type = ElementType::float64;  ///< of the elements; not bfloat16
  /// Lengths of the axes, each at least 0. Without one the array is one-dimensional and as long as what is
  /// written.
  std::optional<std::vector<std::int64_t>> shape = std::nullopt;
  /// True if the first axis varies fastest in what is written.
  bool fortran_order = false;
};

/// Writes one .npy file (format 1.0) from front to back. Nobody ever sees a part of it: it comes into being
/// under its name only when commit() has found that all of it is on the disk, and replaces what was there in
/// one step. Before that, the destructor, an error or the end of the process leave nothing behind where the
/// file system knows files without a name (O_TMPFILE: ext4, XFS, Btrfs, tmpfs); elsewhere a process that is
/// killed leaves a file called like the other, plus ".tmp" and random digits.
///
/// A pipe or a device is written as it is, since it can be neither replaced nor taken back. A symbolic link
/// stays one; the file that it leads to is replaced.
///
/// Movable. Not for use by two threads at once.
class FOLDLINE_API ArrayWriter {
 public:
  /// Begins a .npy file; the path "-" is standard output. Disk space is reserved where the shape is known, so
  /// that a full disk is found here. Throws InvalidArgument if the format makes no sense: bfloat16, for which
  /// NumPy has no name, a negative length, 2^63 bytes or more, or a pipe without a shape, because the header
  /// goes first. Throws Error if the file cannot be made: a missing folder, a directory, no permission, a
  /// full disk.
  static ArrayWriter create_npy(const std::string& path, const NpyFormat& format);

  /// @{ What was moved from may only be assigned to or destroyed.
  ArrayWriter(ArrayWriter&& other) noexcept;
  ArrayWriter& operator=(ArrayWriter&& other) noexcept;
  /// @}
  /// Throws away what was not committed.
  ~ArrayWriter();

  /// The path as given, or "standard output".
  [[nodiscard]] const std::string& name() const;

  /// Writes the next elements; not buffered, so the blocks should be large (64 KiB or more). They need not be
  /// aligned. Throws InvalidArgument for a part of an element or more elements than the shape has; Error if
  /// the system cannot write them (a full disk).
  void write(std::span<const std::byte> elements);

  /// Puts the file in place; after that the writer is done. Throws InvalidArgument if elements are missing,
  /// Error if the system fails; then there is no file, or the old one.
  void commit();

 private:
  struct FOLDLINE_HIDDEN State;
  explicit ArrayWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace foldline
