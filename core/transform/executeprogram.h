#pragma once

#include "core/base/result.h"
#include "core/transform/tensorprogram.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope::transform {

/// What one rank holds of a value: its slice, or all of it, last dimension fastest.
struct RankData {
    Extents shape;
    std::vector<double> data;
};

/// A program executed on numbers, every rank with memory of its own (manual: transform 6). Updates overwrite their tensor; fused collectives go chunk by
/// chunk: reduced, computed on, sent on. Groups of a pipeline run one after the other on the same numbers.
class Execution {
public:
    /// \param program has its layouts and outlives this; its values are small (SmallSizes).
    explicit Execution(const TensorProgram& program);

    /// Runs all kernels. Throws StopRequested.
    void run(const std::stop_token& stop = {});

    /// The whole value of a stage, or the final content of a tensor: of a local one those of all ranks one after the other.
    std::vector<double> whole(const std::string& name) const;
    /// Whether all ranks hold the same of a replicated value.
    bool isSameEverywhere(const std::string& name) const;
    /// Names of tensors that are updated.
    std::vector<std::string> updated() const;
    /// A place outside of what a rank holds was read.
    bool readOutside() const { return m_readOutside; }

private:
    friend class FusedExecution;

    using Index = std::vector<std::int64_t>;

    const std::vector<RankData>& held(const std::string& name) const;
    const Layout& layoutOf(const std::string& name) const;
    void allocate(const Stage& stage);
    /// Elements [begin, end) of what a rank holds of a pointwise stage.
    void computeRange(const Stage& stage, std::int32_t rank, std::int64_t begin, std::int64_t end);
    /// Elements [begin, end) of a reduce-scatter, joined in the order of a ring.
    void reduceRange(const Stage& stage, std::int32_t rank, std::int64_t begin, std::int64_t end);
    /// Sends elements [begin, end) of a rank's slice to all ranks.
    void gatherRange(const Stage& stage, std::int32_t rank, std::int64_t begin, std::int64_t end);
    void compute(const Stage& stage);
    void computeOn(const Stage& stage, std::int32_t rank);
    void join(const Stage& stage);
    void multiply(const Stage& stage, std::int32_t rank);
    void convolve(const Stage& stage, std::int32_t rank);
    void normalise(const Stage& stage, std::int32_t rank);
    double reduced(const Stage& stage, std::int32_t rank) const;
    /// Writes elements of an update, or of the gathered update, into the memory of the tensor.
    void store(const std::string& tensor, std::int32_t rank, const Index& at, double value);
    /// Place in the whole tensor of an element that a rank holds.
    Index globalIndex(const Value& value, std::int32_t rank, std::int64_t flat) const;
    /// Place of an element of the whole tensor in what a rank holds; -1: it does not hold it.
    std::int64_t localFlat(const Extents& whole, const Layout& layout, std::int32_t rank, const Index& at) const;
    double read(const Operand& operand, std::int32_t rank, const Index& at);
    /// The tensor whose new content a gathered update is; empty: none.
    std::string writtenBack(const Stage& gather) const;

    const TensorProgram& m_program;
    std::map<std::string, const Value*, std::less<>> m_known; ///< What each name stands for.
    std::map<std::string, std::vector<RankData>, std::less<>> m_values;
    std::map<std::string, std::vector<RankData>, std::less<>> m_memory; ///< Of tensors.
    bool m_readOutside = false;
};

/// In compareruns.cpp, as compareRuns(). The same program with few ranks and small extents, to be executed; sets of equal extents stay equal. Errors: what cannot be made small.
Result<TensorProgram> withSmallSizes(const TensorProgram& program);

/// Whether two programs give the same outputs and leave the same in updated tensors; `difference`: the first one that does not.
/// Both run on small sizes. Errors: those of withSmallSizes(), Cancelled.
struct Comparison {
    bool equal = false;
    std::string difference;
};
Result<Comparison> compareRuns(const TensorProgram& before, const TensorProgram& after, const std::stop_token& stop = {});

} // namespace fabricscope::transform
