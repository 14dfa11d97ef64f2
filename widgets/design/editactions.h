#pragma once

#include "core/design/edits/edits.h"
#include "widgets/design/document.h"

#include <QCoreApplication>

namespace fabricscope {

/// Edits of a design as people name them: one undo step each, with a title that says what changed ("D2 bandwidth 25 GB/s") and what
/// was lost by it ("Remove D1, without 2 overrides: d1 3>4, NPU 5"). On an error nothing changes.
class DesignActions
{
    Q_DECLARE_TR_FUNCTIONS(DesignActions)
public:
    /// A ring of two with the figures of the neighbour inside it; `at` = count: outside all.
    static Status addDimension(DesignDocument& document, int at);
    static Status removeDimension(DesignDocument& document, int dimension);
    static Status moveDimension(DesignDocument& document, int from, int to);
    static Status setShape(DesignDocument& document, int dimension, Shape shape);
    static Status setSize(DesignDocument& document, int dimension, std::int32_t size);
    static Status setBandwidth(DesignDocument& document, int dimension, const Quantity& bandwidth, bool perNpu, const QString& merge = {});
    static Status setLatency(DesignDocument& document, int dimension, const Quantity& latency, const QString& merge = {});

    // Of the last readable platform. \pre document.platform()
    static Status setLinkBandwidth(DesignDocument& document, LinkId link, const Quantity& bandwidth, const QString& merge = {});
    static Status setLinkLatency(DesignDocument& document, LinkId link, const Quantity& latency, const QString& merge = {});
    static Status resetLink(DesignDocument& document, LinkId link);
    static Status setLinkRemoved(DesignDocument& document, LinkId link, bool removed);

    static Status setNpuSpeed(DesignDocument& document, NodeId npu, double speed, const QString& merge = {});
    static Status setNpuPeak(DesignDocument& document, NodeId npu, const Quantity& peak, const QString& merge = {});
    static Status setNpuMemoryBandwidth(DesignDocument& document, NodeId npu, const Quantity& bandwidth, const QString& merge = {});
    static Status resetNpu(DesignDocument& document, NodeId npu);
    static Status setNpuRemoved(DesignDocument& document, NodeId npu, bool removed);

    /// `key` as in edits::setNpuField.
    static Status setNpuField(DesignDocument& document, const std::string& key, const Quantity& value, const QString& merge = {});
    /// Of the whole group: whatever is fastest, or the standard of each dimension.
    static Status setAlgorithmOfAll(DesignDocument& document, bool fastest);
    static Status setAlgorithm(DesignDocument& document, int dimension, const AlgorithmChoice& choice);
    static Status setChunks(DesignDocument& document, std::int32_t chunks, const QString& merge = {});
    static Status setQuestion(DesignDocument& document, const QString& question, const QString& merge = {});

    /// Whether the text says so, read or not.
    static bool isLinkRemoved(const DesignDocument& document, const std::string& link);
    static bool isNpuRemoved(const DesignDocument& document, NodeId npu);
    static bool hasLinkOverride(const DesignDocument& document, const std::string& link);
    static bool hasNpuOverride(const DesignDocument& document, NodeId npu);

    /// "37 → D2 switch", "3 → 4", "gpu0 → sw".
    static QString linkTitle(const Platform& platform, LinkId link);
    /// "Fully connected".
    static QString shapeTitle(Shape shape);
    /// Message and what to do, as one line.
    static QString errorText(const Error& error);
};

} // namespace fabricscope
