#include "core/formats/packet/htsimtopology.h"

#include "core/base/placeof.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int64_t kMaxLinks = std::int64_t{1} << 24;
constexpr std::int64_t kMostUnknown = 100; ///< Warnings of unknown keys: nobody reads more, and millions would take many times the memory of the file.

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

struct Tier {
    std::int64_t gigabits = 0;
    std::int64_t latencyNs = -1;
    std::int64_t switchNs = 0;
    std::int64_t down = 0;
    std::int64_t up = 0;
    std::int64_t bundle = 1;
    std::int64_t oversubscribed = 1;
    int line = 0; ///< Of "Tier N"; 0: not in the file.
};

struct Key {
    std::string_view word;
    std::int64_t Tier::* member;
    std::int64_t least;
    std::int64_t most;
};
constexpr std::array<Key, 7> kKeys{{
    {"downlink_speed_gbps", &Tier::gigabits, 1, 1'000'000},
    {"downlink_latency_ns", &Tier::latencyNs, 0, 1'000'000'000},
    {"switch_latency_ns", &Tier::switchNs, 0, 1'000'000'000},
    {"radix_down", &Tier::down, 1, kMaxNpus},
    {"radix_up", &Tier::up, 1, kMaxNpus},
    {"bundle", &Tier::bundle, 1, 4096},
    {"oversubscribed", &Tier::oversubscribed, 1, 4096},
}};

struct Failure {
    Error error;
};

class Reader {
public:
    Reader(const std::string& text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
        : m_stop(stop)
        , m_text(text)
        , m_file(file)
        , m_diagnostics(diagnostics)
    {
    }

    PlatformSpec read()
    {
        readLines();
        check();
        PlatformSpec spec;
        build(spec);
        if (auto platform = Platform::create(spec, m_stop); !platform) {
            checkStop(m_stop);
            Error error = std::move(platform).error();
            error.message = "the file describes no platform that can be simulated: " + error.message;
            error.place = place(0, {});
            throw Failure{std::move(error)};
        }
        return spec;
    }

private:
    Place place(int line, std::string field) const
    {
        Place place = placeOfLine(m_file, line);
        place.field = std::move(field);
        return place;
    }
    [[noreturn]] void refuse(int line, std::string field, std::string message, std::string expected) const
    {
        throw Failure{invalidInput(std::move(message), place(line, std::move(field)), std::move(expected))};
    }

    std::int64_t number(int line, const std::string& key, std::string_view word, std::int64_t least, std::int64_t most) const
    {
        std::int64_t value = 0;
        const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
        if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || value < least || value > most)
            refuse(line, key, word.empty() ? "the value is missing" : quotedText(word) + " is not a value for it",
                   "a whole number, " + std::to_string(least) + " to " + std::to_string(most));
        return value;
    }

    void readLines()
    {
        int line = 0;
        int tier = -1;
        std::int64_t unknown = 0;
        std::set<std::string> seen;
        for (std::size_t at = 0; at < m_text.size();) {
            checkStop(m_stop);
            const std::size_t end = std::min(m_text.find('\n', at), m_text.size());
            const std::string_view text = std::string_view(m_text).substr(at, end - at);
            at = end + 1;
            ++line;
            constexpr std::string_view blank = " \t\r";
            const std::size_t first = text.find_first_not_of(blank);
            if (first == std::string_view::npos || text[first] == '#')
                continue;
            const std::size_t wordEnd = std::min(text.find_first_of(blank, first), text.size());
            const std::string key = lowered(text.substr(first, wordEnd - first));
            const std::size_t value = text.find_first_not_of(blank, wordEnd);
            const std::string_view word = value == std::string_view::npos ? std::string_view() : text.substr(value, std::min(text.find_first_of(blank, value), text.size()) - value);
            if (key == "nodes") {
                m_nodes = number(line, key, word, 1, kMaxNpus);
            } else if (key == "tiers") {
                m_tiers = number(line, key, word, 2, 3);
            } else if (key == "podsize") {
                m_podSize = number(line, key, word, 1, kMaxNpus);
            } else if (key == "tier") {
                tier = static_cast<int>(number(line, key, word, 0, 2));
                if (m_tier[static_cast<std::size_t>(tier)].line > 0)
                    refuse(line, key, "tier " + std::to_string(tier) + " stands twice", "each tier once");
                m_tier[static_cast<std::size_t>(tier)].line = line;
                seen.clear();
            } else if (const auto row = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& candidate) { return candidate.word == key; }); row != kKeys.end()) {
                if (tier < 0)
                    refuse(line, key, "it stands before the first tier", "a line \"Tier 0\" before it");
                if (!seen.insert(key).second)
                    refuse(line, key, "it stands twice in tier " + std::to_string(tier), "each key once");
                m_tier[static_cast<std::size_t>(tier)].*row->member = number(line, key, word, row->least, row->most);
            } else if (key == "queue_up" || key == "queue_down") {
                m_queues = true;
            } else if (++unknown <= kMostUnknown) {
                m_diagnostics.push_back(warning("unknown-key", "unknown key is ignored", place(line, shownText(key, kQuotedCharacters))));
            }
        }
        if (unknown > kMostUnknown)
            m_diagnostics.push_back(warning("unknown-key", std::to_string(unknown - kMostUnknown) + " more unknown keys are ignored", place(0, {})));
    }

    /// a / b where that is a whole number above 0.
    std::int64_t whole(std::int64_t a, std::int64_t b, int tier, const std::string& what) const
    {
        if (b <= 0 || a % b != 0 || a / b == 0)
            refuse(m_tier[static_cast<std::size_t>(tier)].line, "tier " + std::to_string(tier), "its figures give no whole number of " + what + " (" + std::to_string(a) + " / " + std::to_string(b) + ")",
                   "Nodes, Podsize, radices, speeds and oversubscription that divide");
        return a / b;
    }

    void check()
    {
        if (m_nodes == 0 || m_tiers == 0 || m_podSize == 0)
            refuse(0, m_nodes == 0 ? "nodes" : m_tiers == 0 ? "tiers" : "podsize", "the line is missing", "Nodes, Tiers and Podsize before the tiers");
        for (std::int64_t i = 0; i < m_tiers; ++i) {
            const Tier& tier = m_tier[static_cast<std::size_t>(i)];
            const std::string name = "tier " + std::to_string(i);
            if (tier.line == 0)
                refuse(0, name, "the tier is missing", "a part \"Tier " + std::to_string(i) + '"');
            const char* missing = tier.gigabits == 0 ? "downlink_speed_gbps" : tier.latencyNs < 0 ? "downlink_latency_ns" : tier.down == 0 ? "radix_down" : nullptr;
            if (missing)
                refuse(tier.line, missing, "it is missing in " + name, "a whole number");
        }
        m_pods = whole(m_nodes, m_podSize, 0, "pods");
        if (m_tiers == 2 && m_pods != 1)
            refuse(m_tier[0].line, "podsize", std::to_string(m_pods) + " pods in two tiers", "a Podsize of all nodes, or three tiers");
        m_leavesPerPod = whole(m_podSize, m_tier[0].down, 0, "leaves in a pod");
        const std::int64_t leafUplinks = whole(m_nodes * m_tier[0].gigabits, m_tier[1].gigabits * m_tier[0].oversubscribed, 0, "uplinks");
        m_middlePerPod = whole(leafUplinks, m_pods * m_tier[1].down, 1, "switches in a pod");
        noteRadix(0, m_middlePerPod * m_tier[1].bundle);
        if (m_tiers == 3) {
            const std::int64_t uplinks = whole(leafUplinks * m_tier[1].gigabits, m_tier[2].gigabits * m_tier[1].oversubscribed, 1, "uplinks");
            m_cores = whole(uplinks, m_tier[2].down, 2, "core switches");
            m_coresPerMiddle = whole(m_cores, m_middlePerPod, 2, "core switches per place in a pod");
            noteRadix(1, m_coresPerMiddle * m_tier[2].bundle);
        }
        const std::int64_t links = m_nodes + m_pods * m_leavesPerPod * m_middlePerPod + m_pods * m_middlePerPod * m_coresPerMiddle;
        if (links > kMaxLinks)
            refuse(0, {}, std::to_string(links) + " links", "at most " + std::to_string(kMaxLinks));
    }

    void noteRadix(std::size_t tier, std::int64_t wired)
    {
        if (m_tier[tier].up != 0 && m_tier[tier].up != wired)
            m_diagnostics.push_back(warning("radix", "Radix_Up is " + std::to_string(m_tier[tier].up) + ", but the speeds, oversubscription and radix above give " + std::to_string(wired) + " uplinks: those are built, as HTSim does",
                                            place(m_tier[tier].line, "radix_up")));
    }

    /// A link each way between a lower node and a switch of tier `tier`; the latency of a switch goes with what leaves it.
    void join(PlatformSpec& spec, NodeId lower, std::size_t tier, NodeId upper) const
    {
        checkStop(m_stop);
        const Tier& above = m_tier[tier];
        const std::int64_t lowerSwitch = tier > 0 ? m_tier[tier - 1].switchNs : 0;
        const Quantity rate{static_cast<double>(above.gigabits * above.bundle), "Gbit/s", Measure::Bandwidth};
        const auto latency = [&](std::int64_t switchNs) { return Quantity{static_cast<double>(above.latencyNs + switchNs), "ns", Measure::Time}; };
        spec.links.push_back({lower, upper, rate, latency(lowerSwitch)});
        spec.links.push_back({upper, lower, rate, latency(above.switchNs)});
    }

    void build(PlatformSpec& spec)
    {
        const auto add = [&](const char* name, std::int64_t count, NodeKind kind) {
            const auto first = static_cast<NodeId>(spec.nodes.size());
            for (std::int64_t i = 0; i < count; ++i) {
                checkStop(m_stop);
                spec.nodes.push_back({name + std::to_string(i), kind, {}});
            }
            return first;
        };
        const auto at = [](NodeId first, std::int64_t number) { return static_cast<NodeId>(first + number); };
        const std::int64_t leaves = m_pods * m_leavesPerPod;
        const NodeId hosts = add("host", m_nodes, NodeKind::Npu);
        const NodeId leaf = add("leaf", leaves, NodeKind::Switch);
        const NodeId middle = add(m_tiers == 2 ? "spine" : "aggregation", m_pods * m_middlePerPod, NodeKind::Switch);
        const NodeId core = add("core", m_cores, NodeKind::Switch);
        for (std::int64_t host = 0; host < m_nodes; ++host)
            join(spec, at(hosts, host), 0, at(leaf, host / m_tier[0].down));
        for (std::int64_t i = 0; i < leaves; ++i) {
            for (std::int64_t j = 0; j < m_middlePerPod; ++j)
                join(spec, at(leaf, i), 1, at(middle, i / m_leavesPerPod * m_middlePerPod + j));
        }
        for (std::int64_t i = 0; i < m_pods * m_middlePerPod && m_tiers == 3; ++i) {
            for (std::int64_t j = 0; j < m_coresPerMiddle; ++j)
                join(spec, at(middle, i), 2, at(core, i % m_middlePerPod + m_middlePerPod * j));
        }
        spec.source = "HTSim topology file";
        const auto assume = [&](const char* line) {
            spec.source += std::string(spec.source.find(';') == std::string::npos ? "; assumed: " : "; ") + line;
            m_diagnostics.push_back(warning("assumed", line, place(0, {})));
        };
        if (std::any_of(m_tier.begin(), m_tier.end(), [](const Tier& tier) { return tier.bundle > 1; }))
            assume("the links of a bundle count as one of their sum");
        if (std::any_of(m_tier.begin(), m_tier.end(), [](const Tier& tier) { return tier.switchNs > 0; }))
            assume("the latency of a switch is part of the links that leave it");
        if (m_queues)
            assume("queue sizes are not used: nothing is lost");
    }

    const std::stop_token& m_stop;
    const std::string& m_text;
    const std::string& m_file;
    Diagnostics& m_diagnostics;
    std::int64_t m_nodes = 0;
    std::int64_t m_tiers = 0;
    std::int64_t m_podSize = 0;
    std::int64_t m_pods = 0;
    std::int64_t m_leavesPerPod = 0;
    std::int64_t m_middlePerPod = 0;
    std::int64_t m_cores = 0;
    std::int64_t m_coresPerMiddle = 0;
    std::array<Tier, 3> m_tier;
    bool m_queues = false;
};

} // namespace

bool looksLikeHtsimTopology(std::string_view head)
{
    const std::string text = '\n' + lowered(head);
    const auto has = [&](const char* line) { return text.find(line) != std::string::npos; };
    return has("\nnodes ") && has("\ntiers ") && (has("\npodsize ") || has("\ntier "));
}

Result<PlatformSpec> readHtsimTopology(const std::string& text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
{
    try {
        return Reader(text, file, diagnostics, stop).read();
    } catch (Failure& failure) {
        return std::move(failure.error);
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

} // namespace fabricscope
