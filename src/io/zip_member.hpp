// A member of a ZIP archive, such as one array of a .npz file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/content.hpp"

namespace foldline::io {

struct NamedContent {
  std::string full_name;  ///< of the archive and of the member, for messages
  std::unique_ptr<Content> content;
};

/// Opens the member of that name, or the only one, of a regular file. Throws UnknownMember and DataError.
NamedContent open_zip_member(const SystemFile& file, const std::optional<std::string>& name);

}  // namespace foldline::io
