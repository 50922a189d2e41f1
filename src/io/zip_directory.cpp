// The format: APPNOTE.TXT of PKWARE. The directory is a list of members, each with a copy of what stands
// before its bytes; behind it come one or three records that say where it begins. Everything is checked
// against the file's size before it is used, and against its copy.
#include "io/zip_directory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "foldline/error.hpp"
#include "foldline/input_file.hpp"
#include "io/text_message.hpp"

namespace foldline::io {
namespace {

// Signatures of an archive's parts.
constexpr std::uint32_t member_begin = 0x04034b50, entry_begin = 0x02014b50, end_begin = 0x06054b50,
                        long_end_begin = 0x06064b50, long_end_locator_begin = 0x07064b50;
// Sizes of these parts without their variable fields.
constexpr std::int64_t member_bytes = 30, entry_bytes = 46, end_bytes = 22, long_end_bytes = 56,
                       locator_bytes = 20;
constexpr std::int64_t longest_comment = 65535;
/// Marks a number that exceeds 32 bits and is stored as 64 bits elsewhere.
constexpr std::uint32_t elsewhere = 0xffffffff;
constexpr std::uint16_t long_numbers_field = 1;

class ZipDirectory {
 public:
  explicit ZipDirectory(const SystemFile& file) : file_(file) { find(); }

  /// Calls a function for each member. `position` is that of the member's own header.
  template <class Function>
  void for_each(const Function& function) {
    std::int64_t at = begin_;
    for (std::uint64_t i = 0; i < entries_; ++i) {
      ZipMember member;
      at += read_entry(at, member);
      function(member);
    }
    if (at != end_) damaged("its directory has not the size that it should have");
  }

  /// Moves the member's position from its header to its bytes.
  void find_bytes(ZipMember& member) const {
    const std::vector<std::byte> header = bytes(member.position, member_bytes);
    const std::int64_t name_size = number(header, 26, 2), extra_size = number(header, 28, 2);
    if (number(header, 0, 4) != member_begin || number(header, 8, 2) != member.method ||
        text_of(bytes(member.position + member_bytes, name_size)) != member.name)
      damaged("a member is not what the directory says");
    member.position += member_bytes + name_size + extra_size;
    if (member.position > begin_ || member.compressed_size > begin_ - member.position)
      damaged("a member goes beyond its end");
  }

  [[noreturn]] void damaged(std::string_view what) const {
    throw DataError(file_.name() + ": is a damaged .npz or ZIP archive: " + std::string(what) +
                    "; fetch or write it again");
  }

 private:
  static std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// A little-endian number of up to 8 bytes.
  static std::int64_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return static_cast<std::int64_t>(value);
  }

  std::vector<std::byte> bytes(std::int64_t position, std::int64_t count) const {
    if (position < 0 || position > file_.size() || count > file_.size() - position)
      damaged("a part of it goes beyond the end of the file");
    std::vector<std::byte> result(static_cast<std::size_t>(count));
    if (file_.read_at(position, result) != result.size()) damaged("it was cut off while it was read");
    return result;
  }

  /// The last record ends with a comment, which may look like anything: so it must end where the file ends.
  void find() {
    const std::int64_t searched = std::min(file_.size(), end_bytes + longest_comment);
    const std::vector<std::byte> tail = bytes(file_.size() - searched, searched);
    for (std::int64_t at = searched - end_bytes; at >= 0; --at) {
      const auto record = std::span(tail).subspan(static_cast<std::size_t>(at));
      if (number(record, 0, 4) == end_begin && at + end_bytes + number(record, 20, 2) == searched)
        return read_end(file_.size() - searched + at, record);
    }
    damaged("it has no directory at its end, so it may be truncated");
  }

  void read_end(std::int64_t position, std::span<const std::byte> record) {
    std::int64_t disks = number(record, 4, 2) + number(record, 6, 2), entries = number(record, 10, 2);
    std::int64_t size = number(record, 12, 4), begin = number(record, 16, 4);
    if (entries == 0xffff || size == elsewhere || begin == elsewhere) {
      const std::vector<std::byte> locator = bytes(position - locator_bytes, locator_bytes);
      if (number(locator, 0, 4) != long_end_locator_begin) damaged("its directory is not found");
      position = number(locator, 8, 8);
      const std::vector<std::byte> end = bytes(position, long_end_bytes);
      if (number(end, 0, 4) != long_end_begin) damaged("its directory is not found");
      disks = number(end, 16, 4) + number(end, 20, 4);
      entries = number(end, 32, 8);
      size = number(end, 40, 8);
      begin = number(end, 48, 8);
    }
    if (disks != 0) damaged("it is one part of several");
    if (begin < 0 || begin > position || size != position - begin || entries < 0 ||
        entries > size / entry_bytes)
      damaged("its directory is not where it should be");
    begin_ = begin;
    end_ = position;
    entries_ = static_cast<std::uint64_t>(entries);
  }

  /// Returns the entry's size.
  std::int64_t read_entry(std::int64_t at, ZipMember& member) const {
    if (at > end_ - entry_bytes) damaged("its directory ends too early");
    const std::vector<std::byte> entry = bytes(at, entry_bytes);
    if (number(entry, 0, 4) != entry_begin) damaged("its directory is not a list of members");
    const std::int64_t name_size = number(entry, 28, 2), extra_size = number(entry, 30, 2);
    const std::int64_t whole = entry_bytes + name_size + extra_size + number(entry, 32, 2);
    if (whole > end_ - at) damaged("its directory ends too early");
    member.flags = static_cast<std::uint16_t>(number(entry, 8, 2));
    member.method = static_cast<std::uint16_t>(number(entry, 10, 2));
    member.checksum = static_cast<std::uint32_t>(number(entry, 16, 4));
    member.compressed_size = number(entry, 20, 4);
    member.size = number(entry, 24, 4);
    member.position = number(entry, 42, 4);
    const std::vector<std::byte> rest = bytes(at + entry_bytes, name_size + extra_size);
    member.name = text_of(std::span(rest).first(static_cast<std::size_t>(name_size)));
    read_long_numbers(std::span(rest).subspan(static_cast<std::size_t>(name_size)), member);
    if (member.size < 0 || member.compressed_size < 0 || member.position < 0 || member.position > begin_)
      damaged("a member goes beyond its end");
    return whole;
  }

  /// ZIP64: numbers that do not fit into 32 bits follow in a field of their own, in this order.
  void read_long_numbers(std::span<const std::byte> extra, ZipMember& member) const {
    while (extra.size() >= 4) {
      const auto size = static_cast<std::size_t>(number(extra, 2, 2));
      if (size > extra.size() - 4) break;  // what other programs write there is no concern of ours
      if (number(extra, 0, 2) == long_numbers_field) {
        std::span<const std::byte> field = extra.subspan(4, size);
        for (std::int64_t* const value : {&member.size, &member.compressed_size, &member.position}) {
          if (*value != elsewhere) continue;
          if (field.size() < 8) damaged("a size is missing");
          *value = number(field, 0, 8);
          field = field.subspan(8);
        }
        return;
      }
      extra = extra.subspan(4 + size);
    }
  }

  const SystemFile& file_;
  std::int64_t begin_ = 0, end_ = 0;
  std::uint64_t entries_ = 0;
};

/// Folders, and what macOS adds beside each file.
bool is_no_file(std::string_view name) { return name.ends_with('/') || name.starts_with("__MACOSX/"); }

/// Chooses the wanted member, or explains why it cannot.
class Choice {
 public:
  explicit Choice(const std::optional<std::string>& name) : wanted_(name) {}

  void offer(const ZipMember& member) {
    if (is_no_file(member.name)) return;
    ++files_;
    if (names_.size() < most_names) names_.push_back(member.name.substr(0, longest_name));
    if (member.name == "[Content_Types].xml" || member.name == "mimetype") is_document_ = true;
    if (!wanted_) {
      found_ = member;
    } else if (member.name == *wanted_) {
      found_ = member;
      ++exact_;
    } else if (exact_ == 0 && member.name == *wanted_ + ".npy") {
      found_ = member;
      ++nearly_;
    }
  }

  ZipMember result(const std::string& file) const {
    if (is_document_ && !wanted_)
      throw DataError(file + ": is a spreadsheet or another document; save it as CSV first");
    const std::size_t fitting = !wanted_ ? files_ : exact_ != 0 ? exact_ : nearly_;
    if (fitting == 1) return *found_;
    if (files_ == 0) throw DataError(file + ": is an archive without any file in it");
    const std::string has = !wanted_       ? "has " + counted(files_, "member")
                            : fitting == 0 ? "has no member " + quoted(*wanted_)
                                           : "has several members " + quoted(*wanted_);
    throw UnknownMember(file + ": " + has + (fitting == 0 || !wanted_ ? "; name one: " + list() : ""),
                        wanted_.value_or(""), names_);
  }

 private:
  static constexpr std::size_t most_names = 1000, longest_name = 200, most_listed = 6;

  std::string list() const {
    std::string text;
    for (std::size_t i = 0; i < std::min(names_.size(), most_listed); ++i)
      text += (i == 0 ? "" : ", ") + quoted(names_[i]);
    return text + (files_ > most_listed ? " and " + std::to_string(files_ - most_listed) + " more" : "");
  }

  const std::optional<std::string>& wanted_;
  std::optional<ZipMember> found_;
  std::vector<std::string> names_;
  std::size_t files_ = 0, exact_ = 0, nearly_ = 0;
  bool is_document_ = false;
};

}  // namespace

ZipMember find_zip_member(const SystemFile& file, const std::optional<std::string>& name) {
  ZipDirectory directory(file);
  Choice choice(name);
  directory.for_each([&](const ZipMember& member) { choice.offer(member); });
  ZipMember member = choice.result(file.name());
  directory.find_bytes(member);
  return member;
}

}  // namespace foldline::io
