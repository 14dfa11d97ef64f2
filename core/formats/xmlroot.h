#pragma once

#include <string_view>

namespace fabricscope {

/// The name of the root element of an XML document, of which `head` is the beginning: declaration, instructions, comments and document type before
/// it are passed over. Empty where there is none, or where it is not within `head`. O(head).
std::string_view xmlRootName(std::string_view head);

} // namespace fabricscope
