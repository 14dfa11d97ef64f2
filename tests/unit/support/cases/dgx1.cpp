#include "tests/unit/support/cases/dgx1.h"

#include "tests/unit/support/corpus.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace fabricscope::test {

namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
        out.push_back(part);
    return out;
}

} // namespace

std::vector<Dgx1Subset> dgx1Subsets()
{
    std::ifstream file(goldenFile("dgx1_subsets.csv"));
    std::vector<Dgx1Subset> out;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = split(line, ',');
        Dgx1Subset row;
        row.machine = cells[0];
        row.text = cells[2];
        for (const std::string& gpu : split(cells[2], '-'))
            row.gpus.push_back(std::stoi(gpu));
        row.alike = std::stoi(cells[3]);
        row.connected = cells[4] == "1";
        row.broadcast = std::stod(cells[5]);
        row.spanningTrees = std::stod(cells[6]);
        row.rings = std::stoll(cells[7]);
        out.push_back(row);
    }
    return out;
}

SynthesisGraph dgx1Graph(const std::string& machine, const std::vector<std::int32_t>& gpus)
{
    struct Cable {
        std::int32_t a, b;
        bool second; // Of the group that is double on DGX-1V.
    };
    static constexpr Cable cables[] = {{0, 1, false}, {0, 2, false}, {1, 3, false}, {2, 6, false}, {3, 7, false}, {4, 5, false}, {4, 6, false}, {5, 7, false},
                                       {0, 3, true},  {0, 4, true},  {1, 2, true},  {1, 5, true},  {2, 3, true},  {4, 7, true},  {5, 6, true},  {6, 7, true}};
    const bool volta = machine == "DGX-1V";
    SynthesisGraph graph;
    graph.ranks = graph.vertices = static_cast<std::int32_t>(gpus.size());
    const auto place = [&](std::int32_t gpu) { return static_cast<std::int32_t>(std::find(gpus.begin(), gpus.end(), gpu) - gpus.begin()); };
    for (const Cable& cable : cables) {
        const std::int32_t a = place(cable.a);
        const std::int32_t b = place(cable.b);
        if (a == graph.ranks || b == graph.ranks)
            continue;
        const std::int64_t rate = (volta ? 25'000'000'000 : 20'000'000'000) * (volta && cable.second ? 2 : 1);
        graph.links.push_back({a, b, rate, 700'000, {}});
        graph.links.push_back({b, a, rate, 700'000, {}});
    }
    return graph;
}

} // namespace fabricscope::test
