#pragma once

#include "core/design/design.h"

#include <random>
#include <string>
#include <vector>

namespace fabricscope::test {

/// Random designs of every form that a file can have.
class RandomDesign {
public:
    explicit RandomDesign(unsigned seed) : m_random(seed) {}

    Design next();

private:
    int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(limit)); }
    bool chance() { return m_random() % 2 == 0; }
    template <typename T> T pick(const std::vector<T>& values) { return values[m_random() % values.size()]; }
    double number() { return pick<double>({1, 0.5, 2.5, 1.0 / 3, 1e-3, 989, 123456.789, 7e5}); }
    Quantity bandwidth() { return {number(), pick<std::string>({"GB/s", "GiB/s", "Gbit/s", "MB/s"}), Measure::Bandwidth}; }
    Quantity time() { return {number(), pick<std::string>({"ns", "us", "ps"}), Measure::Time}; }
    Quantity size() { return {number(), pick<std::string>({"B", "KiB", "MB"}), Measure::Size}; }

    void addDimensions(PlatformSpec& spec);
    void addGraph(PlatformSpec& spec);
    std::vector<Step> steps(int depth, int& number);
    void addWorkload(Design& design);
    void addCollectives(CollectiveConfig& config);

    std::mt19937 m_random;
};

} // namespace fabricscope::test
