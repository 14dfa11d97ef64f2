#include "core/design/foreignfiles.h"

namespace fabricscope {

namespace {

Error notYet(const std::string& path)
{
    Place place;
    place.file = path;
    return {ErrorCode::Unsupported, "files of ASTRA-sim cannot be read", place, {}};
}

} // namespace

Result<ForeignFile<PlatformSpec>> readNetworkFile(const std::string& path) { return notYet(path); }
Result<ForeignFile<AstraSystem>> readSystemFile(const std::string& path) { return notYet(path); }
Result<ForeignFile<RemoteMemory>> readMemoryFile(const std::string& path) { return notYet(path); }

} // namespace fabricscope
