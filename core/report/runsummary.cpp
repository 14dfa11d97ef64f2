#include "core/report/runsummary.h"

namespace fabricscope {

namespace {

/// A finding without its severity and rule: "net.yml:3: ...".
std::string plainText(const Diagnostic& entry)
{
    return toError(entry).text();
}

} // namespace

std::vector<std::string> warningsOf(const RunSummary& summary)
{
    std::vector<std::string> out;
    for (const Diagnostic& entry : summary.diagnostics) {
        if (entry.severity == Severity::Warning)
            out.push_back(plainText(entry));
    }
    return out;
}

std::vector<std::string> assumptionsOf(const RunSummary& summary)
{
    std::vector<std::string> out;
    for (const Parameter& parameter : summary.parameters) {
        if (parameter.assumed)
            out.push_back(parameter.name + " = " + parameter.value + (parameter.source.empty() ? "" : " (" + parameter.source + ")"));
    }
    for (const Diagnostic& entry : summary.diagnostics) {
        if (entry.severity == Severity::Note)
            out.push_back(plainText(entry));
    }
    return out;
}

std::string ranksText(const RankSet& ranks)
{
    return (ranks.count() == 1 ? "rank " : "ranks ") + ranks.text();
}

} // namespace fabricscope
