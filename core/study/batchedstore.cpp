#include "core/study/batchedstore.h"

#include "core/report/jsonwriter.h"

#include <string>
#include <utility>

namespace fabricscope {

bool BatchedStore::add(StoredPoint point)
{
    constexpr std::size_t kMost = 512;
    constexpr std::chrono::milliseconds kLongest{100}; // What may have to be done again after the end of the program.
    const std::lock_guard lock(m_lock);
    m_waiting.push_back(std::move(point));
    if (m_waiting.size() >= kMost || std::chrono::steady_clock::now() - m_flushed > kLongest)
        flushLocked();
    return !m_error;
}

Status BatchedStore::flush()
{
    const std::lock_guard lock(m_lock);
    flushLocked();
    return m_error ? Status(*m_error) : Status();
}

void BatchedStore::flushLocked()
{
    if (m_error)
        return;
    if (const Status status = m_store.keep(m_waiting); !status) {
        m_error = status.error();
        return;
    }
    m_progress.ran += static_cast<std::int64_t>(m_waiting.size());
    m_waiting.clear();
    m_flushed = std::chrono::steady_clock::now();
}

std::string parametersJson(const StudySpec& space, const std::vector<ParameterChoice>& choices, PointFidelity fidelity)
{
    std::string out = "{";
    for (std::size_t i = 0; i < choices.size(); ++i)
        out.append(i > 0 ? "," : "").append(jsonString(space.parameters[i].name)).append(":").append(jsonString(choices[i].label));
    if (fidelity == PointFidelity::Ideal)
        out.append(",\"model.name\":").append(jsonString(modelName(Model::Ideal)));
    return out + '}';
}

} // namespace fabricscope
