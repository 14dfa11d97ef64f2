#pragma once

#include <QJsonObject>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

struct RunResult;

/// Which waterfalls a comparison has.
struct WaterfallChoice {
    std::vector<std::string> order{}; ///< Fields to change first; the others follow as the file has them.
    bool mean = false;                ///< What a field changes as the mean over orders.
    friend bool operator==(const WaterfallChoice&, const WaterfallChoice&) = default;
};

/// Where a design that is compared comes from: what it takes to run it again.
struct DesignSource {
    QString name;           ///< For people.
    QString file;           ///< Design, or inputs of other programs. Of a text: where its relative paths start; may be empty then.
    std::string text{};     ///< The design; empty: what the file says.
    std::uint64_t seed = 0; ///< Of what is drawn at random; 0: the design's.
    bool baseline = false;
    bool again = false;     ///< It was compared in an earlier session.
    friend bool operator==(const DesignSource&, const DesignSource&) = default;
};

/// A run as a text that can be run again; without a text where that would be larger than kMostKeptBytes. O(size of the design).
DesignSource sourceOf(const QString& name, const RunResult& run);
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;

/// What is compared, as a session keeps it: in its order, without what only follows the design that is open.
struct KeptComparison {
    std::vector<DesignSource> designs;
    WaterfallChoice choice;
    friend bool operator==(const KeptComparison&, const KeptComparison&) = default;

    QJsonObject toJson() const;
    /// What is missing or of another kind is left out; of designs more than are compared at once the last.
    static KeptComparison fromJson(const QJsonObject& json);
};

} // namespace fabricscope
