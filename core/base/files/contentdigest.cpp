#include "core/base/files/contentdigest.h"

#include "core/base/files/openfile.h"
#include "core/base/stop.h"

#include <memory>
#include <new>
#include <vector>
#include <xxhash.h>

namespace fabricscope {

Result<FileDigest> digestOfFile(const std::string& path, const std::stop_token& stop)
{
    auto file = OpenFile::open(path);
    if (!file)
        return std::move(file).error();
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
    if (!state || XXH3_128bits_reset(state.get()) != XXH_OK)
        throw std::bad_alloc(); // As when the block below gets none.
    std::vector<char> block(std::size_t{1} << 18);
    FileDigest out;
    for (;;) {
        if (stop.stop_requested())
            return stoppedError();
        const auto got = file.value().read(block.data(), block.size());
        if (!got)
            return got.error();
        if (got.value() == 0)
            break;
        XXH3_128bits_update(state.get(), block.data(), got.value());
        out.bytes += got.value();
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    out.digest = {hash.low64, hash.high64};
    return out;
}

} // namespace fabricscope
