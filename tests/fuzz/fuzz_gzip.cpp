// Any bytes as a file that may be packed: read in large and in small pieces, which must give the same bytes and the same end, and as a trace.
#include "core/trace/bytestream.h"
#include "core/trace/etfile.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace fabricscope;

namespace {

struct Unpacked {
    std::vector<std::uint8_t> bytes;
    bool ended = false;
};

Unpacked unpack(const std::string& path, std::size_t piece)
{
    constexpr std::size_t kMost = std::size_t{4} << 20;
    Unpacked out;
    auto stream = ByteStream::open(path, {});
    if (!stream)
        std::abort(); // it is a regular file
    while (out.bytes.size() < kMost) {
        const std::size_t before = out.bytes.size();
        out.bytes.resize(before + piece);
        const auto got = stream.value().read(out.bytes.data() + before, piece);
        out.bytes.resize(before + (got ? got.value() : 0));
        if (!got)
            break;
        if (got.value() == 0) {
            out.ended = true;
            break;
        }
    }
    out.bytes.resize(std::min(out.bytes.size(), kMost));
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size))
        std::abort();
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const Unpacked large = unpack(path, std::size_t{1} << 16);
    const Unpacked small = unpack(path, 61);
    // Where the data are damaged, the last piece before the damage may be missing.
    if (large.ended && (!small.ended || large.bytes != small.bytes))
        std::abort();
    static_cast<void>(readTraceFile(path, 0));
    ::close(file);
    return 0;
}
