#include "widgets/results/pathlens.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// A lens of times that `timeOf` has for links.
template <class TimeOf>
PathLens lensOf(LinkId links, std::int64_t most, const TimeOf& timeOf)
{
    PathLens lens;
    if (most <= 0)
        return lens;
    lens.most = {most};
    lens.shares.resize(at(links));
    for (LinkId link = 0; link < links; ++link)
        lens.shares[at(link)] = static_cast<float>(static_cast<double>(timeOf(link)) / static_cast<double>(most));
    return lens;
}

std::int64_t mostOf(const std::map<std::int64_t, std::int64_t>& times)
{
    const auto most = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == times.end() ? 0 : most->second;
}

std::int64_t timeOr0(const std::map<std::int64_t, std::int64_t>& times, std::int64_t key)
{
    const auto found = times.find(key);
    return found == times.end() ? 0 : found->second;
}

} // namespace

PathLens waitingLens(const Explanation& explanation)
{
    const Structure& structure = *explanation.run->scenario->structure;
    const bool folded = explanation.path.folded;
    std::map<std::int64_t, std::int64_t> times; // By link, folded by class.
    for (const PathPiece& piece : explanation.path.pieces) {
        if (piece.cause == PathCause::Waiting && piece.link >= 0)
            times[folded ? std::int64_t{structure.classOf(piece.link)} : std::int64_t{piece.link}] += piece.ps();
    }
    return lensOf(structure.platform.linkCount(), mostOf(times), [&](LinkId link) { return timeOr0(times, folded ? std::int64_t{structure.classOf(link)} : std::int64_t{link}); });
}

PathLens gainLens(const Explanation& explanation)
{
    const Structure& structure = *explanation.run->scenario->structure;
    std::map<std::int64_t, std::int64_t> times; // By class.
    for (const ParameterEffect& effect : explanation.parameters) {
        if (effect.parameter == PathParameter::LinkRate)
            times[effect.resourceClass] = effect.tenthPs();
    }
    return lensOf(structure.platform.linkCount(), mostOf(times), [&](LinkId link) { return timeOr0(times, structure.classOf(link)); });
}

} // namespace fabricscope
