/// @file
/// A file of bytes that appears under its name as a whole, or not at all: for texts of results.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "foldline/error.hpp"
#include "foldline/export.hpp"

namespace foldline {

namespace io {
class OutputFile;
}

/// Comes into being under its name when commit() has found that all of it is on the disk, and replaces what
/// was there in one step, as ArrayWriter does; pipes and devices are written as they are. Movable. Not for
/// use by two threads at once.
class FOLDLINE_API OutputFile {
 public:
  /// Begins a file; the path "-" is standard output. Throws Error if it cannot be made: a missing folder, a
  /// directory, no permission.
  static OutputFile create(const std::string& path);

  /// @{ What was moved from may only be assigned to or destroyed.
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  /// @}
  /// Throws the file away unless it was committed.
  ~OutputFile();

  /// The path as given, or "standard output".
  [[nodiscard]] const std::string& name() const;
  /// Appends the bytes. Throws Error, as of a full disk.
  void write(std::span<const std::byte> bytes);
  /// Makes the content durable and gives the file its name. Nothing may be written after it. Throws Error.
  void commit();

 private:
  explicit OutputFile(std::unique_ptr<io::OutputFile> file);
  std::unique_ptr<io::OutputFile> file_;
};

}  // namespace foldline
