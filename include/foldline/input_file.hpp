/// @file
/// A file that has been opened and not yet been read: to see what it holds before choosing a reader.
#pragma once

#include <memory>
#include <string>

#include "foldline/error.hpp"
#include "foldline/export.hpp"

namespace foldline {

namespace io {
class ByteSource;
}

/// A file, pipe, device or standard input at its beginning. Movable; the readers take it over. What has been
/// moved from can only be destroyed or assigned to.
class FOLDLINE_API InputFile {
 public:
  /// Opens a path; "-" is standard input. Throws DataError: missing, a directory, not permitted.
  static InputFile open(const std::string& path);

  /// @{ What was moved from may only be assigned to or destroyed.
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  /// @}
  ~InputFile();

  /// The path as given, or "standard input".
  const std::string& name() const;
  /// False for pipes, devices and whatever else has no size.
  bool is_regular() const;
  /// Whether it begins with the signature of .npy files. Waits for the first bytes of a pipe, which are not
  /// lost. Throws DataError if the system cannot read them.
  bool begins_like_npy();

 private:
  friend class ArrayReader;
  friend class TextReader;
  explicit InputFile(std::unique_ptr<io::ByteSource> source);
  std::unique_ptr<io::ByteSource> source_;
};

}  // namespace foldline
