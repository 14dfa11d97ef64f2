#pragma once

#include "core/formats/infragraph/expandinstances.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// What annotations say about ranks, names and single links.
class InfraOverrides {
public:
    /// `stop` must outlive it.
    InfraOverrides(const InfraDocument& document, const InfraExpansion& graph, const std::stop_token& stop);

    /// Errors: a selector that matches no node or edge, a figure that cannot be read. Told to stop: throws StopRequested.
    Status read(Diagnostics& diagnostics);

    /// By node; -1: no rank.
    std::vector<std::int64_t> ranks(std::int32_t nodes) const;
    /// Name a node had before it was exported; empty: none.
    std::string nameOf(std::int32_t node) const;
    std::optional<InfraBandwidth> bandwidth(std::size_t edge) const;
    std::optional<InfraLatency> latency(std::size_t edge) const;

private:
    struct Figures {
        std::optional<InfraBandwidth> bandwidth;
        std::optional<InfraLatency> latency;
    };
    Status readFigure(const InfraAnnotation& annotation, const InfraAttribute& attribute, Figures& out) const;
    std::int32_t nodeOf(const std::string& selector) const;
    bool isPrefix(const std::string& selector) const;

    const std::stop_token& m_stop;
    const InfraDocument& m_document;
    const InfraExpansion& m_graph;
    std::vector<std::pair<std::int32_t, std::int64_t>> m_ranks;
    std::vector<std::pair<std::int32_t, std::string>> m_names; // by node
    std::vector<std::pair<std::size_t, Figures>> m_edges;      // by edge
    std::vector<std::pair<std::string, Figures>> m_links;
};

} // namespace fabricscope
