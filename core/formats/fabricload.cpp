#include "core/formats/fabricload.h"

#include "core/base/files/textfile.h"
#include "core/formats/astra/networkfile.h"
#include "core/formats/infragraph/importer.h"
#include "core/formats/nccl/systemtopology.h"
#include "core/formats/packet/htsimtopology.h"
#include "core/formats/packet/ns3topology.h"

namespace fabricscope {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

} // namespace

Result<LoadedFabric> readFabric(const std::string& text, const std::string& file, FabricKind kind, const LinkCompletions& completions, Diagnostics& diagnostics, const std::stop_token& stop)
{
    std::vector<std::string> files;
    const auto read = [&]() -> Result<PlatformSpec> {
        switch (kind) {
        case FabricKind::AstraSim: return readAstraNetwork(text, file, diagnostics, &files, stop);
        case FabricKind::Nccl: return readNcclTopology(text, file, completions, diagnostics, stop);
        case FabricKind::Ns3: return readNs3Topology(text, file, diagnostics, &files, stop);
        case FabricKind::Htsim: return readHtsimTopology(text, file, diagnostics, stop);
        case FabricKind::InfraGraph: break;
        }
        auto document = readInfraGraph(text, file, diagnostics, stop);
        return document ? platformFromInfraGraph(document.value(), completions, diagnostics, stop) : std::move(document).error();
    };
    auto spec = read();
    if (!spec)
        return std::move(spec).error();
    const bool dimensions = !spec.value().dimensions.empty();
    return LoadedFabric{std::move(spec).value(), kind == FabricKind::AstraSim && dimensions, std::move(files)};
}

Result<LoadedFabric> loadFabric(const std::string& path, FabricKind kind, const LinkCompletions& completions, Diagnostics& diagnostics, const std::stop_token& stop)
{
    auto text = readTextFile(path, kMaxBytes);
    if (!text)
        return std::move(text).error();
    return readFabric(text.value(), path, kind, completions, diagnostics, stop);
}

Result<FabricKind> fabricKindOfFile(const std::string& path)
{
    constexpr std::size_t kHead = std::size_t{1} << 16;
    const auto head = readFileHead(path, kHead);
    if (!head)
        return head.error();
    if (const auto kind = fabricKindOf(head.value()))
        return *kind;
    Place place;
    place.file = path;
    return invalidInput("the content does not say what kind of file this is", place,
                        "a file that describes a fabric, or its kind: " + std::string(fabricKindKeys()));
}

} // namespace fabricscope
