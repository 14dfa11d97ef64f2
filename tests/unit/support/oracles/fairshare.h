#pragma once

#include <cstdint>
#include <vector>

namespace fabricscope::test {

/// An exact number, numerator and denominator without a common divisor. Only for small cases: nothing looks after overflow.
struct Fraction {
    __extension__ using Wide = __int128;
    Wide over = 0;
    Wide under = 1;

    Fraction(Wide over_ = 0, Wide under_ = 1);
    double value() const { return static_cast<double>(over) / static_cast<double>(under); }
    friend Fraction operator-(Fraction a, Fraction b) { return {a.over * b.under - b.over * a.under, a.under * b.under}; }
    friend Fraction operator/(Fraction a, std::int64_t n) { return {a.over, a.under * n}; }
    friend bool operator<(Fraction a, Fraction b) { return a.over * b.under < b.over * a.under; }
};

/// Max-min fair rates from the definition, by progressive filling of everything: independent of core/sim.
std::vector<Fraction> fairShares(const std::vector<std::int64_t>& capacities, const std::vector<std::vector<std::int32_t>>& routes);

/// The same in whole numbers: room over number rounded down, at least 1; resources that are full at one rate fix their flows at once. A route that names a
/// resource several times takes as much of it as so many flows. Empty routes get 0.
std::vector<std::int64_t> wholeShares(const std::vector<std::int64_t>& capacities, const std::vector<std::vector<std::int32_t>>& routes);

/// A flow that starts at `startPs` and is to carry `bytes`.
struct FluidFlow {
    std::vector<std::int32_t> resources;
    long double bytes = 0;
    long double startPs = 0;
};

/// When each flow ends, ps: all rates from nothing at every start and end, in floating point.
std::vector<long double> fluidEnds(const std::vector<std::int64_t>& capacities, const std::vector<FluidFlow>& flows);

} // namespace fabricscope::test
