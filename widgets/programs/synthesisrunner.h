#pragma once

#include "core/choose/synthesizer.h"
#include "widgets/base/searchrunner.h"

#include <QString>

#include <memory>
#include <optional>

namespace fabricscope {

/// What is searched: a program for some NPUs of a platform.
struct SynthesisJob {
    std::shared_ptr<const PlatformSpec> platform;
    std::vector<NodeId> members;    ///< Rank r is members[r]; empty: all NPUs that are left.
    SynthesisSearch search;         ///< Its stop token, progress and `tried` are the runner's.
};

/// One method with one number of chunks that gave a program.
struct SynthesisRow {
    std::string method;             ///< Key.
    std::int32_t chunks = 1;
    Synthesis synthesis;            ///< Its program is null where it was too large to keep.
};

struct SynthesisAnswer {
    SynthesisJob job;               ///< As it was asked, with all members.
    std::size_t links = 0;
    std::vector<SynthesisRow> rows; ///< In the order of trying.
    std::size_t best = 0;           ///< Index of the one with the shortest planned time; its program is always there.
    std::optional<SimTime> simulated; ///< Of the best, alone under `links`.
    std::string simulateNote;       ///< Why not.
    bool stopped = false;
};
using SynthesisAnswerPtr = std::shared_ptr<const SynthesisAnswer>;

/// Searches programs beside the window; stopped, it gives what is best so far.
class SynthesisRunner : public SearchRunner
{
    Q_OBJECT
public:
    explicit SynthesisRunner(QObject* parent = nullptr);
    ~SynthesisRunner() override;

    /// \pre !isBusy()
    void start(SynthesisJob job);

    /// Programs of more operations than this are kept only while they are the best.
    static constexpr std::uint32_t kKeptOperations = 1'000'000;

signals:
    void progressed(double share, const QString& best);
    /// Another trial has given a program; all so far.
    void tried(const std::vector<fabricscope::SynthesisRow>& rows);
    void finished(const fabricscope::SynthesisAnswerPtr& answer);

private:
    struct Shared;
    void poll() override;

    std::shared_ptr<Shared> m_shared;
    std::size_t m_seen = 0;
};

} // namespace fabricscope
