#include "io/zip_member.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "foldline/error.hpp"
#include "io/decompressor.hpp"
#include "io/text_message.hpp"
#include "io/zip_directory.hpp"

namespace foldline::io {
namespace {

constexpr std::uint16_t stored = 0, deflated = 8;
constexpr std::uint16_t encrypted_flags = 0x2041;  // traditional, strong, and of the directory
constexpr std::size_t zip_block = 65536;

class ZipContent : public Content {
 public:
  ZipContent(ZipMember member, std::string name)
      : member_(std::move(member)), name_(std::move(name)), left_(member_.compressed_size) {
    if (member_.method == stored) return;
    inflater_ = make_deflate_decompressor(name_);
    buffer_.resize(zip_block);
  }

  std::size_t read(SystemFile& file, std::span<std::byte> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) {
      const std::span<std::byte> rest = buffer.subspan(filled);
      const std::size_t made = inflater_ ? inflate(file, rest) : copy(file, rest);
      checksum_ =
          static_cast<std::uint32_t>(::crc32_z(checksum_, reinterpret_cast<const Bytef*>(rest.data()), made));
      filled += made;
      made_ += static_cast<std::int64_t>(made);
      if (made_ > member_.size || (ended_ && (made_ < member_.size || left_ != 0 || !input_.empty())))
        fail_damaged(name_, "ZIP", "its size is not what the archive says");
      if (ended_ && checksum_ != member_.checksum) fail_damaged(name_, "ZIP", "its checksum is wrong");
    }
    return filled;
  }

 private:
  std::size_t inflate(SystemFile& file, std::span<std::byte> out) {
    if (input_.empty()) input_ = std::span(buffer_).first(copy(file, buffer_));
    ended_ = false;  // that the input has been read to its end is not the end of the output
    const Decompressor::Step step = inflater_->run(input_, out);
    input_ = input_.subspan(step.taken);
    ended_ = step.ended;
    if (!ended_ && step.taken == 0 && step.made == 0) fail_damaged(name_, "ZIP", "its data ends too early");
    return step.made;
  }

  /// Bytes of the member as they are in the archive.
  std::size_t copy(SystemFile& file, std::span<std::byte> out) {
    const std::span<std::byte> wanted =
        out.first(static_cast<std::size_t>(std::min(left_, static_cast<std::int64_t>(out.size()))));
    if (file.read_at(member_.position + member_.compressed_size - left_, wanted) != wanted.size())
      throw DataError(name_ + ": was truncated while it was read; wait until it is written, and try again");
    left_ -= static_cast<std::int64_t>(wanted.size());
    ended_ = left_ == 0;
    return wanted.size();
  }

  ZipMember member_;
  std::string name_;
  std::unique_ptr<Decompressor> inflater_;  ///< none if the member is stored as it is
  std::vector<std::byte> buffer_;
  std::span<const std::byte> input_;  ///< of the buffer, still to be decompressed
  std::int64_t left_;                 ///< bytes of the archive
  std::int64_t made_ = 0;
  std::uint32_t checksum_ = 0;
  bool ended_ = false;
};

}  // namespace

NamedContent open_zip_member(const SystemFile& file, const std::optional<std::string>& name) {
  ZipMember member = find_zip_member(file, name);
  const std::string full_name = file.name() + " " + quoted(member.name);
  if ((member.flags & encrypted_flags) != 0)
    throw DataError(full_name + ": is encrypted; extract it first, with its password");
  if (member.method != stored && member.method != deflated)
    throw DataError(full_name + ": is compressed by ZIP's method " + std::to_string(member.method) +
                    ", only 0 (stored) and 8 (deflate) are read; extract it first");
  return {full_name, std::make_unique<ZipContent>(std::move(member), full_name)};
}

}  // namespace foldline::io
