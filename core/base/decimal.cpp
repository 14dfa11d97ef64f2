#include "core/base/decimal.h"

#include <array>
#include <charconv>

namespace fabricscope {

std::string decimal(double value)
{
    std::array<char, 32> buffer{}; // The longest has 24 characters.
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

} // namespace fabricscope
