#include "core/cost/hardwarebill.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/design/fabricdesign.h"
#include "core/platform/fabric/fabricform.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace fabricscope {

namespace {

constexpr double kHoursOfYear = 8760;
constexpr double kSecondsOfYear = 31'536'000;
/// Metres of a cable that is given no length.
constexpr double kInRack = 3;
constexpr double kToLeafOrSpine = 20;
constexpr double kAbove = 50;

double gbitOf(const Quantity& bandwidth)
{
    return bandwidth.base() * 8 / 1e9;
}

/// What a design says of a part goes over what the table says.
void apply(const PartFigures& given, BillRow& row)
{
    if (given.price)
        row.price = given.price;
    if (given.power)
        row.watts = given.power;
    if (given.mtbf)
        row.mtbf = given.mtbf;
    if (!given.price && !given.power)
        return;
    row.source = given.source.empty() ? "the design" : given.source;
    row.date.clear();
    row.confidence = Confidence::High;
    row.estimated = false;
}

void apply(const PricedPart& part, BillRow& row)
{
    row.part = part.title;
    row.price = part.price;
    row.watts = part.watts;
    row.source = part.source;
    row.date = part.date;
    row.confidence = part.confidence;
    row.estimated = part.estimated;
}

/// "5 m" of a level.
std::optional<double> metresOf(const std::string& text)
{
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    return code == std::errc() && value >= 0 && (rest == " m" || rest == "m") ? std::optional(value) : std::nullopt;
}

class BillMaker {
public:
    /// `form`: that the fabric was written as; null: it has none.
    BillMaker(const Fabric& fabric, const std::string& name, const CostConfig& costs, const FabricForm* form) : m_fabric(fabric), m_name(name), m_costs(costs), m_form(form) {}

    HardwareBill make()
    {
        m_bill.npus = m_fabric.npus();
        addMachines();
        if (m_fabric.spec().family == &aloneFamily())
            addAlone();
        else
            addGenerated();
        m_bill.pue = m_costs.pue.value_or(kUsualPue);
        m_bill.electricity = m_costs.electricity.value_or(kUsualElectricity);
        m_bill.life = m_costs.life.value_or(kUsualLife);
        m_bill.repair = m_costs.repair.value_or(kUsualRepair);
        sum();
        return std::move(m_bill);
    }

private:
    void addMachines()
    {
        const FabricHost* const host = m_fabric.spec().host.get();
        const bool alone = m_fabric.spec().family == &aloneFamily();
        const std::string& named = host && !host->name.empty() ? host->name : m_name;
        std::optional<KnownMachine> known = knownHost(named);
        // Hosts of a fabric are what they are; a platform of dimensions may be several of what its name says.
        const std::int64_t size = host && !alone ? host->npus : known ? known->npus : 1;
        if (known && (size != known->npus || m_bill.npus % size != 0))
            known.reset();
        BillRow npus{BillRow::Kind::Npu, "NPUs", {}, m_bill.npus, {}, {}, kNpuMtbf, {}, {}, Confidence::Low, false};
        const bool hasHosts = known || (host && !alone && host->npus > 1);
        BillRow hosts{BillRow::Kind::Host, "hosts", {}, m_bill.npus / std::max<std::int64_t>(size, 1), {}, {}, kHostMtbf, {}, {}, Confidence::Low, false};
        if (hasHosts) {
            if (known)
                apply(*known->part, hosts);
            apply(m_costs.host, hosts);
            m_hostNpus = size;
        }
        const bool inHost = hasHosts && hosts.price;
        if (!inHost) {
            if (const PricedPart* part = knownNpu(named))
                apply(*part, npus);
            apply(m_costs.npu, npus);
        } else {
            npus.part = "in the hosts";
            npus.mtbf = m_costs.npu.mtbf.value_or(kNpuMtbf);
        }
        if (hasHosts && !inHost && npus.price) { // The rest of the host has no price of its own.
            hosts.part = "of the NPUs alone";
            hosts.price = 0;
            hosts.watts = hosts.watts.value_or(0);
        }
        if (inHost) {
            npus.price = 0;
            npus.watts = 0;
        }
        if (hasHosts)
            m_bill.rows.push_back(hosts);
        m_bill.rows.push_back(npus);
        if (!inHost && !npus.price)
            m_bill.missing.push_back(hasHosts ? "costs.host.price" : "costs.npu.price");
        if (!inHost && !npus.watts)
            m_bill.missing.push_back(hasHosts ? "costs.host.power" : "costs.npu.power");
        if (inHost && !hosts.watts)
            m_bill.missing.push_back("costs.host.power");
        if (hasHosts)
            addFacility(hosts.count);
    }

    void addFacility(std::int64_t hosts)
    {
        BillRow row{BillRow::Kind::Facility, "facility", "of a host", hosts, kUsualFacility, 0, {}, "public sheet, lifetime", "2024-08", Confidence::Medium, false};
        if (m_costs.facility) {
            row.price = m_costs.facility;
            row.source = "the design";
            row.date.clear();
        }
        m_bill.rows.push_back(row);
    }

    void addSwitches(const std::string& name, std::int64_t count, std::int64_t radix, std::int64_t used, double gbit)
    {
        const SwitchPrice priced = switchPrice(radix, gbit);
        const PricedPart& table = pricedPart("switch_400g");
        BillRow row{BillRow::Kind::Switch, name, std::to_string(radix) + " ports of " + decimal(gbit) + " Gbit/s", count, priced.price, switchPower(priced.watts, used, radix), kSwitchMtbf,
                    std::string(table.source), std::string(table.date), priced.estimated ? Confidence::Low : table.confidence, priced.estimated};
        apply(m_costs.networkSwitch, row);
        m_bill.rows.push_back(std::move(row));
    }

    /// `npuEnds`: how many of both are at NPUs.
    void addCables(const std::string& name, std::int64_t count, double gbit, double metres, int npuEnds)
    {
        BillRow row{BillRow::Kind::Cable, name, {}, count, {}, {}, kCableMtbf, {}, {}, Confidence::Low, true};
        const std::optional<CablePrice> priced = m_costs.cables == CablePricing::Plain ? plainCable(gbit) : cablePrice(gbit, metres);
        if (priced) {
            row.part = std::string(priced->title) + " of " + decimal(gbit) + " Gbit/s" + (m_costs.cables == CablePricing::Plain ? std::string() : ", " + decimal(metres) + " m");
            row.price = priced->price;
            row.watts = npuEnds * priced->npuEnd + (2 - npuEnds) * priced->switchEnd;
            row.mtbf = priced->passive ? kPassiveMtbf : kCableMtbf;
            row.source = m_costs.cables == CablePricing::Plain ? std::string(pricedPart("cable_400g").source) : "vendor's power, prices estimated";
            row.date = "2024-08";
            row.estimated = priced->estimated;
            row.confidence = priced->estimated ? Confidence::Low : Confidence::Medium;
        }
        apply(m_costs.cable, row);
        if (!row.price)
            m_bill.missing.push_back(name + ": nothing reaches " + decimal(metres) + " m");
        m_bill.rows.push_back(std::move(row));
    }

    double lengthOf(std::size_t level) const
    {
        if (m_costs.length)
            return *m_costs.length;
        if (m_form && !m_form->joins.empty()) {
            if (const auto given = metresOf(m_form->joins[std::min(level, m_form->joins.size() - 1)].cable))
                return *given;
        }
        if (m_fabric.spec().family == &nvl72Family())
            return kInRack;
        return level < 2 ? kToLeafOrSpine : kAbove;
    }

    void addGenerated()
    {
        const FabricHost* const host = m_fabric.spec().host.get();
        const std::size_t hostKinds = host && !host->cables.empty() ? 1 : 0;
        const std::size_t hostTiers = host && host->switches > 0 ? 1 : 0;
        const auto kinds = m_fabric.kinds();
        const auto tiers = m_fabric.tiers();
        const auto rateOf = [&](std::size_t kind) { return gbitOf(m_fabric.bandwidth(FabricCable{{}, {}, static_cast<std::int32_t>(kind), -1})); };
        for (std::size_t tier = hostTiers; tier < tiers.size() && !kinds.empty(); ++tier) {
            const std::int64_t radix = m_fabric.radix(tiers[tier]);
            addSwitches(tiers[tier].name, tiers[tier].count, radix > 0 ? radix : tiers[tier].ports, tiers[tier].ports, rateOf(std::min(hostKinds + tier - hostTiers, kinds.size() - 1)));
        }
        const bool direct = tiers.size() == hostTiers;
        for (std::size_t kind = hostKinds; kind < kinds.size(); ++kind) {
            const bool inside = kinds[kind].inside;
            addCables("cables " + kinds[kind].name, kinds[kind].count, rateOf(kind), inside ? kInRack : lengthOf(kind - hostKinds), direct ? 2 : kinds[kind].name == "npu" ? 1 : 0);
        }
    }

    /// Cables and switches of a platform that no generator made: what joins NPUs of one host is in the host.
    void addAlone()
    {
        const FabricHost* const host = m_fabric.spec().host.get();
        if (!host)
            return;
        const auto hostOfNode = [&](std::int32_t node) { return m_hostNpus > 0 ? node / m_hostNpus : node; };
        struct Node {
            std::int64_t ports = 0;
            double gbit = 0;
            std::int64_t host = -1; ///< -2: of several.
        };
        std::vector<Node> switches(at(host->switches));
        for (const FabricHost::Cable& cable : host->cables) {
            for (const auto& [end, other] : {std::pair{cable.lower, cable.upper}, {cable.upper, cable.lower}}) {
                if (end.node < host->npus)
                    continue;
                Node& node = switches[at(end.node - host->npus)];
                ++node.ports;
                node.gbit = std::max(node.gbit, gbitOf(cable.bandwidth));
                const std::int64_t of = other.node < host->npus ? hostOfNode(other.node) : -2;
                node.host = node.host == -1 || node.host == of ? of : -2;
            }
        }
        const auto isInside = [&](const Node& node) { return m_hostNpus > 0 && node.host >= 0; };
        std::map<std::pair<std::int64_t, double>, std::int64_t> kinds;
        for (const Node& node : switches) {
            if (!isInside(node) && node.ports > 0)
                ++kinds[{node.ports, node.gbit}];
        }
        for (const auto& [kind, count] : kinds)
            addSwitches("switches", count, kind.first, kind.first, kind.second);
        std::map<std::pair<double, int>, std::int64_t> cables;
        for (const FabricHost::Cable& cable : host->cables) {
            const bool lowNpu = cable.lower.node < host->npus;
            const bool highNpu = cable.upper.node < host->npus;
            const bool inside = lowNpu && highNpu ? m_hostNpus > 0 && hostOfNode(cable.lower.node) == hostOfNode(cable.upper.node)
                                                  : (!lowNpu && isInside(switches[at(cable.lower.node - host->npus)])) || (!highNpu && isInside(switches[at(cable.upper.node - host->npus)]));
            if (!inside)
                ++cables[{gbitOf(cable.bandwidth), (lowNpu ? 1 : 0) + (highNpu ? 1 : 0)}];
        }
        for (const auto& [kind, count] : cables)
            addCables("cables", count, kind.first, m_costs.length.value_or(kToLeafOrSpine), kind.second);
    }

    void sum()
    {
        double capital = 0;
        double watts = 0;
        bool priced = true;
        bool powered = true;
        for (const BillRow& row : m_bill.rows) {
            const auto count = static_cast<double>(row.count);
            priced = priced && row.price;
            powered = powered && row.watts;
            capital += count * row.price.value_or(0);
            watts += count * row.watts.value_or(0);
            const bool stops = !m_costs.reroute || (row.kind != BillRow::Kind::Cable && row.kind != BillRow::Kind::Switch);
            if (row.mtbf && stops)
                m_bill.failuresPerHour += count / *row.mtbf;
        }
        m_bill.failuresPerHour += m_costs.softwareMtbf ? 1 / *m_costs.softwareMtbf : static_cast<double>(m_bill.npus) / kSoftwareMtbf;
        if (priced)
            m_bill.capital = capital;
        if (powered)
            m_bill.watts = watts;
    }

    const Fabric& m_fabric;
    const std::string& m_name;
    const CostConfig& m_costs;
    const FabricForm* m_form;
    std::int64_t m_hostNpus = 0; ///< 0: there are no hosts.
    HardwareBill m_bill;
};

HardwareBill billOf(const Fabric& fabric, const std::string& name, const CostConfig* costs, const FabricForm* form)
{
    const CostConfig none;
    return BillMaker(fabric, name, costs ? *costs : none, form).make();
}

} // namespace

bool HardwareBill::saysAnything() const
{
    return std::any_of(rows.begin(), rows.end(), [](const BillRow& row) { return (row.kind == BillRow::Kind::Host || row.kind == BillRow::Kind::Npu) && row.price; });
}

std::optional<double> HardwareBill::energyPerYear() const
{
    return watts ? std::optional(pue * *watts / 1000 * kHoursOfYear * electricity) : std::nullopt;
}

std::optional<double> HardwareBill::perYear() const
{
    const auto energy = energyPerYear();
    return capital && energy ? std::optional(*capital / life + *energy + *capital * repair) : std::nullopt;
}

HardwareBill hardwareBill(const Fabric& fabric, const std::string& name, const CostConfig* costs)
{
    return billOf(fabric, name, costs, nullptr);
}

Result<HardwareBill> hardwareBill(const PlatformSpec& platform, const CostConfig* costs)
{
    const Result<Fabric> fabric = fabricOfPlatform(platform);
    if (!fabric)
        return fabric.error();
    return billOf(fabric.value(), platform.name, costs, platform.generated.form.get());
}

double costPerToken(double perYear, double tokensPerSecond)
{
    return perYear / (tokensPerSecond * kSecondsOfYear);
}

} // namespace fabricscope
