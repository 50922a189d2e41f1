/// @file
/// A file that has been opened and not yet been read: to see what it holds before choosing a reader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foldline/error.hpp"
#include "foldline/export.hpp"

namespace foldline {

namespace io {
class ByteSource;
}

/// How to come by what is in a file.
struct Unpacking {
  /// Whether files that begin as gzip, xz, zstd, bzip2 or ZIP do are decompressed while they are read; else
  /// their bytes are read as they stand.
  bool unpack = true;
  /// Which member of an archive (.npz, ZIP), with or without .npy at the end of its name; none: the only one.
  /// Only archives have members.
  std::optional<std::string> member = std::nullopt;
};

/// An archive has no member of the name asked for, or several and none was asked for.
class FOLDLINE_API UnknownMember : public DataError {
 public:
  /// @param message says it all
  /// @param member the name asked for, or ""
  /// @param known the names that there are, a thousand at most
  UnknownMember(const std::string& message, std::string member, std::vector<std::string> known)
      : DataError(message), member_(std::move(member)), known_(std::move(known)) {}

  /// The name asked for, or "".
  [[nodiscard]] const std::string& member() const { return member_; }
  /// The names that there are, a thousand at most.
  [[nodiscard]] const std::vector<std::string>& known() const { return known_; }

 private:
  std::string member_;
  std::vector<std::string> known_;
};

/// A file, pipe, device or standard input at its beginning. Movable; the readers take it over. What has been
/// moved from can only be destroyed or assigned to.
///
/// Files compressed by gzip, xz, zstd or bzip2 are told by their first bytes, whatever their names, and read
/// decompressed, in constant memory (up to 256 MiB if an xz file asks for it, 128 MiB for zstd); so is a
/// member of an archive, from a regular file only. Damage is found no later than where the content ends.
class FOLDLINE_API InputFile {
 public:
  /// Opens a path; "-" is standard input. Throws DataError: missing, a directory, not permitted, a damaged
  /// archive; UnknownMember. A pipe is not waited for.
  static InputFile open(const std::string& path, const Unpacking& unpacking = {});

  /// @{ What was moved from may only be assigned to or destroyed.
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  /// @}
  ~InputFile();

  /// The path as given, or "standard input"; of a member of an archive also its name.
  [[nodiscard]] const std::string& name() const;
  /// Whether the file is compressed or an archive, and read decompressed. Of a pipe known when it has been
  /// asked what is in it.
  [[nodiscard]] bool is_unpacked() const;

  /// @{ What the content begins like. They wait for the first bytes of a pipe, which are not lost, and throw
  /// DataError if these cannot be read.
  bool is_empty();
  bool begins_like_npy();   ///< with the signature of .npy files
  bool begins_like_text();  ///< the first 512 bytes are those of a text, most of them ASCII
                            /// @}

 private:
  friend class ArrayReader;
  friend class TextReader;
  explicit InputFile(std::unique_ptr<io::ByteSource> source);
  std::unique_ptr<io::ByteSource> source_;
};

}  // namespace foldline
