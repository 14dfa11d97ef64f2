#pragma once

#include "core/plan/lower/ranktasks.h"

namespace fabricscope {

/// The tasks of one pass of one micro-batch through a stage, one piece behind the other.
class PassTasks {
public:
    /// `firstTag`: of messages round the ring.
    PassTasks(TaskWriter& writer, const RankPlace& place, std::uint32_t firstTag) : m_writer(writer), m_place(place), m_ringTag(firstTag) {}

    struct Pass {
        const std::vector<WorkPiece>* pieces = nullptr;
        const StageWork* stage = nullptr;
        const StepWork* step = nullptr;      ///< Null: nothing is gathered.
        std::string name;                    ///< Before the names of pieces.
        std::vector<TaskIndex> after;        ///< What the first piece waits for.
        std::vector<TaskIndex> gatherAfter;  ///< What the first gathers of parameters wait for.
        bool gathers = false;
    };
    /// Adds them and returns the last; `seen` is told of every piece and the task that ends it.
    template <typename Seen>
    std::vector<TaskIndex> add(const Pass& pass, Seen&& seen)
    {
        begin(pass);
        std::vector<TaskIndex> after = pass.after;
        for (const WorkPiece& piece : *pass.pieces) {
            addGathers(pass, piece, after);
            after = addPiece(piece, piece.name.empty() ? pass.name : pass.name + ' ' + piece.name, after);
            seen(piece, after.front());
        }
        if (pass.pieces->empty()) // A stage without layers hands on what it got.
            after = {m_writer.compute(pass.name, {0, 0, 0, false}, after)};
        return after;
    }

private:
    void begin(const Pass& pass);
    void addGathers(const Pass& pass, const WorkPiece& piece, std::vector<TaskIndex>& after);
    void gather(const Pass& pass, std::int32_t unit, const std::vector<TaskIndex>& after);
    std::vector<TaskIndex> addPiece(const WorkPiece& piece, const std::string& name, const std::vector<TaskIndex>& after);
    std::vector<TaskIndex> addRing(const WorkPiece& piece, const std::string& name, const std::vector<TaskIndex>& after);

    TaskWriter& m_writer;
    const RankPlace& m_place;
    std::uint32_t m_ringTag;
    std::vector<std::int32_t> m_unitOrder;             ///< Units of this pass as they are needed.
    std::size_t m_issued = 0;                          ///< Of these.
    std::size_t m_reached = 0;
    std::vector<std::vector<TaskIndex>> m_gathered;    ///< By unit.
};

} // namespace fabricscope
