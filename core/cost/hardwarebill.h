#pragma once

#include "core/cost/pricetable.h"
#include "core/design/costconfig.h"
#include "core/platform/fabric/fabric.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// Parts of one kind.
struct BillRow {
    enum class Kind : std::uint8_t { Host, Npu, Switch, Cable, Facility };
    Kind kind = Kind::Host;
    std::string name;            ///< "hosts", "leaf", "cables npu".
    std::string part;            ///< What it is: "SR4", "switch of 64 ports".
    std::int64_t count = 0;
    std::optional<double> price; ///< US$ of one; absent: nobody says.
    std::optional<double> watts; ///< Of one.
    std::optional<double> mtbf;  ///< Hours; absent: its failures are those of other rows.
    std::string source;
    std::string date;
    Confidence confidence = Confidence::Low;
    bool estimated = false;
};

/// What a platform is made of, what it costs to buy and to run, and how often it fails (manual: costs). A plain value.
struct HardwareBill {
    std::vector<BillRow> rows;
    std::vector<std::string> missing; ///< What has no price or no power: "npu: costs.npu.price".
    std::int64_t npus = 0;
    std::optional<double> capital;    ///< US$; absent: something has no price.
    std::optional<double> watts;      ///< Of the machines; absent: of something it is not known.
    double pue = 1;
    double electricity = 0;           ///< US$ per kWh.
    double life = 1;                  ///< Years.
    double repair = 0;                ///< Share of the capital a year.
    double failuresPerHour = 0;       ///< That stop a job on all NPUs.

    /// Something of it has a price: from the table or the design.
    bool saysAnything() const;
    std::optional<double> siteWatts() const { return watts ? std::optional(*watts * pue) : std::nullopt; }
    std::optional<double> energyPerYear() const; ///< US$.
    double mtbfHours() const { return 1 / failuresPerHour; }
    /// Capital over its life, energy and repair: US$ a year.
    std::optional<double> perYear() const;
};

/// Of a fabric whose platform is called `name`, with what the design says in `costs`; null: nothing. O(kinds of parts), of a platform that no generator made O(cables).
HardwareBill hardwareBill(const Fabric& fabric, const std::string& name, const CostConfig* costs);
/// Of a platform. Errors: those of fabricOfPlatform().
Result<HardwareBill> hardwareBill(const PlatformSpec& platform, const CostConfig* costs);

/// US$ per token that is worth something. \pre both are positive
double costPerToken(double perYear, double tokensPerSecond);

} // namespace fabricscope
