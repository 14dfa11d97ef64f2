#include "tests/unit/support/cases/tacoscase.h"

#include "tests/unit/support/corpus.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

namespace fabricscope::test {

namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
        out.push_back(part);
    if (!text.empty() && text.back() == separator)
        out.emplace_back();
    return out;
}

/// Links of one dimension: pairs of coordinates.
using Line = std::vector<std::pair<std::int32_t, std::int32_t>>;

Line path(std::int32_t size, bool closed)
{
    Line out;
    for (std::int32_t i = 0; i + 1 < size; ++i) {
        out.emplace_back(i, i + 1);
        out.emplace_back(i + 1, i);
    }
    if (closed && size > 2) {
        out.emplace_back(size - 1, 0);
        out.emplace_back(0, size - 1);
    }
    return out;
}

Line clique(std::int32_t size)
{
    Line out;
    for (std::int32_t a = 0; a < size; ++a) {
        for (std::int32_t b = 0; b < size; ++b) {
            if (a != b)
                out.emplace_back(a, b);
        }
    }
    return out;
}

/// DGX-1: each pair of GPUs with its number of NVLinks.
constexpr std::int32_t kDgx1[16][3] = {{0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 5, 2}, {2, 3, 2}, {4, 7, 2}, {5, 6, 2}, {6, 7, 2},
                                       {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {5, 7, 1}};

} // namespace

std::vector<TacosCase> tacosCases()
{
    std::ifstream file(goldenFile("tacos_all_gather.csv"));
    std::vector<TacosCase> out;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        const std::vector<std::string> field = split(line, ',');
        if (field.size() < 24)
            continue;
        TacosCase row;
        row.kind = field[1];
        for (const std::string& part : split(field[2], 'x'))
            row.dims.push_back(std::atoi(part.c_str()));
        row.npus = std::atoi(field[3].c_str());
        row.links = std::atoi(field[4].c_str());
        for (const std::string& part : split(field[5], '|'))
            row.gibPerSecond.push_back(std::strtod(part.c_str(), nullptr));
        for (const std::string& part : split(field[6], '|'))
            row.latencyUs.push_back(std::strtod(part.c_str(), nullptr));
        row.chunks = std::atoi(field[7].c_str());
        row.chunkBytes = std::atoll(field[8].c_str());
        row.bestUs = std::strtod(field[13].c_str(), nullptr);
        row.bandwidthBoundUs = std::strtod(field[16].c_str(), nullptr);
        row.hopBoundUs = std::strtod(field[17].c_str(), nullptr);
        row.stepBound = std::atoi(field[19].c_str());
        row.bestSteps = std::atoi(field[21].c_str());
        row.name = row.kind + ' ' + field[2] + ", " + field[8] + " bytes x " + field[7];
        out.push_back(row);
    }
    return out;
}

SynthesisGraph tacosGraph(const TacosCase& row)
{
    SynthesisGraph graph;
    graph.ranks = row.npus;
    graph.vertices = row.npus;
    const auto add = [&](std::int32_t from, std::int32_t to, std::size_t dimension, double times = 1) {
        const double rate = row.gibPerSecond[row.gibPerSecond.size() > 1 ? dimension : 0] * times;
        const double latency = row.latencyUs[row.latencyUs.size() > 1 ? dimension : 0];
        graph.links.push_back({from, to, std::llround(rate * 1073741824.0), std::llround(latency * 1e6), {}});
    };
    if (row.kind == "dgx1") {
        for (const auto& pair : kDgx1) {
            add(pair[0], pair[1], 0, pair[2]);
            add(pair[1], pair[0], 0, pair[2]);
        }
        return graph;
    }
    std::vector<Line> lines;
    std::vector<std::int32_t> sizes = row.dims;
    if (row.kind == "bhypercube") {
        sizes.clear();
        for (std::int32_t n = row.npus; n > 1; n /= 2)
            sizes.push_back(2);
    }
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
        const std::int32_t size = sizes[dimension];
        if (row.kind == "fc" || (row.kind == "rfs" && dimension > 0))
            lines.push_back(clique(size));
        else if (row.kind == "uring") {
            Line ring;
            for (std::int32_t i = 0; i < size; ++i)
                ring.emplace_back(i, (i + 1) % size);
            lines.push_back(ring);
        } else
            lines.push_back(path(size, row.kind.starts_with("torus") || row.kind == "ring" || row.kind == "rfs"));
    }
    std::int32_t stride = 1;
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
        for (std::int32_t npu = 0; npu < row.npus; ++npu) {
            if (npu / stride % sizes[dimension] != 0)
                continue;
            for (const auto& pair : lines[dimension])
                add(npu + pair.first * stride, npu + pair.second * stride, dimension);
        }
        stride *= sizes[dimension];
    }
    return graph;
}

} // namespace fabricscope::test
