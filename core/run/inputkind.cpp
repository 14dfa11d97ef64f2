#include "core/run/inputkind.h"

#include "core/platform/topologytext.h"
#include "core/report/runfile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// A key at the outermost level of a JSON or YAML text, and the first character of its value.
struct OuterKey {
    std::string_view key;
    char value = 0;
};

bool isWordLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Keys of {"a": ..., b: ...} as far as the text goes; nested levels are skipped over by counting brackets.
std::vector<OuterKey> bracedKeys(std::string_view text)
{
    std::vector<OuterKey> keys;
    int depth = 0;
    std::string_view word;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != '"')
                end += text[end] == '\\' ? 2 : 1;
            word = text.substr(at + 1, std::min(end, text.size()) - at - 1);
            at = end;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        } else if (c == ':' && depth == 1 && !word.empty()) {
            const auto value = text.find_first_not_of(kBlank, at + 1);
            keys.push_back({word, value == std::string_view::npos ? '\0' : text[value]});
            word = {};
        } else if (c == ',') {
            word = {};
        } else if (isWordLetter(c)) {
            std::size_t end = at;
            while (end < text.size() && isWordLetter(text[end]))
                ++end;
            word = text.substr(at, end - at);
            at = end - 1;
        }
    }
    return keys;
}

/// Keys at the left edge of YAML lines.
std::vector<OuterKey> lineKeys(std::string_view text)
{
    std::vector<OuterKey> keys;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            continue;
        std::string_view key = line.substr(0, colon);
        if (key.size() > 2 && key.front() == '"' && key.back() == '"')
            key = key.substr(1, key.size() - 2);
        if (std::all_of(key.begin(), key.end(), isWordLetter)) {
            const auto value = line.find_first_not_of(kBlank, colon + 1);
            keys.push_back({key, value == std::string_view::npos ? '\0' : line[value]});
        }
    }
    return keys;
}

bool hasAny(const std::vector<OuterKey>& keys, std::initializer_list<std::string_view> wanted)
{
    return std::any_of(keys.begin(), keys.end(), [&](const OuterKey& key) { return std::find(wanted.begin(), wanted.end(), key.key) != wanted.end(); });
}

/// Kinds that are told by their outermost keys.
InputKind byKeys(const std::vector<OuterKey>& keys)
{
    if (hasAny(keys, {"fabricscope_run"}))
        return InputKind::SavedRun;
    if (hasAny(keys, {"fabricscope"}))
        return InputKind::Design;
    if (hasAny(keys, {"memory-type", "remote-mem-latency", "remote-mem-bw"}))
        return InputKind::AstraMemory;
    if (hasAny(keys, {"scheduling-policy", "endpoint-delay", "active-chunks-per-dimension", "preferred-dataset-splits", "all-reduce-implementation",
                      "all-gather-implementation", "reduce-scatter-implementation", "all-to-all-implementation", "collective-optimization", "local-mem-bw",
                      "peak-perf", "roofline-enabled"}))
        return InputKind::AstraSystem;
    if (hasAny(keys, {"topology", "npus_count"}))
        return InputKind::AstraNetwork;
    if (hasAny(keys, {"infrastructure", "devices", "instances", "components", "inventory"}))
        return InputKind::InfraGraph;
    return InputKind::Unknown;
}

bool isText(std::string_view head)
{
    return std::none_of(head.begin(), head.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && kBlank.find(c) == std::string_view::npos; });
}

InputKind kindOfBraces(std::string_view text)
{
    const std::vector<OuterKey> keys = bracedKeys(text);
    if (const InputKind kind = byKeys(keys); kind != InputKind::Unknown)
        return kind;
    if (!keys.empty() && std::all_of(keys.begin(), keys.end(), [](const OuterKey& key) { return key.value == '[' || key.value == '\0'; }))
        return InputKind::CommGroups;
    return InputKind::Unknown;
}

} // namespace

std::string_view inputKindText(InputKind kind)
{
    switch (kind) {
    case InputKind::Design: return "a design";
    case InputKind::SavedRun: return "a saved run";
    case InputKind::AstraNetwork: return "an ASTRA-sim network file";
    case InputKind::AstraSystem: return "an ASTRA-sim system file";
    case InputKind::AstraMemory: return "an ASTRA-sim remote memory file";
    case InputKind::CommGroups: return "a file of communicator groups";
    case InputKind::InfraGraph: return "an InfraGraph document";
    case InputKind::NcclTopology: return "a topology dump of NCCL";
    case InputKind::Trace: return "a Chakra trace";
    case InputKind::TopologyText: return "a topology";
    case InputKind::Unknown: break;
    }
    return "no file this program knows";
}

InputKind inputKindOf(std::string_view name, std::string_view head)
{
    const bool namedTrace = traceNameOf(name).has_value();
    if (!isText(head))
        return namedTrace || head.starts_with("\x1f\x8b") ? InputKind::Trace : InputKind::Unknown;
    const auto first = head.find_first_not_of(kBlank);
    if (first != std::string_view::npos && head[first] == '<')
        return head.find("<system") != std::string_view::npos ? InputKind::NcclTopology : InputKind::Unknown;
    const bool braces = first != std::string_view::npos && head[first] == '{';
    InputKind kind = braces ? kindOfBraces(head.substr(first)) : byKeys(lineKeys(head));
    // A trace in JSON has lists as values too ("nodes", "attr"): there the name decides.
    if (namedTrace && (kind == InputKind::Unknown || kind == InputKind::CommGroups))
        return InputKind::Trace;
    if (kind == InputKind::Unknown && braces && looksLikeRunFile(head))
        kind = InputKind::SavedRun;
    if (kind == InputKind::Unknown && hasAny(lineKeys(head), {"platform", "workload", "steps"}))
        kind = InputKind::Design;
    if (kind == InputKind::Unknown && first != std::string_view::npos) {
        const std::string_view word = head.substr(first, head.find_first_of("(\r\n", first) - first);
        if (shapeFromText(word))
            kind = InputKind::TopologyText;
    }
    return kind;
}

std::optional<TraceName> traceNameOf(std::string_view name)
{
    for (const std::string_view ending : {".et", ".et.gz", ".json"}) {
        if (!name.ends_with(ending))
            continue;
        const std::string_view rest = name.substr(0, name.size() - ending.size());
        const std::size_t dot = rest.rfind('.');
        if (dot == std::string_view::npos || dot == 0)
            continue;
        const std::string_view digits = rest.substr(dot + 1);
        TraceName out{std::string(rest.substr(0, dot)), 0};
        const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out.rank);
        if (code == std::errc() && stop == digits.data() + digits.size() && out.rank >= 0 && (digits.size() == 1 || digits[0] != '0'))
            return out;
    }
    return std::nullopt;
}

} // namespace fabricscope
