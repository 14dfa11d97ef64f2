#pragma once

#include "core/study/spacerun.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

namespace fabricscope {

/// Hands rows to a store, some at once. Safe to use from several threads.
class BatchedStore {
public:
    BatchedStore(RunStore& store, StudyProgress& progress) : m_store(store), m_progress(progress) {}

    /// False: the store failed, now or before.
    bool add(StoredPoint point);
    Status flush();

private:
    void flushLocked();

    RunStore& m_store;
    StudyProgress& m_progress;
    std::mutex m_lock;
    std::vector<StoredPoint> m_waiting;
    std::optional<Error> m_error;
    std::chrono::steady_clock::time_point m_flushed = std::chrono::steady_clock::now();
};

/// For people who ask with SQL: {"rate":"25 GB/s"}.
std::string parametersJson(const StudySpec& space, const std::vector<ParameterChoice>& choices, PointFidelity fidelity = PointFidelity::Own);

} // namespace fabricscope
