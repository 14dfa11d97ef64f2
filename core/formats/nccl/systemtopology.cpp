#include "core/formats/nccl/systemtopology.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/base/jsontext.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/formats/assumedlinks.h"

#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <new>
#include <set>

namespace fabricscope {

namespace {

constexpr int kMaxDepth = 64;
constexpr std::int64_t kMaxCount = 1024; // NVLinks of one entry

struct Failure {
    Error error;
};

enum class Way : std::uint8_t { NvLink, NvSwitch, Xgmi, C2c, Pcie, Cpu };
constexpr std::array<const char*, 6> kWays{"nvlink", "nvswitch", "xgmi", "c2c", "pcie", "cpu"};
constexpr const char* kHowToDump = "NCCL and RCCL write one when a program that uses them runs with NCCL_TOPO_DUMP_FILE=FILE.xml on the machine";

struct Link {
    std::int32_t from = 0;
    std::int32_t to = 0;
    Way way = Way::Pcie;
    Quantity bandwidth;
};

struct Node {
    std::string name;
    NodeKind kind = NodeKind::Switch;
    bool device = false; ///< GPU or network card: kept even where it leads nowhere.
};

struct Gpu {
    std::int32_t node = 0;
    std::int64_t dev = 0;
    std::int64_t rank = -1;
    std::int64_t capability = 0;
    std::string gcn; ///< Architecture of an AMD GPU ("gfx942", in older dumps 910); else empty.
    std::int32_t cpu = 0;
    std::string busid;
    std::string host;
    pugi::xml_node element;
};

std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    return text;
}

class Reader {
public:
    Reader(const std::string& text, const std::string& file, const LinkCompletions& completions, Diagnostics& diagnostics,
           const std::stop_token& stop)
        : m_stop(stop)
        , m_text(text)
        , m_file(file)
        , m_completions(completions)
        , m_diagnostics(diagnostics)
    {
    }

    PlatformSpec read()
    {
        pugi::xml_document document;
        const pugi::xml_parse_result parsed = document.load_buffer(m_text.data(), m_text.size());
        if (parsed.status == pugi::status_out_of_memory)
            throw std::bad_alloc();
        if (!parsed)
            throw Failure{invalidInput(std::string("not valid XML: ") + parsed.description(), placeAt(m_text, parsed.offset, m_file))};
        const pugi::xml_node system = document.child("system");
        if (!system)
            throw Failure{invalidInput("not a topology dump of NCCL", placeOf(document.document_element(), {}), std::string("a \"system\" element; ") + kHowToDump)};
        for (const pugi::xml_node cpu : system.children("cpu"))
            readCpu(cpu);
        if (m_gpus.empty())
            throw Failure{invalidInput("the machine has no GPU: this is a topology file for NCCL to complete (NCCL_TOPO_FILE), no dump of it", placeOf(system, "gpu"),
                                       std::string("at least one gpu element; ") + kHowToDump)};
        checkGpus();
        for (const Gpu& gpu : m_gpus) {
            checkStop(m_stop);
            readGpuLinks(gpu);
        }
        checkStop(m_stop);
        joinCpus(system);
        return finish();
    }

private:
    Place placeOf(const pugi::xml_node& node, std::string field) const
    {
        Place place = placeAt(m_text, node ? node.offset_debug() : 0, m_file);
        place.field = std::move(field);
        return place;
    }
    [[noreturn]] void refuse(const pugi::xml_node& node, const char* attribute, std::string message, std::string expected) const
    {
        throw Failure{invalidInput(std::move(message), placeOf(node, attribute), std::move(expected))};
    }

    std::int64_t integer(const pugi::xml_node& node, const char* attribute, std::optional<std::int64_t> otherwise = {}) const
    {
        const std::string text = node.attribute(attribute).value();
        if (text.empty() && otherwise)
            return *otherwise;
        std::int64_t value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc{} || read.ptr != text.data() + text.size())
            refuse(node, attribute, text.empty() ? "the attribute is missing" : quotedText(text) + " is no whole number", "a whole number");
        return value;
    }

    void assume(const std::string& key, const std::string& line, const pugi::xml_node& node = {})
    {
        if (!m_said.insert(key).second)
            return;
        m_assumed.push_back(line);
        m_diagnostics.push_back(warning("assumed", line, placeOf(node, {})));
    }

    std::int32_t addNode(std::string name, NodeKind kind, bool device)
    {
        checkStop(m_stop);
        // Several hosts in one file have domains and devices of the same number.
        const std::string base = name;
        for (int copy = 1; !m_names.insert(name).second; ++copy)
            name = base + " (" + std::to_string(copy + 1) + ')';
        m_nodes.push_back({std::move(name), kind, device});
        return static_cast<std::int32_t>(m_nodes.size()) - 1;
    }

    /// Links whose figure in `link_figures` is that of one of several.
    static bool countedLinks(Way way) { return way == Way::NvLink || way == Way::NvSwitch || way == Way::Xgmi; }

    void addLink(std::int32_t a, std::int32_t b, Way way, Quantity bandwidth, bool bothWays = true)
    {
        const auto completion = m_completions.find(kWays[at(way)]);
        if (completion != m_completions.end() && completion->second.bandwidth && !countedLinks(way))
            bandwidth = *completion->second.bandwidth;
        m_links.push_back({a, b, way, bandwidth});
        if (bothWays)
            m_links.push_back({b, a, way, std::move(bandwidth)});
    }

    void readCpu(const pugi::xml_node& element)
    {
        const std::int32_t node = addNode("cpu" + std::string(element.attribute("numaid").value()), NodeKind::Switch, false);
        m_cpus.push_back({node, element});
        m_host = element.attribute("host_hash").value();
        for (const pugi::xml_node child : element.children())
            readDevice(child, node, node, std::nullopt, 1);
    }

    Quantity pcieOf(const pugi::xml_node& element)
    {
        const std::string speed = element.attribute("link_speed").value();
        double transfers = 0;
        const auto read = std::from_chars(speed.data(), speed.data() + speed.size(), transfers);
        if (read.ec != std::errc{} || !(transfers > 0) || transfers > 1024) {
            transfers = 8;
            assume("speed", "PCI Express links without a speed run at 8 GT/s", element);
        }
        std::int64_t lanes = integer(element, "link_width", 0);
        if (lanes <= 0 || lanes > 64) {
            lanes = 16;
            assume("width", "PCI Express links without a width have 16 lanes", element);
        }
        return pcieBandwidth(transfers, static_cast<int>(lanes));
    }

    static Quantity slower(const Quantity& link, const std::optional<Quantity>& above)
    {
        return above && toBandwidth(*above) < toBandwidth(link) ? *above : link;
    }

    /// A pci, gpu or nic element below `parent`. `above`: the link of bridges that were passed by.
    void readDevice(const pugi::xml_node& element, std::int32_t parent, std::int32_t cpu, std::optional<Quantity> above, int depth)
    {
        checkStop(m_stop);
        const std::string_view name = element.name();
        if (depth > kMaxDepth)
            refuse(element, "", "elements are nested too deeply", "at most 64 levels");
        if (name == "nic") {
            readNic(element, parent, above);
        } else if (name == "gpu") {
            readGpu(element, parent, cpu, above, {});
        } else if (name == "pci") {
            const Quantity link = slower(pcieOf(element), above);
            const pugi::xml_node gpu = element.child("gpu");
            const pugi::xml_node nic = element.child("nic");
            const auto bridged = std::distance(element.children("pci").begin(), element.children("pci").end());
            if (gpu || nic) {
                if (gpu)
                    readGpu(gpu, parent, cpu, link, element.attribute("busid").value());
                if (nic)
                    readNic(nic, parent, link);
            } else if (bridged == 1) {
                readDevice(element.child("pci"), parent, cpu, link, depth + 1);
            } else if (bridged > 1) {
                const std::int32_t node = addNode("pci " + std::string(element.attribute("busid").value()), NodeKind::Switch, false);
                addLink(parent, node, Way::Pcie, link);
                for (const pugi::xml_node child : element.children("pci"))
                    readDevice(child, node, cpu, std::nullopt, depth + 1);
            }
        }
    }

    /// A rank and a device of a host are one GPU each.
    void checkGpus() const
    {
        std::set<std::int64_t> ranks;
        std::set<std::pair<std::string, std::int64_t>> devices;
        std::set<std::pair<std::string, std::string>> slots;
        for (const Gpu& gpu : m_gpus) {
            checkStop(m_stop);
            const std::string rank = std::to_string(gpu.rank);
            if (gpu.element.attribute("rank") && gpu.rank < 0)
                refuse(gpu.element, "rank", "rank " + rank + " of a GPU", "0 or more");
            if (gpu.element.attribute("rank") && !ranks.insert(gpu.rank).second)
                refuse(gpu.element, "rank", "two GPUs have rank " + rank, "one GPU for each rank");
            if (gpu.dev < 0)
                refuse(gpu.element, "dev", "device " + std::to_string(gpu.dev), "0 or more");
            if (!devices.emplace(gpu.host, gpu.dev).second)
                refuse(gpu.element, "dev", "two GPUs of one host are device " + std::to_string(gpu.dev), "one GPU for each device");
            if (!gpu.busid.empty() && !slots.emplace(gpu.host, gpu.busid).second)
                refuse(gpu.element, "busid", "two GPUs of one host are at " + quotedText(gpu.busid), "one GPU for each bus number");
        }
    }

    void readGpu(const pugi::xml_node& element, std::int32_t parent, std::int32_t cpu, const std::optional<Quantity>& link, const std::string& busid)
    {
        Gpu gpu;
        gpu.dev = integer(element, "dev");
        gpu.rank = integer(element, "rank", -1);
        gpu.capability = integer(element, "sm");
        gpu.gcn = element.attribute("gcn").value();
        gpu.node = addNode("gpu" + std::to_string(gpu.dev), NodeKind::Npu, true);
        gpu.cpu = cpu;
        gpu.busid = lowered(busid);
        gpu.host = m_host;
        gpu.element = element;
        addLink(gpu.node, parent, Way::Pcie, link.value_or(pcieBandwidth(16, 16)));
        m_byBusid.emplace(std::pair(gpu.host, gpu.busid), gpu.node);
        m_gpus.push_back(std::move(gpu));
    }

    void readNic(const pugi::xml_node& element, std::int32_t parent, const std::optional<Quantity>& link)
    {
        const pugi::xml_node first = element.child("net");
        if (!first)
            return;
        for (const pugi::xml_node net : element.children("net")) {
            const std::int64_t megabits = integer(net, "speed", 0);
            ++m_ports[megabits];
        }
        const std::string name = first.attribute("name").value();
        const std::int32_t node = addNode(name.empty() ? "nic" : name, NodeKind::Switch, true);
        addLink(node, parent, Way::Pcie, link.value_or(pcieBandwidth(16, 16)));
    }

    /// Per link and direction; data sheets.
    static double nvlinkGigabytes(std::int64_t capability)
    {
        return capability >= 100 ? 50 : capability == 86 ? 14.0625 : capability >= 70 ? 25 : 20;
    }

    /// Per xGMI link and direction, as RCCL counts with.
    static double xgmiGigabytes(std::string_view gcn)
    {
        const auto is = [&](std::string_view family) { return gcn.starts_with(family); };
        return is("gfx94") || is("gfx95") || is("940") || is("942") || is("950") ? 48 : is("gfx90a") || is("910") || is("90a") ? 36 : 24;
    }

    Quantity xgmis(const Gpu& gpu, std::int64_t count)
    {
        if (const auto completion = m_completions.find("xgmi"); completion != m_completions.end() && completion->second.bandwidth) {
            Quantity sum = *completion->second.bandwidth;
            sum.value *= static_cast<double>(count);
            return sum;
        }
        const double each = xgmiGigabytes(gpu.gcn);
        const std::string architecture = gpu.gcn.empty() ? "GPUs that do not say their architecture" : "architecture " + shownText(gpu.gcn, kQuotedCharacters);
        assume("xgmi" + gpu.gcn, "an xGMI link of " + architecture + " carries " + Quantity{each, "GB/s", Measure::Bandwidth}.text() + " each way", gpu.element);
        return {each * static_cast<double>(count), "GB/s", Measure::Bandwidth};
    }

    Quantity nvlinks(const Gpu& gpu, std::int64_t count, Way way)
    {
        const auto completion = m_completions.find(kWays[at(way)]);
        if (completion != m_completions.end() && completion->second.bandwidth) {
            Quantity sum = *completion->second.bandwidth;
            sum.value *= static_cast<double>(count);
            return sum;
        }
        const double each = nvlinkGigabytes(gpu.capability);
        const Quantity one{each, "GB/s", Measure::Bandwidth};
        assume("nvlink" + std::to_string(gpu.capability), "an NVLink of compute capability " + fixedDecimal(gpu.capability, 1) + " carries " + one.text()
                   + " each way", gpu.element);
        return {each * static_cast<double>(count), "GB/s", Measure::Bandwidth};
    }

    struct LinkEnds {
        std::int64_t toSwitch = 0;
        std::int64_t toCpu = 0;
        std::map<std::int32_t, std::int64_t> toGpu;
    };

    /// Where the children of that name lead, and how many links to each end. `word`: for messages.
    LinkEnds endsOf(const Gpu& gpu, const char* element, const std::string& word)
    {
        LinkEnds ends;
        for (const pugi::xml_node link : gpu.element.children(element)) {
            checkStop(m_stop);
            const std::int64_t count = integer(link, "count");
            if (count < 1 || count > kMaxCount)
                refuse(link, "count", std::to_string(count) + " links", "1 to 1024");
            const std::string tclass = link.attribute("tclass").value();
            if (tclass.starts_with("0x068000")) {
                ends.toSwitch += count;
            } else if (tclass.starts_with("0x068001")) {
                ends.toCpu += count;
            } else {
                const std::string target = lowered(link.attribute("target").value());
                const auto peer = target.empty() ? m_byBusid.end() : m_byBusid.find({gpu.host, target});
                if (peer == m_byBusid.end())
                    leaveOut(link, word, target);
                else if (peer->second == gpu.node)
                    refuse(link, "target", "the " + word + " ends where it starts", "the busid of another GPU");
                else
                    ends.toGpu[peer->second] += count;
            }
        }
        m_merged = m_merged || std::any_of(ends.toGpu.begin(), ends.toGpu.end(), [](const auto& peer) { return peer.second > 1; });
        return ends;
    }

    void leaveOut(const pugi::xml_node& link, const std::string& word, const std::string& target)
    {
        constexpr std::int64_t kMost = 100; // Nobody reads more, and finding the place of one takes a walk over the text.
        if (++m_leftOut <= kMost)
            m_diagnostics.push_back(warning("nccl-peer", "the " + word + " to " + (target.empty() ? std::string("an unnamed target") : shownText(target, kQuotedCharacters)) + " leads out of the dump: left out", placeOf(link, "target")));
        else if (m_leftOut == kMost + 1)
            m_diagnostics.push_back(warning("nccl-peer", "more links that lead out of the dump are not listed", placeOf({}, {})));
    }

    void noteUnread(const Gpu& gpu)
    {
        for (const pugi::xml_node child : gpu.element.children()) {
            const std::string name = child.name();
            const bool read = name == "nvlink" || name == "xgmi" || name == "c2c";
            if (!read && !name.empty() && m_said.insert("element " + name).second)
                m_diagnostics.push_back(warning("unknown-element", "elements " + quotedText(name) + " of a GPU are not understood: left out", placeOf(child, {})));
        }
    }

    void readGpuLinks(const Gpu& gpu)
    {
        noteUnread(gpu);
        const LinkEnds nvlink = endsOf(gpu, "nvlink", "NVLink");
        for (const auto& [peer, count] : nvlink.toGpu)
            addLink(gpu.node, peer, Way::NvLink, nvlinks(gpu, count, Way::NvLink), false);
        if (nvlink.toSwitch > 0)
            addLink(gpu.node, theSwitch(m_nvswitch, "nvswitch"), Way::NvSwitch, nvlinks(gpu, nvlink.toSwitch, Way::NvSwitch));
        if (nvlink.toCpu > 0)
            addLink(gpu.node, gpu.cpu, Way::NvLink, nvlinks(gpu, nvlink.toCpu, Way::NvLink));
        const LinkEnds xgmi = endsOf(gpu, "xgmi", "xGMI link");
        for (const auto& [peer, count] : xgmi.toGpu)
            addLink(gpu.node, peer, Way::Xgmi, xgmis(gpu, count), false);
        if (xgmi.toSwitch > 0)
            addLink(gpu.node, theSwitch(m_xgmiSwitch, "xgmiswitch"), Way::Xgmi, xgmis(gpu, xgmi.toSwitch));
        if (xgmi.toCpu > 0)
            addLink(gpu.node, gpu.cpu, Way::Xgmi, xgmis(gpu, xgmi.toCpu));
        for (const pugi::xml_node c2c : gpu.element.children("c2c")) {
            const double megabytes = static_cast<double>(integer(c2c, "bw")) * static_cast<double>(integer(c2c, "count", 1));
            if (!(megabytes > 0) || megabytes > 1e9)
                refuse(c2c, "bw", "not a usable bandwidth", "MB/s above 0");
            addLink(gpu.node, gpu.cpu, Way::C2c, {megabytes / 1000, "GB/s", Measure::Bandwidth});
        }
    }

    /// All switches of that kind as one, as NCCL sees them; made when first asked for.
    std::int32_t theSwitch(std::int32_t& node, const char* name)
    {
        if (node < 0)
            node = addNode(name, NodeKind::Switch, false);
        return node;
    }

    /// What two sockets of this processor carry each way; the figures NCCL itself counts with.
    double interCpuGigabytes(const pugi::xml_node& cpu)
    {
        const std::string vendor = cpu.attribute("vendor").value();
        const std::string arch = cpu.attribute("arch").value();
        const std::int64_t family = integer(cpu, "familyid", 0);
        const std::int64_t model = integer(cpu, "modelid", 0);
        if (arch == "ppc64")
            return 32;
        if (vendor == "GenuineIntel")
            return model >= 173 ? 40 : model >= 143 ? 22 : model >= 85 ? 10 : 6;
        if (vendor == "AuthenticAMD")
            return family >= 191 ? 32 : family >= 175 ? 24 : 16;
        return 6;
    }

    void joinCpus(const pugi::xml_node& system)
    {
        // Domains without devices are no way anywhere.
        std::set<std::int32_t> used;
        for (const Link& link : m_links) {
            checkStop(m_stop);
            used.insert({link.from, link.to});
        }
        std::erase_if(m_cpus, [&](const auto& cpu) { return !used.contains(cpu.first); });
        std::vector<std::string_view> hosts; // By domain; looked up once, as there are many pairs.
        std::vector<double> rates;
        for (const auto& [node, cpu] : m_cpus) {
            hosts.emplace_back(cpu.attribute("host_hash").value());
            rates.push_back(m_cpus.size() > 1 ? interCpuGigabytes(cpu) : 0);
        }
        for (std::size_t a = 0; a < m_cpus.size(); ++a) {
            checkStop(m_stop);
            for (std::size_t b = a + 1; b < m_cpus.size(); ++b) {
                if (hosts[a] != hosts[b])
                    continue;
                const double rate = std::min(rates[a], rates[b]);
                const Quantity bandwidth{rate, "GB/s", Measure::Bandwidth};
                if (!m_completions.contains("cpu"))
                    assume("cpu", "NUMA domains are joined with " + bandwidth.text() + " each way", system);
                addLink(m_cpus[a].first, m_cpus[b].first, Way::Cpu, bandwidth);
            }
        }
    }

    /// Switches that lead nowhere go, one after the other.
    std::vector<bool> keptNodes() const
    {
        std::vector<bool> kept(m_nodes.size(), true);
        std::vector<std::set<std::int32_t>> neighbours(m_nodes.size());
        for (const Link& link : m_links) {
            checkStop(m_stop);
            neighbours[at(link.from)].insert(link.to);
            neighbours[at(link.to)].insert(link.from);
        }
        std::vector<std::size_t> queue;
        for (std::size_t node = 0; node < kept.size(); ++node)
            queue.push_back(node);
        for (std::size_t head = 0; head < queue.size(); ++head) {
            checkStop(m_stop);
            const std::size_t node = queue[head];
            if (!kept[node] || m_nodes[node].device || neighbours[node].size() > 1)
                continue;
            kept[node] = false;
            for (const std::int32_t other : neighbours[node]) {
                neighbours[at(other)].erase(static_cast<std::int32_t>(node));
                queue.push_back(static_cast<std::size_t>(other));
            }
            neighbours[node].clear();
        }
        return kept;
    }

    Quantity latencyOf(const Link& link)
    {
        const char* way = kWays[at(link.way)];
        const auto completion = m_completions.find(way);
        if (completion != m_completions.end() && completion->second.latency)
            return *completion->second.latency;
        const LinkMedium medium = link.way == Way::Pcie ? LinkMedium::Pcie : link.way == Way::Cpu || link.way == Way::C2c ? LinkMedium::Processor : LinkMedium::ScaleUp;
        const Quantity latency = assumedLatency(medium, link.way == Way::NvSwitch);
        assume(std::string("latency ") + way, std::string("a link of kind ") + way + " has a latency of " + latency.text());
        return latency;
    }

    PlatformSpec finish()
    {
        std::set<std::int64_t> ranks;
        for (const Gpu& gpu : m_gpus) {
            checkStop(m_stop);
            ranks.insert(gpu.rank);
        }
        const auto count = static_cast<std::int64_t>(m_gpus.size());
        const bool ranked = static_cast<std::int64_t>(ranks.size()) == count && *ranks.begin() == 0 && *ranks.rbegin() == count - 1;
        std::stable_sort(m_gpus.begin(), m_gpus.end(), [&](const Gpu& a, const Gpu& b) { return ranked ? a.rank < b.rank : a.dev < b.dev; });
        PlatformSpec spec;
        std::vector<NodeId> number(m_nodes.size(), -1);
        const auto place = [&](std::size_t node) {
            checkStop(m_stop);
            number[node] = static_cast<NodeId>(spec.nodes.size());
            spec.nodes.push_back({m_nodes[node].name, m_nodes[node].kind, {}});
        };
        for (const Gpu& gpu : m_gpus)
            place(static_cast<std::size_t>(gpu.node));
        const std::vector<bool> kept = keptNodes();
        for (std::size_t node = 0; node < m_nodes.size(); ++node) {
            if (kept[node] && number[node] < 0)
                place(node);
        }
        // A route takes the first of equally short ways: NVLinks before PCI Express.
        sortUntilStopped(m_links, [](const Link& a, const Link& b) { return a.way < b.way; }, m_stop);
        for (const Link& link : m_links) {
            checkStop(m_stop);
            const NodeId from = number[at(link.from)];
            const NodeId to = number[at(link.to)];
            if (from >= 0 && to >= 0)
                spec.links.push_back({from, to, link.bandwidth, latencyOf(link)});
        }
        if (m_merged)
            assume("merged", "several links between two GPUs count as one link of their sum");
        for (const auto& [name, completion] : m_completions) {
            const bool used = std::any_of(m_links.begin(), m_links.end(), [&, &named = name](const Link& link) { return named == kWays[at(link.way)]; });
            if (!used)
                m_diagnostics.push_back(warning("unused-completion", "the machine has no link of kind \"" + name + "\": its figures are not used", placeOf({}, "link_figures." + name)));
        }
        spec.source = "NCCL topology dump";
        for (const auto& [megabits, ports] : m_ports)
            spec.source += ", " + std::to_string(ports) + (ports == 1 ? " network port" : " network ports") + " of " + std::to_string(megabits / 1000) + " Gbit/s";
        for (std::size_t i = 0; i < m_assumed.size(); ++i)
            spec.source += (i == 0 ? "; assumed: " : "; ") + m_assumed[i];
        checkStop(m_stop);
        if (auto platform = Platform::create(spec, m_stop); !platform) {
            checkStop(m_stop);
            Error error = std::move(platform).error();
            error.message = "the dump describes no platform that can be simulated: " + error.message;
            error.place = placeOf({}, {});
            throw Failure{std::move(error)};
        }
        return spec;
    }

    const std::stop_token& m_stop;
    const std::string& m_text;
    const std::string& m_file;
    const LinkCompletions& m_completions;
    Diagnostics& m_diagnostics;
    std::vector<Node> m_nodes;
    std::vector<Link> m_links;
    std::vector<Gpu> m_gpus;
    std::vector<std::pair<std::int32_t, pugi::xml_node>> m_cpus;
    std::map<std::int64_t, int> m_ports; // by Mbit/s
    std::set<std::string> m_names;
    std::set<std::string> m_said;
    std::vector<std::string> m_assumed;
    std::map<std::pair<std::string, std::string>, std::int32_t> m_byBusid; ///< First GPU of a host with that PCI bus id.
    std::string m_host; ///< Of the cpu element that is being read.
    std::int32_t m_nvswitch = -1;
    std::int32_t m_xgmiSwitch = -1;
    std::int64_t m_leftOut = 0; ///< Links to GPUs that are not in the dump.
    bool m_merged = false;
};

} // namespace

Result<PlatformSpec> readNcclTopology(const std::string& text, const std::string& file, const LinkCompletions& completions, Diagnostics& diagnostics,
                                      const std::stop_token& stop)
{
    try {
        return Reader(text, file, completions, diagnostics, stop).read();
    } catch (Failure& failure) {
        return std::move(failure.error);
    } catch (const StopRequested&) {
        return stoppedError();
    }
}

} // namespace fabricscope
