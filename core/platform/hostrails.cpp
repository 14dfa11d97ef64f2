#include "core/platform/hostrails.h"

#include <numeric>

namespace fabricscope {

Rails Rails::of(const DeclaredNodes& declared, std::int32_t npus)
{
    Rails out;
    out.count = declared.rails;
    out.npus.resize(static_cast<std::size_t>(npus));
    std::iota(out.npus.begin(), out.npus.end(), 0);
    out.place = out.npus;
    out.host = declared.host;
    return out;
}

} // namespace fabricscope
