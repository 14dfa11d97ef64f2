#include "core/formats/astra/networkfile.h"

#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/base/files/textfile.h"
#include "core/formats/packet/ns3topology.h"
#include "core/yaml/cost.h"
#include "core/yaml/markplace.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <new>
#include <set>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 4> kKeys{"topology", "npus_count", "bandwidth", "latency"};
constexpr std::array<std::string_view, 3> kShapes{"Ring", "FullyConnected", "Switch"};
constexpr std::size_t kMaxDimensions = 64;
constexpr double kMaxLatencyNs = 1e11; // as Platform::create
// The YAML library needs several hundred bytes per byte of text; a network file is a few hundred bytes long.
constexpr std::size_t kMaxNetworkBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxTopologyBytes = std::size_t{64} << 20;

std::string quoted(const std::string& text)
{
    return quotedText(text);
}

/// A number of one list entry; the words YAML has for what is none are named.
Result<double> readNumber(const std::string& text, const Place& place, const char* expected)
{
    for (const char* word : {".inf", "+.inf", ".Inf", ".INF", "inf", "-.inf", "Infinity"}) {
        if (text == word)
            return invalidInput("infinite value", place, expected);
    }
    for (const char* word : {".nan", ".NaN", ".NAN", "nan", "NaN"}) {
        if (text == word)
            return invalidInput("not a number (NaN)", place, expected);
    }
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    double value = 0;
    const auto result = std::from_chars(begin, end, value);
    if (result.ec == std::errc::result_out_of_range)
        return invalidInput(quoted(text) + " is too large or too small a number", place, expected);
    if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(value))
        return invalidInput(quoted(text) + " is not a number", place, expected);
    return value;
}

class NetworkReader {
public:
    NetworkReader(const std::string& file, Diagnostics& diagnostics, std::vector<std::string>* files, const std::stop_token& stop)
        : m_file(file)
        , m_diagnostics(diagnostics)
        , m_files(files)
        , m_stop(stop)
    {
    }

    Result<PlatformSpec> read(const YAML::Node& root)
    {
        if (!root.IsMap())
            return invalidInput("not a network file", placeOf(m_file, root.Mark()), "the keys topology, npus_count, bandwidth and latency");
        const bool custom = isCustom(root["topology"]);
        if (auto status = checkKeys(root, custom); !status)
            return std::move(status).error();
        if (custom)
            return readCustom(root);
        for (const std::string_view key : kKeys) {
            if (!root[std::string(key)])
                return invalidInput("the key is missing", placeOf(m_file, YAML::Mark::null_mark(), std::string(key)), "a list with one entry per dimension");
        }
        const YAML::Node topology = root["topology"];
        PlatformSpec spec;
        for (const std::string_view key : kKeys) {
            const YAML::Node list = root[std::string(key)];
            const Place place = placeOf(m_file, list.Mark(), std::string(key));
            if (!list.IsSequence())
                return invalidInput("not a list", place, "a list with one entry per dimension, such as [ Ring ] or [ 8 ]");
            if (list.size() == 0 || list.size() > kMaxDimensions)
                return invalidInput(std::to_string(list.size()) + " entries", place, "1 to 64 dimensions");
            if (list.size() != topology.size()) {
                return invalidInput(std::to_string(list.size()) + " entries, but topology has " + std::to_string(topology.size()), place,
                                    "lists of equal length");
            }
            spec.dimensions.resize(list.size());
            for (std::size_t i = 0; i < list.size(); ++i) {
                const std::string field = std::string(key) + '[' + std::to_string(i) + ']';
                if (auto status = readEntry(key, list[i], placeOf(m_file, list[i].Mark(), field), spec.dimensions[i]); !status)
                    return std::move(status).error();
            }
        }
        auto platform = Platform::create(spec);
        if (!platform)
            return invalidInput(platform.error().message, placeOf(m_file, root["npus_count"].Mark(), "npus_count"), platform.error().expected);
        return spec;
    }

private:
    static bool isCustom(const YAML::Node& topology)
    {
        if (!topology.IsDefined() || topology.IsNull())
            return false;
        const YAML::Node first = topology.IsSequence() ? topology[0] : topology;
        return first.IsDefined() && first.IsScalar() && first.Scalar() == "Custom";
    }

    /// A graph in a file of its own, in the form of ns-3.
    Result<PlatformSpec> readCustom(const YAML::Node& root)
    {
        const YAML::Node topology = root["topology"];
        if (topology.IsSequence() && topology.size() != 1)
            return invalidInput("a custom topology beside other dimensions", placeOf(m_file, topology.Mark(), "topology"), "[ Custom ] alone");
        const YAML::Node named = root["topology_file"];
        if (!named || !named.IsScalar() || named.Scalar().empty())
            return invalidInput("a custom topology needs the file of its nodes and links", placeOf(m_file, named ? named.Mark() : topology.Mark(), "topology_file"), "topology_file: \"topology.txt\"");
        const std::string path = (std::filesystem::path(m_file).parent_path() / named.Scalar()).string();
        auto text = readTextFile(path, kMaxTopologyBytes);
        if (!text)
            return std::move(text).error();
        if (m_files)
            m_files->push_back(path);
        auto spec = readNs3Topology(text.value(), path, m_diagnostics, m_files, m_stop);
        const YAML::Node count = root["npus_count"];
        if (!spec || !count)
            return spec;
        const YAML::Node one = count.IsSequence() ? count[0] : count;
        const std::int64_t npus = spec.value().nodes.count(NodeKind::Npu);
        if (!one || !one.IsScalar() || (count.IsSequence() && count.size() != 1) || one.Scalar() != std::to_string(npus))
            return invalidInput("the topology file has " + std::to_string(npus) + " NPUs", placeOf(m_file, count.Mark(), "npus_count"), "[ " + std::to_string(npus) + " ], or no npus_count");
        return spec;
    }

    Status checkKeys(const YAML::Node& root, bool custom)
    {
        constexpr int kMost = 100; // Nobody reads more.
        int unknown = 0;
        std::set<std::string> seen;
        for (const auto& entry : root) {
            if (!entry.first.IsScalar())
                return invalidInput("a key that is not a word", placeOf(m_file, entry.first.Mark()));
            const std::string& key = entry.first.Scalar();
            const Place place = placeOf(m_file, entry.first.Mark(), shownText(key, kQuotedCharacters));
            if (!seen.insert(key).second)
                return invalidInput("the key stands twice", place, "each key once");
            const bool known = std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
            if (custom && (key == "bandwidth" || key == "latency"))
                m_diagnostics.push_back(warning("unused-key", "not used: the links of the topology file have their own figures", place));
            else if (!known && !(custom && key == "topology_file") && ++unknown <= kMost)
                m_diagnostics.push_back(warning("unknown-key", "unknown key is ignored" + didYouMean(key, kKeys), place));
        }
        return {};
    }

    Status readEntry(std::string_view key, const YAML::Node& node, const Place& place, Dimension& dimension)
    {
        if (!node.IsScalar())
            return invalidInput("not a single value", place, key == "topology" ? "Ring, FullyConnected or Switch" : "a number");
        const std::string& text = node.Scalar();
        if (key == "topology")
            return readShape(text, place, dimension);
        if (key == "npus_count")
            return readSize(text, place, dimension);
        const bool isBandwidth = key == "bandwidth";
        const char* expected = isBandwidth ? "a number of GB/s above 0" : "a number of ns, 0 to 1e11";
        auto number = readNumber(text, place, expected);
        if (!number)
            return std::move(number).error();
        const double value = number.value();
        if (isBandwidth ? value <= 0 : value < 0)
            return invalidInput("the " + std::string(key) + " is " + shownText(text, kQuotedCharacters), place, expected);
        Quantity& target = isBandwidth ? dimension.bandwidth : dimension.latency;
        target = isBandwidth ? astraBandwidth(value) : astraLatency(value);
        // The text form knows whether the value fits the integers of a run.
        if (!parseQuantity(target.text(), target.measure) || (!isBandwidth && value > kMaxLatencyNs))
            return invalidInput(shownText(text, kQuotedCharacters) + " is too large", place, expected);
        return {};
    }

    Status readShape(const std::string& text, const Place& place, Dimension& dimension)
    {
        for (const Shape shape : {Shape::Ring, Shape::FullyConnected, Shape::Switch}) {
            if (text == shapeName(shape)) {
                dimension.shape = shape;
                return {};
            }
        }
        return invalidInput(quoted(text) + " is not a topology" + didYouMean(text, kShapes), place, "Ring, FullyConnected or Switch, in this spelling");
    }

    Status readSize(const std::string& text, const Place& place, Dimension& dimension)
    {
        constexpr const char* kExpected = "a whole number, 2 to 1048576";
        if (text.size() > 1 && text.front() == '0')
            return invalidInput(quoted(text) + " is not a decimal number", place, kExpected);
        const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
        const char* end = text.data() + text.size();
        std::int64_t size = 0;
        const auto result = std::from_chars(begin, end, size);
        if (result.ec == std::errc::result_out_of_range)
            return invalidInput(quoted(text) + " is too large", place, kExpected);
        if (result.ec != std::errc{} || result.ptr != end)
            return invalidInput(quoted(text) + " is not a whole number", place, kExpected);
        if (size < 1 || size > kMaxNpus)
            return invalidInput(shownText(text, kQuotedCharacters) + " NPUs in a dimension", place, kExpected);
        if (size == 1)
            m_diagnostics.push_back(warning("size-one", "a dimension of one NPU: it has no links here; ASTRA-sim refuses the file", place));
        dimension.size = static_cast<std::int32_t>(size);
        return {};
    }

    const std::string& m_file;
    Diagnostics& m_diagnostics;
    std::vector<std::string>* m_files;
    const std::stop_token& m_stop;
};

} // namespace

Result<PlatformSpec> readAstraNetwork(const std::string& text, const std::string& file, Diagnostics& diagnostics, std::vector<std::string>* files,
                                       const std::stop_token& stop)
{
    if (text.size() > kMaxNetworkBytes)
        return invalidInput(std::to_string(text.size()) + " bytes of text", placeOf(file, YAML::Mark::null_mark()), "at most 1 MiB");
    if (Status cost = checkYamlLoad(text, file); !cost)
        return std::move(cost).error();
    try {
        return NetworkReader(file, diagnostics, files, stop).read(YAML::Load(text));
    } catch (const YAML::Exception& error) {
        return invalidInput("not valid YAML: " + error.msg, placeOf(file, error.mark));
    } catch (const std::bad_alloc&) {
        throw; // Not the fault of the text.
    } catch (const std::exception& error) {
        return invalidInput(std::string("not valid YAML: ") + error.what(), placeOf(file, YAML::Mark::null_mark()));
    }
}

} // namespace fabricscope
