#include "core/formats/astra/systemfile.h"

#include "core/base/nearestword.h"
#include "core/base/placeof.h"
#include "core/base/showntext.h"
#include "core/base/files/textfile.h"
#include "core/yaml/cost.h"
#include "core/yaml/markplace.h"
#include "core/formats/jsonfields.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <new>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, kAstraCollectives> kCollectives{"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
constexpr std::array<std::string_view, 8> kAlgorithms{"ring", "oneRing", "direct", "oneDirect", "halvingDoubling", "oneHalvingDoubling",
                                                      "doubleBinaryTree", "direct4"};
constexpr const char* kAlgorithmText =
    "ring, oneRing, direct, oneDirect (both may end in a window, such as direct4), halvingDoubling, oneHalvingDoubling or doubleBinaryTree";
constexpr std::array<std::string_view, 3> kScheduling{"LIFO", "FIFO", "EXPLICIT"};
constexpr std::array<std::string_view, 2> kOptimizations{"baseline", "localBWAware"};
constexpr std::array<std::string_view, 4> kDead{"boost-mode", "intra-dimension-scheduling", "inter-dimension-scheduling", "direct-collective-window"};
constexpr std::array<std::string_view, 5> kBusOnly{"local-reduction-delay", "L", "o", "g", "G"};
constexpr std::array<std::string_view, 2> kLogs{"trace-enabled", "local-mem-trace-filename"};
constexpr std::array<std::string_view, 31> kKeys{"scheduling-policy", "collective-optimization", "all-reduce-implementation",
                                                 "all-gather-implementation", "reduce-scatter-implementation", "all-to-all-implementation",
                                                 "all-reduce-implementation-custom", "all-gather-implementation-custom",
                                                 "reduce-scatter-implementation-custom", "all-to-all-implementation-custom",
                                                 "per-node-custom-implementation", "preferred-dataset-splits", "active-chunks-per-dimension",
                                                 "endpoint-delay", "local-mem-bw", "peak-perf", "roofline-enabled", "replay-only", "trace-enabled",
                                                 "track-local-mem", "local-mem-trace-filename", "local-reduction-delay", "model-shared-bus", "L", "o",
                                                 "g", "G", "boost-mode", "intra-dimension-scheduling", "inter-dimension-scheduling",
                                                 "direct-collective-window"};
constexpr std::size_t kMaxDimensions = 64;
constexpr std::int64_t kMaxDelayNs = 100'000'000'000; // 100 s

void readImplementations(JsonFields& fields, std::size_t collective, AstraSystem& system)
{
    const std::string key = std::string(kCollectives[collective]) + "-implementation";
    if (const auto* list = fields.value(key)) {
        if (!list->is_array() || list->empty() || list->size() > kMaxDimensions) {
            fields.refuse(key, list->is_string() ? "a text, which ASTRA-sim no longer accepts" : "not a list of 1 to 64 names",
                          "a list with one name per dimension, such as [\"ring\", \"direct\"]");
            return;
        }
        for (const nlohmann::json& entry : *list) {
            const auto algorithm = entry.is_string() ? astraAlgorithm(entry.get_ref<const std::string&>()) : std::nullopt;
            if (!algorithm) {
                const std::string text = entry.is_string() ? shownText(entry.get<std::string>(), kQuotedCharacters) : std::string(entry.type_name());
                fields.refuse(key, '"' + text + "\" is not an algorithm" + didYouMean(text, kAlgorithms), kAlgorithmText);
                return;
            }
            system.implementations[collective].push_back(*algorithm);
            if (algorithm->one && list->size() > system.implementations[collective].size()) {
                fields.warn(key, "after-one", "the names after \"" + entry.get<std::string>() + "\" have no effect");
                break;
            }
        }
    }
    const std::string customKey = key + "-custom";
    if (const auto* list = fields.value(customKey)) {
        if (!list->is_array() || list->size() != 1 || !list->front().is_string() || list->front().get_ref<const std::string&>().empty()) {
            fields.refuse(customKey, "not a list of one path", "a list of exactly one path prefix, such as [\"algorithm/all_reduce\"]");
            return;
        }
        system.custom[collective] = list->front().get<std::string>();
    }
}

/// The YAML map "node id: path prefix".
Status readPerNodeFile(const std::string& path, std::map<std::uint64_t, std::string>& out)
{
    auto text = readTextFile(path);
    if (!text)
        return std::move(text).error();
    Place place = placeOfFile(path);
    const char* expected = "a map from node id to path prefix, such as \"5: algorithm/all_reduce\"";
    if (Status cost = checkYamlLoad(text.value(), path); !cost)
        return cost;
    try {
        const YAML::Node root = YAML::Load(text.value());
        if (!root.IsMap())
            return invalidInput("not a map", place, expected);
        for (const auto& entry : root) {
            place = placeOf(path, entry.first.Mark());
            std::uint64_t id = 0;
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string{};
            const auto parsed = std::from_chars(key.data(), key.data() + key.size(), id);
            if (key.empty() || parsed.ec != std::errc{} || parsed.ptr != key.data() + key.size())
                return invalidInput(quotedText(key) + " is not a node id", place, expected);
            if (!entry.second.IsScalar() || entry.second.Scalar().empty())
                return invalidInput("node " + key + " has no path", place, expected);
            if (!out.emplace(id, entry.second.Scalar()).second)
                return invalidInput("node " + key + " stands twice", place, "each node once");
        }
    } catch (const YAML::Exception& error) {
        return invalidInput("not valid YAML: " + error.msg, placeOf(path, error.mark), expected);
    } catch (const std::bad_alloc&) {
        throw; // Not the fault of the text.
    } catch (const std::exception& error) {
        return invalidInput(std::string("not valid YAML: ") + error.what(), place, expected);
    }
    return {};
}

void readNumbers(JsonFields& fields, AstraSystem& system)
{
    system.splits = fields.integer("preferred-dataset-splits", 0, 0);
    if (fields.has("preferred-dataset-splits") && system.splits == 0)
        fields.warn("preferred-dataset-splits", "no-splits", "0 counts as absent: collectives are refused (ASTRA-sim crashes)");
    system.activeChunks = fields.integer("active-chunks-per-dimension", 1, 1);
    system.endpointDelayGiven = fields.has("endpoint-delay");
    system.endpointDelayNs = fields.integer("endpoint-delay", 10, 0, kMaxDelayNs);
    if (system.endpointDelayGiven && system.endpointDelayNs == 0)
        fields.warn("endpoint-delay", "no-endpoint-delay", "ASTRA-sim stops with an assertion when endpoint-delay is 0");
    system.localMemoryGBps = fields.number("local-mem-bw", 0, 0);
    system.peakTflops = fields.number("peak-perf", 0, 0);
    system.roofline = fields.flag("roofline-enabled");
    system.replayOnly = fields.flag("replay-only");
    system.trackLocalMemory = fields.flag("track-local-mem");
    for (const char* key : {"peak-perf", "local-mem-bw"}) {
        if (system.roofline && (std::string_view(key) == "peak-perf" ? system.peakTflops : system.localMemoryGBps) == 0)
            fields.refuse(key, "roofline-enabled is on, but this is missing or 0", "a number above 0");
    }
    if (fields.flag("model-shared-bus"))
        fields.refuse("model-shared-bus", "not supported: the shared memory bus model", "0, or the key left out", ErrorCode::Unsupported);
}

} // namespace

std::optional<AstraAlgorithm> astraAlgorithm(std::string_view word)
{
    struct Row {
        std::string_view name;
        AstraAlgorithm algorithm;
    };
    static constexpr std::array<Row, 7> kRows{{{"ring", {Algorithm::Ring, false, -1}}, {"oneRing", {Algorithm::Ring, true, -1}},
                                               {"direct", {Algorithm::Direct, false, -1}}, {"oneDirect", {Algorithm::Direct, true, -1}},
                                               {"halvingDoubling", {Algorithm::HalvingDoubling, false, -1}},
                                               {"oneHalvingDoubling", {Algorithm::HalvingDoubling, true, -1}},
                                               {"doubleBinaryTree", {Algorithm::DoubleBinaryTree, false, -1}}}};
    for (const Row& row : kRows) {
        if (word == row.name)
            return row.algorithm;
        if (row.algorithm.algorithm != Algorithm::Direct || !word.starts_with(row.name))
            continue;
        const std::string_view digits = word.substr(row.name.size());
        AstraAlgorithm algorithm = row.algorithm;
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), algorithm.window);
        if (parsed.ec == std::errc{} && parsed.ptr == digits.data() + digits.size() && digits.size() <= 5 && algorithm.window > 0)
            return algorithm;
    }
    return std::nullopt;
}

Result<AstraSystem> readAstraSystem(const std::string& text, const std::string& file, Diagnostics& diagnostics)
{
    auto document = parseJson(text, file);
    if (!document)
        return std::move(document).error();
    JsonFields fields(document.value(), diagnostics);
    AstraSystem system;
    system.file = file;
    system.schedulingPolicy = fields.word("scheduling-policy", kScheduling);
    system.localBandwidthAware = fields.word("collective-optimization", kOptimizations) == "localBWAware";
    for (std::size_t i = 0; i < kAstraCollectives; ++i)
        readImplementations(fields, i, system);
    readNumbers(fields, system);
    const std::string perNode = fields.text("per-node-custom-implementation");
    fields.ignore(kDead, "the key has no effect: ASTRA-sim does not read it");
    fields.ignore(kBusOnly, "the key has no effect without model-shared-bus");
    fields.ignore(kLogs, "the key has no effect here: no log or memory trace file is written");
    fields.warnUnknown(kKeys);
    if (auto status = fields.status(); !status)
        return std::move(status).error();
    if (!perNode.empty()) {
        const auto path = (std::filesystem::path(file).parent_path() / perNode).string();
        if (auto status = readPerNodeFile(path, system.perNodeCustom); !status) {
            Error error = std::move(status).error();
            if (error.code == ErrorCode::NotReadable)
                error.message += ", named by per-node-custom-implementation in " + file;
            return error;
        }
    }
    return system;
}

Result<AstraSystem> loadAstraSystem(const std::string& path, Diagnostics& diagnostics)
{
    auto text = readTextFile(path);
    if (!text)
        return std::move(text).error();
    return readAstraSystem(text.value(), path, diagnostics);
}

} // namespace fabricscope
