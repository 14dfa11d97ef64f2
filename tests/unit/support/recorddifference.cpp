#include "tests/unit/support/recorddifference.h"

#include <algorithm>

namespace fabricscope::test {

namespace {

bool sameDiagnostics(const Diagnostics& a, const Diagnostics& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Diagnostic& x, const Diagnostic& y) { return x.text() == y.text(); });
}

} // namespace

std::string difference(const RunRecord& a, const RunRecord& b)
{
    const auto number = [](std::int64_t x, std::int64_t y) { return std::to_string(x) + " and " + std::to_string(y); };
    if (a.model != b.model || a.version != b.version)
        return "model";
    if (a.complete != b.complete || a.cutAt != b.cutAt || a.waits.size() != b.waits.size())
        return "completeness";
    if (a.finish != b.finish)
        return "finish " + number(a.finish.ps, b.finish.ps);
    if (a.lowerBound != b.lowerBound || a.rankCount != b.rankCount)
        return "rank count";
    if (a.classes.size() != b.classes.size())
        return "number of classes " + number(static_cast<std::int64_t>(a.classes.size()), static_cast<std::int64_t>(b.classes.size()));
    for (std::size_t i = 0; i < a.classes.size(); ++i) {
        const RankClass& x = a.classes[i];
        const RankClass& y = b.classes[i];
        if (x.ranks != y.ranks || x.job != y.job)
            return "ranks of class " + std::to_string(i);
        if (!(x.times == y.times))
            return "times of class " + std::to_string(i);
        if (!x.tasks != !y.tasks || (x.tasks && !(*x.tasks == *y.tasks)))
            return "task times of class " + std::to_string(i);
    }
    if (a.finishOrder != b.finishOrder)
        return "order of finish";
    if (a.dimensions.size() != b.dimensions.size())
        return "number of dimensions";
    for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
        const DimensionUse& x = a.dimensions[d];
        const DimensionUse& y = b.dimensions[d];
        const std::string where = " of dimension " + std::to_string(d);
        if (x.name != y.name || x.links != y.links)
            return "name or links" + where;
        if (x.messages != y.messages)
            return "messages" + where + ' ' + number(x.messages, y.messages);
        if (x.bytes != y.bytes)
            return "bytes" + where + ' ' + number(x.bytes, y.bytes);
        if (x.busyPs != y.busyPs || x.peakLinkPs != y.peakLinkPs)
            return "busy time" + where;
        if (x.busy.bucketPs() != y.busy.bucketPs() || x.busy.busyPs() != y.busy.busyPs() || x.busy.total() != y.busy.total())
            return "busy pyramid" + where;
    }
    if (a.allLinks != b.allLinks || a.links.size() != b.links.size())
        return "number of links " + number(static_cast<std::int64_t>(a.links.size()), static_cast<std::int64_t>(b.links.size()));
    for (std::size_t i = 0; i < a.links.size(); ++i) {
        if (a.links[i].link != b.links[i].link || a.links[i].messages != b.links[i].messages || a.links[i].bytes != b.links[i].bytes
            || a.links[i].busyPs != b.links[i].busyPs) {
            return "link " + std::to_string(i) + ' ' + number(a.links[i].link, b.links[i].link);
        }
    }
    if (!sameDiagnostics(a.diagnostics, b.diagnostics))
        return "diagnostics";
    if (a.fingerprint != b.fingerprint)
        return "fingerprint";
    if (a.messages.value() != b.messages.value() || a.messages.count() != b.messages.count())
        return "message digest";
    return {};
}

} // namespace fabricscope::test
