#include "core/formats/packet/ns3topology.h"

#include "core/base/placeof.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr const char* kForm = "\"nodes switches links\", the numbers of the switches, then a line per link: two nodes, rate, delay, error rate";

using Words = std::vector<std::string_view>;

Words wordsOf(std::string_view line)
{
    Words words;
    constexpr std::string_view blank = " \t\r,";
    for (std::size_t at = line.find_first_not_of(blank); at != std::string_view::npos; at = line.find_first_not_of(blank, at)) {
        const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

std::optional<std::int64_t> wholeNumber(std::string_view word)
{
    std::int64_t value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    return read.ec == std::errc{} && read.ptr == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// Lines with their words; blank lines and comments (#) are passed over.
class Lines {
public:
    explicit Lines(std::string_view text, const std::stop_token& stop = {})
        : m_stop(stop)
        , m_rest(text)
    {
    }
    /// Throws StopRequested.
    std::optional<Words> next()
    {
        while (!m_rest.empty()) {
            checkStop(m_stop);
            const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
            const Words words = wordsOf(m_rest.substr(0, end));
            m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
            ++m_number;
            if (!words.empty() && words[0][0] != '#')
                return words;
        }
        return std::nullopt;
    }
    int number() const { return m_number; }

private:
    std::stop_token m_stop;
    std::string_view m_rest;
    int m_number = 0;
};

struct Header {
    std::int64_t nodes = 0;
    std::int64_t switches = 0;
    std::int64_t links = 0;
};

/// Three numbers; or SimAI's five and the type of the GPU.
std::optional<Header> headerOf(const Words& words)
{
    std::vector<std::int64_t> numbers;
    for (const std::string_view word : words) {
        if (const auto value = wholeNumber(word))
            numbers.push_back(*value);
        else
            break;
    }
    if (words.size() == 3 && numbers.size() == 3)
        return Header{numbers[0], numbers[1], numbers[2]};
    if (words.size() == 6 && numbers.size() >= 5 && numbers[2] >= 0 && numbers[2] <= kMaxNpus && numbers[3] >= 0 && numbers[3] <= kMaxNpus)
        return Header{numbers[0], numbers[2] + numbers[3], numbers[4]};
    return std::nullopt;
}

struct Line {
    std::int32_t from = 0;
    std::int32_t to = 0;
    Quantity rate;
    Quantity delay;
};

struct Failure {
    Error error;
};

class Reader {
public:
    Reader(const std::string& text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
        : m_stop(stop)
        , m_lines(text, stop)
        , m_file(file)
        , m_diagnostics(diagnostics)
    {
    }

    PlatformSpec read()
    {
        readHeader();
        readSwitches();
        readLinks();
        PlatformSpec spec;
        addNodes(spec);
        addLinks(spec);
        spec.source = "ns-3 topology file";
        for (const std::string& line : m_assumed)
            spec.source += (&line == &m_assumed.front() ? "; assumed: " : "; ") + line;
        if (auto platform = Platform::create(spec, m_stop); !platform) {
            checkStop(m_stop);
            Error error = std::move(platform).error();
            error.message = "the file describes no platform that can be simulated: " + error.message;
            error.place = place(0);
            throw Failure{std::move(error)};
        }
        return spec;
    }

private:
    Place place(int line, std::string field = {}) const
    {
        Place place = placeOfLine(m_file, line);
        place.field = std::move(field);
        return place;
    }
    [[noreturn]] void refuse(std::string field, std::string message, std::string expected) const
    {
        throw Failure{invalidInput(std::move(message), place(m_lines.number(), std::move(field)), std::move(expected))};
    }

    void assume(const std::string& line)
    {
        m_assumed.push_back(line);
        m_diagnostics.push_back(warning("assumed", line, place(0)));
    }

    void readHeader()
    {
        const auto words = m_lines.next();
        const auto header = words ? headerOf(*words) : std::nullopt;
        if (!header)
            refuse("", "no topology file of ns-3", kForm);
        m_header = *header;
        if (m_header.nodes < 1 || m_header.nodes > 2 * kMaxNpus)
            refuse("nodes", std::to_string(m_header.nodes) + " nodes", "1 to " + std::to_string(2 * kMaxNpus));
        if (m_header.switches < 0 || m_header.switches >= m_header.nodes)
            refuse("switches", std::to_string(m_header.switches) + " switches of " + std::to_string(m_header.nodes) + " nodes", "fewer switches than nodes");
        if (m_header.links < 0)
            refuse("links", std::to_string(m_header.links) + " links", "0 or more");
    }

    std::int32_t nodeOf(std::string_view word, const char* field) const
    {
        const auto number = wholeNumber(word);
        if (!number || *number < 0 || *number >= m_header.nodes)
            refuse(field, quotedText(word) + " is no node", "0 to " + std::to_string(m_header.nodes - 1));
        return static_cast<std::int32_t>(*number);
    }

    void readSwitches()
    {
        m_isSwitch.assign(static_cast<std::size_t>(m_header.nodes), false);
        for (std::int64_t found = 0; found < m_header.switches;) {
            const auto words = m_lines.next();
            if (!words)
                refuse("switches", "the file ends after " + std::to_string(found) + " of " + std::to_string(m_header.switches) + " switches", kForm);
            for (const std::string_view word : *words) {
                checkStop(m_stop);
                const auto node = static_cast<std::size_t>(nodeOf(word, "switches"));
                if (found == m_header.switches)
                    refuse("switches", "more than the " + std::to_string(m_header.switches) + " switches of the first line", "as many numbers as there are switches");
                if (m_isSwitch[node])
                    refuse("switches", "switch " + std::to_string(node) + " stands twice", "each switch once");
                m_isSwitch[node] = true;
                ++found;
            }
        }
    }

    /// ns-3 writes bits as "bps" and "b/s", bytes as "Bps" and "B/s".
    Quantity rateOf(std::string_view word) const
    {
        std::string text(word);
        if (text.ends_with("Bps"))
            text.replace(text.size() - 2, 2, "/s");
        else if (text.ends_with("bps"))
            text.replace(text.size() - 3, 3, "bit/s");
        else if (text.ends_with("b/s") && !text.ends_with("bb/s"))
            text.replace(text.size() - 3, 3, "bit/s");
        if (wholeNumber(text))
            text += " bit/s"; // as ns-3 takes a bare number
        auto rate = parseQuantity(text, Measure::Bandwidth);
        if (!rate || !(rate.value().value > 0))
            refuse("rate", quotedText(word) + " is no rate", "a rate above 0 such as 400Gbps or 50GB/s");
        return std::move(rate).value();
    }

    Quantity delayOf(std::string_view word) const
    {
        double seconds = 0;
        const auto bare = std::from_chars(word.data(), word.data() + word.size(), seconds);
        const std::string text = bare.ec == std::errc{} && bare.ptr == word.data() + word.size() ? std::string(word) + " s" : std::string(word);
        auto delay = parseQuantity(text, Measure::Time);
        if (!delay)
            refuse("delay", quotedText(word) + " is no delay", "a time such as 0.0005ms or 500ns");
        return std::move(delay).value();
    }

    void readLinks()
    {
        bool lossy = false;
        for (auto words = m_lines.next(); words; words = m_lines.next()) {
            if (static_cast<std::int64_t>(m_links.size()) == m_header.links) {
                m_diagnostics.push_back(warning("surplus-lines", "lines behind the " + std::to_string(m_header.links) + " links of the first line are left out, as ns-3 does", place(m_lines.number())));
                break;
            }
            if (words->size() < 4 || words->size() > 6)
                refuse("", std::to_string(words->size()) + " words in the line of a link", "two nodes, rate, delay and error rate");
            Line line{nodeOf((*words)[0], "from"), nodeOf((*words)[1], "to"), rateOf((*words)[2]), delayOf((*words)[3])};
            if (line.from == line.to)
                refuse("to", "the link ends where it starts", "another node");
            lossy = lossy || (words->size() > 4 && (*words)[4].find_first_of("123456789") != std::string_view::npos);
            m_links.push_back(std::move(line));
        }
        if (static_cast<std::int64_t>(m_links.size()) < m_header.links)
            refuse("links", "the file ends after " + std::to_string(m_links.size()) + " of " + std::to_string(m_header.links) + " links", "as many lines as the first line says");
        if (lossy)
            assume("the last word of a link (its error rate, or a weight) is not used: nothing is lost");
    }

    void addNodes(PlatformSpec& spec)
    {
        m_number.resize(m_isSwitch.size());
        for (const bool switches : {false, true}) {
            for (std::size_t node = 0; node < m_isSwitch.size(); ++node) {
                checkStop(m_stop);
                if (m_isSwitch[node] != switches)
                    continue;
                m_number[node] = static_cast<NodeId>(spec.nodes.size());
                spec.nodes.push_back({(switches ? "switch" : "npu") + std::to_string(node), switches ? NodeKind::Switch : NodeKind::Npu, {}});
            }
        }
    }

    /// Has every line one that leads back with the same figures?
    bool mirrored() const
    {
        using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>;
        std::multiset<Key> forward;
        std::multiset<Key> backward;
        for (const Line& line : m_links) {
            checkStop(m_stop);
            const std::int64_t rate = toBandwidth(line.rate).bytesPerSecond;
            const std::int64_t delay = toSimTime(line.delay).ps;
            forward.insert({line.from, line.to, rate, delay});
            backward.insert({line.to, line.from, rate, delay});
        }
        return !m_links.empty() && forward == backward;
    }

    void addLinks(PlatformSpec& spec)
    {
        const bool oneWay = mirrored();
        if (oneWay)
            assume("every line has its mirror image: each is a link one way");
        std::map<std::pair<NodeId, NodeId>, std::size_t> known;
        std::vector<ExplicitLink> links;
        bool merged = false;
        const auto add = [&](std::int32_t from, std::int32_t to, const Line& line) {
            const std::pair ends{m_number[static_cast<std::size_t>(from)], m_number[static_cast<std::size_t>(to)]};
            const auto [place, isNew] = known.emplace(ends, links.size());
            if (isNew) {
                links.push_back({ends.first, ends.second, line.rate, line.delay});
                return;
            }
            merged = true;
            ExplicitLink& link = links[place->second];
            // In double, as sums may leave the integers: what is too much is for the platform to say.
            const double sum = static_cast<double>(toBandwidth(link.bandwidth).bytesPerSecond) + static_cast<double>(toBandwidth(line.rate).bytesPerSecond);
            link.bandwidth = {sum / 1e9, "GB/s", Measure::Bandwidth};
            if (toSimTime(link.latency) < toSimTime(line.delay))
                link.latency = line.delay;
        };
        for (const Line& line : m_links) {
            checkStop(m_stop);
            add(line.from, line.to, line);
            if (!oneWay)
                add(line.to, line.from, line);
        }
        spec.links = LinkList(links);
        if (merged)
            assume("several links between two nodes count as one of their sum, with the longest delay");
    }

    const std::stop_token& m_stop;
    Lines m_lines;
    const std::string& m_file;
    Diagnostics& m_diagnostics;
    Header m_header;
    std::vector<bool> m_isSwitch;
    std::vector<NodeId> m_number;
    std::vector<Line> m_links;
    std::vector<std::string> m_assumed;
};

/// The path behind TOPOLOGY_FILE of a configuration; nothing when the text is none.
std::optional<std::string> namedTopology(std::string_view text, int& line, const std::stop_token& stop = {})
{
    Lines lines(text, stop);
    while (const auto words = lines.next()) {
        if ((*words)[0] == "TOPOLOGY_FILE") {
            line = lines.number();
            return words->size() > 1 ? std::string((*words)[1]) : std::string();
        }
    }
    return std::nullopt;
}

} // namespace

bool looksLikeNs3Topology(std::string_view head)
{
    Lines lines(head);
    const auto first = lines.next();
    if (!first)
        return false;
    if (const auto header = headerOf(*first)) {
        // A table of numbers looks alike up to the first link: the rate tells.
        std::int64_t numbers = 0;
        for (auto words = lines.next(); words; words = lines.next()) {
            if (numbers >= header->switches)
                return words->size() >= 4 && wholeNumber((*words)[0]) && wholeNumber((*words)[1]) && (words->at(2).ends_with("ps") || words->at(2).ends_with("/s"));
            numbers += static_cast<std::int64_t>(words->size());
        }
        return numbers > 0 || header->links == 0;
    }
    int line = 0;
    const bool word = std::all_of(first->front().begin(), first->front().end(), [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
    return word && namedTopology(head, line).has_value();
}

Result<PlatformSpec> readNs3Topology(const std::string& text, const std::string& file, Diagnostics& diagnostics, std::vector<std::string>* files,
                                      const std::stop_token& stop)
{
    try {
        int line = 0;
        std::optional<std::string> named;
        Lines lines(text, stop);
        if (const auto first = lines.next(); first && !headerOf(*first))
            named = namedTopology(text, line, stop);
        if (!named)
            return Reader(text, file, diagnostics, stop).read();
        const std::filesystem::path path = std::filesystem::path(file).parent_path() / *named;
        auto read = readTextFile(path.string(), kMaxBytes);
        if (!read) {
            Error error = std::move(read).error();
            error.expected = "the file that " + file + ", line " + std::to_string(line) + " names as TOPOLOGY_FILE, as seen from its folder; or open the topology file itself";
            return error;
        }
        if (files)
            files->push_back(path.string());
        const std::string name = path.string();
        return Reader(read.value(), name, diagnostics, stop).read();
    } catch (Failure& failure) {
        return std::move(failure.error);
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

} // namespace fabricscope
