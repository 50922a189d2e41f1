// A file that appears under its name complete, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace foldline::io {

/// A regular file, or a path that does not exist yet, is written without a name or under a temporary one in
/// the same folder, and renamed by commit(); a replacement keeps the old mode. Pipes and devices are written
/// directly. Throws Error.
class OutputFile {
 public:
  /// The path "-" is standard output.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the temporary file if it was not committed.
  ~OutputFile();

  /// The path as given, or "standard output".
  const std::string& name() const { return name_; }
  /// Whether written bytes can still be changed or discarded: false for pipes and devices.
  bool replaceable() const { return !direct_; }

  /// Reserves `bytes` bytes in all. Throws if the disk is too small; a file system that cannot reserve is no
  /// error.
  void reserve(std::int64_t bytes);
  void write(std::span<const std::byte> bytes);
  /// Overwrites the beginning; only if replaceable().
  void overwrite_start(std::span<const std::byte> bytes);
  /// Makes the content durable and gives the file its name.
  void commit();

 private:
  void open_existing();
  void open_temporary();
  void give_name();
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string name_;
  std::string path_;              ///< final path, symbolic links followed; empty for standard output
  std::string temporary_;         ///< empty while the file has no name
  std::optional<unsigned> mode_;  ///< mode of the replaced file
  int descriptor_ = -1;
  bool direct_ = false;  ///< a pipe or a device
  bool committed_ = false;
};

}  // namespace foldline::io
