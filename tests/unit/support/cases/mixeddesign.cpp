#include "tests/unit/support/cases/mixeddesign.h"

#include "core/base/index.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace fabricscope::test {

namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words, const char* between = ", ")
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : between) + word;
    return text;
}

class Mixer {
public:
    Mixer(std::uint64_t seed, const MixLimits& limits) : m_dice(seed * 0x9E3779B97F4A7C15ULL + 7), m_limits(limits) {}

    std::string run()
    {
        std::string text = "fabricscope: 1\nplatform:\n";
        const std::int64_t kind = between(0, 9);
        text += kind < 6 ? dimensions() : kind < 7 ? unequal() : graph();
        // One draw after the other: within one expression their order would be the compiler's, and the design another.
        for (const auto part : {&Mixer::npu, &Mixer::budgets, &Mixer::overrides, &Mixer::memory, &Mixer::placement})
            text += (this->*part)();
        text += "workload:\n";
        text += m_limits.single ? single() : work();
        for (const auto part : {&Mixer::collectives, &Mixer::model, &Mixer::network, &Mixer::compute, &Mixer::scheduling})
            text += (this->*part)();
        return text;
    }

private:
    // ---- Dice ----

    std::int64_t between(std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(m_dice() % static_cast<std::uint64_t>(high - low + 1)); }
    bool chance(int percent) { return between(0, 99) < percent; }
    std::string number(std::int64_t low, std::int64_t high) { return std::to_string(between(low, high)); }
    std::string oneOf(const Words& words) { return words[at(between(0, static_cast<std::int64_t>(words.size()) - 1))]; }
    std::string rate() { return chance(40) ? std::string("50 GB/s") : number(1, 200) + " GB/s"; }
    std::string latency() { return chance(40) ? std::string("500 ns") : number(0, 3000) + " ns"; }
    std::string size()
    {
        const std::string most[] = {number(1, 40) + " B", number(1, 64) + " KiB", number(1, 900) + " kB", number(1, 4) + " MiB"};
        return most[between(0, 3)];
    }

    // ---- Platform ----

    std::string dimensions()
    {
        Words list;
        const std::int64_t count = between(1, 3);
        for (std::int64_t d = 0; d < count; ++d) {
            const std::int64_t size = between(2, d == 0 ? 5 : 3);
            if (m_npus * size > 16)
                continue;
            const std::string shape = oneOf({"ring", "fully_connected", "switch"});
            const std::string figure = chance(70) ? "bandwidth: " : "npu_bandwidth: ";
            std::string entry = "    - {shape: " + shape + ", size: " + std::to_string(size) + ", " + figure + rate();
            entry += ", latency: " + latency();
            if (shape == "switch" && chance(30)) {
                entry += ", in_network: {reduction: " + rate() + ", latency: 200 ns" + (m_limits.library ? ", shares: true, efficiency: 3/4}" : "}");
                m_offload = true;
            }
            list.push_back(entry + "}");
            m_shapes.push_back(shape);
            m_sizes.push_back(size);
            m_npus *= static_cast<std::int32_t>(size);
        }
        return "  dimensions:\n" + joined(list, "\n") + "\n";
    }

    std::string unequal()
    {
        const std::int64_t a = between(2, 4);
        const std::int64_t b = between(2, 5);
        m_npus = static_cast<std::int32_t>(a + b);
        m_explicit = true; // The text of its links is not that of dimensions.
        const std::string inside = oneOf({"fully_connected", "switch"});
        std::string text = "  dimensions:\n    - {shape: " + inside + ", sizes: [" + std::to_string(a) + ", " + std::to_string(b) + "], bandwidth: " + rate();
        text += ", latency: " + latency();
        text += "}\n    - {shape: switch, size: 2, bandwidth: " + rate();
        text += ", latency: " + latency() + "}\n";
        return text;
    }

    std::string graph()
    {
        m_explicit = m_graph = true;
        m_npus = static_cast<std::int32_t>(between(2, 7));
        const std::int64_t switches = between(0, 3);
        Words nodes;
        Words names;
        for (std::int32_t i = 0; i < m_npus; ++i)
            names.push_back("g" + std::to_string(i));
        for (const std::string& name : names)
            nodes.push_back("{name: " + name + "}");
        for (std::int64_t i = 0; i < switches; ++i) {
            names.push_back("s" + std::to_string(i));
            nodes.push_back("{name: " + names.back() + ", kind: switch}");
        }
        Words links;
        const auto cable = [&](const std::string& a, const std::string& b) {
            const std::string speed = rate();
            links.push_back("    - {between: [" + a + ", " + b + "], bandwidth: " + speed + ", latency: " + latency() + "}");
            m_links.push_back(a + ">" + b);
        };
        Words order = names;
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[at(between(0, static_cast<std::int64_t>(i) - 1))]);
        for (std::size_t i = 1; i < order.size(); ++i)
            cable(order[i], order[at(between(0, static_cast<std::int64_t>(i) - 1))]);
        for (std::int64_t more = between(0, 4); more > 0; --more) { // Also several between a pair.
            const std::string a = oneOf(names);
            const std::string b = oneOf(names);
            if (a != b)
                cable(a, b);
        }
        m_severalLinks = true;
        return "  nodes: [" + joined(nodes) + "]\n  links:\n" + joined(links, "\n") + "\n";
    }

    std::string npu()
    {
        Words parts;
        m_memoryRate = chance(60);
        if (m_memoryRate)
            parts.push_back("memory_bandwidth: " + number(20, 3000) + " GB/s");
        m_peak = chance(60);
        if (m_peak)
            parts.push_back("peak: " + number(1, 900) + " TFLOP/s");
        if (chance(20))
            parts.push_back("memory: 1 MiB");
        return parts.empty() ? "" : "  npu: {" + joined(parts) + "}\n";
    }

    std::string budgets()
    {
        if (!chance(20))
            return "";
        Words parts;
        if (chance(70))
            parts.push_back("injection: " + rate());
        if (chance(70) || parts.empty())
            parts.push_back("ejection: " + rate());
        return "  budgets: {" + joined(parts) + "}\n";
    }

    /// A link by its name; empty: none is known by name.
    std::string link()
    {
        if (m_graph)
            return oneOf(m_links);
        if (m_explicit || m_shapes.empty())
            return "";
        const auto d = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(m_shapes.size()) - 1));
        std::int64_t stride = 1;
        for (std::size_t lower = 0; lower < d; ++lower)
            stride *= m_sizes[lower];
        const std::int64_t npu = between(0, m_npus - 1);
        const std::int64_t own = npu / stride % m_sizes[d];
        const std::string name = "d" + std::to_string(d) + " ";
        if (m_shapes[d] == "switch")
            return chance(50) ? name + std::to_string(npu) + ">switch" : name + "switch>" + std::to_string(npu);
        return name + std::to_string(npu) + ">" + std::to_string(npu + ((own + 1) % m_sizes[d] - own) * stride);
    }

    std::string overrides()
    {
        if (m_explicit || !chance(35))
            return "";
        Words links;
        Words used;
        for (std::int64_t i = between(1, 2); i > 0; --i) {
            const std::string name = link();
            if (std::find(used.begin(), used.end(), name) != used.end())
                continue;
            used.push_back(name);
            const bool gone = m_npus > 3 && chance(10) && name.find("switch") == std::string::npos;
            const std::string figures = gone ? std::string("removed: true") : "bandwidth: " + rate();
            links.push_back("{link: \"" + name + "\", " + figures + (gone || chance(50) ? "" : ", latency: 900 ns") + "}");
        }
        std::string text = "  overrides:\n    links: [" + joined(links) + "]\n";
        if (chance(40))
            text += "    npus: [{npu: " + number(0, m_npus - 1) + ", speed: 0.5" + (m_memoryRate ? ", memory_bandwidth: 15 GB/s" : "") + "}]\n";
        return text;
    }

    std::string memory()
    {
        if (m_limits.single || !chance(40))
            return "";
        m_remote = true;
        const std::int64_t kind = between(0, 3);
        const std::string plain = ", latency: " + number(0, 3) + " us, bandwidth: ";
        if (kind == 0)
            return "  remote_memory: {kind: per_npu" + plain + number(1, 200) + " GB/s}\n";
        if (kind == 1 && m_npus % 2 == 0)
            return "  remote_memory: {kind: per_node" + plain + number(1, 200) + " GB/s, nodes: 2, npus_per_node: " + std::to_string(m_npus / 2) + "}\n";
        if (kind == 2)
            return "  remote_memory: {kind: pool" + plain + number(1, 200) + " GB/s}\n";
        const auto part = [&](const char* name, std::int64_t most) {
            const std::string count = number(1, most);
            const std::string speed = rate();
            return std::string(name) + ": {count: " + count + ", bandwidth: " + speed + ", latency: " + latency() + "}";
        };
        const std::string in = part("in_node", 2);
        const std::string out = part("out_node", 2);
        const std::string groups = part("groups", 4);
        return "  remote_memory:\n    kind: hierarchical\n    npus_per_node: " + std::string(m_npus % 2 == 0 ? "2" : "1") + "\n    " + in + "\n    " + out + "\n    " + groups
            + "\n    spread: " + oneOf({"striped", "home"}) + "\n";
    }

    Words shuffledNodes()
    {
        Words nodes;
        for (std::int32_t i = 0; i < m_npus; ++i)
            nodes.push_back(std::to_string(i));
        for (std::size_t i = nodes.size(); i > 1; --i)
            std::swap(nodes[i - 1], nodes[at(between(0, static_cast<std::int64_t>(i) - 1))]);
        return nodes;
    }

    std::string placement()
    {
        m_jobs = !m_limits.single && m_npus > 3 && chance(20);
        m_placed = !m_jobs && chance(20);
        return m_placed ? "  placement:\n    jobs: [{name: a, ranks: " + std::to_string(m_npus) + ", nodes: [" + joined(shuffledNodes()) + "]}]\n" : std::string();
    }

    // ---- Work ----

    std::string operation()
    {
        const std::string op = oneOf({"all_reduce", "all_reduce", "all_gather", "reduce_scatter", "all_to_all"});
        m_allToAll = m_allToAll || op == "all_to_all";
        return op;
    }

    std::string single()
    {
        const std::string op = operation();
        return "  collective: " + op + "\n  size: " + size() + "\n";
    }

    std::string groups()
    {
        Words families;
        if (!m_shapes.empty() && !m_placed && chance(70)) {
            families.push_back("    - {name: f0, dimensions: [" + number(0, static_cast<std::int64_t>(m_shapes.size()) - 1) + "]}");
            m_families.push_back("f0");
        }
        if (m_npus > 2 && chance(70)) { // Groups that overlap with the others.
            Words lists;
            std::vector<std::int32_t> ranks;
            for (std::int32_t i = 0; i < m_npus; ++i)
                ranks.push_back(i);
            for (std::size_t i = ranks.size(); i > 1; --i)
                std::swap(ranks[i - 1], ranks[at(between(0, static_cast<std::int64_t>(i) - 1))]);
            const auto cut = static_cast<std::size_t>(between(2, m_npus));
            Words one;
            for (std::size_t i = 0; i < cut; ++i)
                one.push_back(std::to_string(ranks[i]));
            lists.push_back("[" + joined(one) + "]");
            if (m_npus - static_cast<std::int32_t>(cut) >= 2) {
                one.clear();
                for (std::size_t i = cut; i < ranks.size(); ++i)
                    one.push_back(std::to_string(ranks[i]));
                lists.push_back("[" + joined(one) + "]");
            }
            families.push_back("    - {name: f1, lists: [" + joined(lists) + "]}");
            m_families.push_back("f1");
        }
        return families.empty() ? "" : "  groups:\n" + joined(families, "\n") + "\n";
    }

    std::string work()
    {
        if (m_jobs)
            return jobs();
        std::string text = groups(); // Which the steps name.
        text += "  steps:\n    - " + joined(steps(between(1, 6)), "\n    - ") + "\n";
        return text;
    }

    /// Two jobs that meet at links only, each on NPUs of its own.
    std::string jobs()
    {
        const Words nodes = shuffledNodes();
        const auto cut = static_cast<std::ptrdiff_t>(between(1, m_npus - 1));
        std::string text = "  jobs:\n";
        for (const Words& mine : {Words(nodes.begin(), nodes.begin() + cut), Words(nodes.begin() + cut, nodes.end())}) {
            m_npus = static_cast<std::int32_t>(mine.size());
            text += "    - {name: j" + mine.front() + ", nodes: [" + joined(mine) + "], steps: [" + joined(steps(between(1, 3))) + "]}\n";
        }
        return text;
    }

    Words steps(std::int64_t count)
    {
        Words list;
        Words names;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::string name = "t" + std::to_string(i);
            std::string common = ", name: " + name;
            if (!names.empty() && chance(60))
                common += ", after: " + (chance(40) ? std::string("[]") : "[" + oneOf(names) + "]");
            if (chance(30))
                common += ", priority: " + number(0, 3);
            if (chance(15))
                common += ", output: " + size();
            list.push_back("{" + step(common) + "}");
            if (m_second) // A receive goes with the send before it.
                list.push_back("{" + *std::exchange(m_second, std::nullopt) + "}");
            else
                names.push_back(name);
        }
        return list;
    }

    std::string step(const std::string& common)
    {
        const std::int64_t kind = between(0, 9);
        if (kind <= 4) {
            const std::string op = operation();
            const std::string bytes = size();
            return "collective: " + op + ", size: " + bytes + (m_families.empty() || chance(40) ? std::string() : ", group: " + oneOf(m_families)) + common;
        }
        if (kind == 5 && m_remote) {
            const std::string access = chance(50) ? "load: " : "store: ";
            return access + size() + common;
        }
        if (kind == 6 && m_peak) {
            const std::string work = number(1, 3000) + " GFLOP";
            return "compute: " + work + (m_memoryRate ? ", bytes: " + size() : "") + common;
        }
        if (kind == 7 && m_npus > 2) {
            const std::int64_t from = between(0, m_npus - 1);
            const std::int64_t to = (from + between(1, m_npus - 1)) % m_npus;
            const std::string bytes = size();
            const std::string tag = number(0, 2);
            m_second = "receive: " + bytes + ", from: " + std::to_string(from) + ", tag: " + tag + ", ranks: \"" + std::to_string(to) + "\", after: []";
            return "send: " + bytes + ", to: " + std::to_string(to) + ", tag: " + tag + ", ranks: \"" + std::to_string(from) + "\", after: []";
        }
        const std::string ranks = chance(40) ? ", ranks: \"0-" + number(0, m_npus - 1) + "\"" : "";
        return "compute: " + number(1, 300) + " us" + ranks + common;
    }

    std::string algorithm()
    {
        const std::int64_t kind = between(0, 11);
        if (m_offload && kind < 4 && m_shapes.size() == 1)
            return "in_network";
        if (kind == 0)
            return "standard";
        if (kind == 1 && !m_allToAll)
            return "halving_doubling";
        if (kind == 2)
            return "direct2";
        return kind < 7 ? "ring" : kind < 11 ? "direct" : oneOf(m_allToAll ? Words{"direct3"} : Words{"swing", "bidirectional_ring"});
    }

    std::string collectives()
    {
        const std::string chosen = algorithm();
        const std::string chunks = number(1, 4);
        std::string text = "collectives:\n  default: {algorithm: " + chosen + ", chunks: " + chunks + ", window: " + (chance(70) ? std::string("0") : number(1, 3)) + "}\n";
        Words rules;
        if (chance(30))
            rules.push_back("{op: all_reduce, max_size: 64 KiB, algorithm: direct, chunks: 1}");
        for (int k = 0; m_limits.library && k < 2; ++k)
            rules.insert(rules.begin(), libraryRule());
        return rules.empty() ? text : text + "  rules: [" + joined(rules) + "]\n";
    }

    std::string libraryRule()
    {
        Words parts{chance(60) ? "op: " + oneOf({"all_reduce", "all_gather"}) : "min_size: " + number(0, 64) + " KiB"};
        if (chance(30))
            parts.push_back((chance(50) ? "min_ranks: " : "max_ranks: ") + number(2, 6));
        if (chance(70))
            parts.push_back("launch: " + number(0, 40) + " us");
        if (chance(50))
            parts.push_back("ramp: " + number(1, 40) + " us" + (chance(70) ? ", ramp_size: " + number(1, 512) + " KiB" : ""));
        if (chance(40))
            parts.push_back("protocol: " + oneOf({"LL", "Simple", "{latency: 700 ns, efficiency: 2/3}", "{latency: 1 us, signal: true, control_size: 64 B}"}));
        return "{" + joined(parts) + "}";
    }

    std::string model()
    {
        Words parts{"name: " + m_limits.model};
        if (!m_limits.version.empty())
            parts.push_back("version: " + m_limits.version);
        if (chance(30))
            parts.push_back("endpoint_delay: " + number(0, 900) + " ns");
        if (chance(15))
            parts.push_back("rendezvous: true");
        if (m_peak && chance(70))
            parts.push_back("roofline: true");
        return "model: {" + joined(parts) + "}\n";
    }

    std::string network()
    {
        if (!chance(45))
            return "";
        Words parts;
        if (chance(40))
            parts.push_back("routing: {policy: " + oneOf(m_graph ? Words{"shortest", "ecmp"} : Words{"shortest", "dimension_order"}) + "}");
        if (chance(35)) {
            const std::string slots = number(1, 3);
            const std::string way = oneOf({"transfer: put, signal: true", "transfer: get", "handshake: true"});
            parts.push_back(chance(50) ? "protocols: [{preset: " + oneOf({"Simple", "LL", "LL128"}) + "}]"
                                       : "protocols: [{latency: 1 us, efficiency: 3/4, slots: " + slots + ", slot_size: 100 kB, " + way + ", control_size: 64 B}]");
        }
        const std::string name = link();
        if (!name.empty() && !m_severalLinks && chance(40)) {
            const std::string at = number(0, 200);
            const std::string what = oneOf({"factor: 1/2", "factor: 1/10", "failed: true"});
            parts.push_back("faults: [{link: \"" + name + "\", at: " + at + " us" + (chance(60) ? ", until: " + std::to_string(std::stoll(at) + between(1, 400)) + " us" : "") + ", " + what + "}]");
        }
        if (chance(20))
            parts.push_back("jitter: {" + oneOf({"compute", "latency"}) + ": {distribution: uniform, deviation: 0.1}}");
        return parts.empty() ? "" : "network: {" + joined(parts) + "}\n";
    }

    std::string compute()
    {
        std::string text;
        if (m_peak && chance(40))
            text += "  efficiency: {operations: [{up_to: 1 TFLOP, share: 0.4}, {share: 0.8}]}\n";
        if (chance(15))
            text += "  memory: {follow: true, resident: 100 kB}\n";
        if (m_limits.model == "links" && chance(20))
            text += "  slowdown: {sm_share: 0.2, bandwidth_share: 0.1}\n";
        return text.empty() ? "" : "compute:\n" + text;
    }

    std::string scheduling()
    {
        if (!chance(45))
            return "";
        Words parts;
        if (chance(50))
            parts.push_back("dimensions: " + oneOf(m_graph ? Words{"baseline"} : Words{"baseline", "local_bw", "themis", "exact"}));
        if (chance(30))
            parts.push_back("inside: " + oneOf({"fifo", "smallest_first"}));
        if (!m_limits.single && chance(50))
            parts.push_back("order: " + oneOf({"standard", "fifo", "lifo", "explicit"}));
        if (chance(30)) {
            const std::string compute = number(1, 2);
            parts.push_back("units: {compute: " + compute + ", communication: " + number(1, 4) + "}");
        }
        if (chance(30))
            parts.push_back("streams: " + number(1, 3));
        return parts.empty() ? "" : "scheduling: {" + joined(parts) + "}\n";
    }

    std::mt19937_64 m_dice;
    MixLimits m_limits;
    std::int32_t m_npus = 1;
    bool m_explicit = false;
    bool m_graph = false;
    bool m_severalLinks = false; ///< Names of links may stand for several.
    bool m_offload = false;
    bool m_memoryRate = false;
    bool m_peak = false;
    bool m_remote = false;
    bool m_placed = false;
    bool m_jobs = false;
    bool m_allToAll = false;     ///< Some collective is one.
    Words m_shapes;
    std::vector<std::int64_t> m_sizes;
    Words m_links;
    Words m_families;
    std::optional<std::string> m_second;
};

} // namespace

std::string mixedDesign(std::uint64_t seed, const MixLimits& limits)
{
    return Mixer(seed, limits).run();
}

} // namespace fabricscope::test
