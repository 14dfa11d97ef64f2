#pragma once

#include "core/run/rundesign.h"

#include <QString>

namespace fabricscope {

/// The result on show and the one it is compared with: the pinned baseline, else the one before.
class ResultHistory {
public:
    /// A finished result; `change`: what was edited since the one before ("D2 bandwidth 20 GB/s").
    void add(RunResultPtr result, const QString& change);
    /// A part of a running job stands in for the current result without becoming one.
    void show(RunResultPtr part) { m_part = std::move(part); }
    void dropPart() { m_part.reset(); }
    /// Another document: nothing to compare with.
    void clear() { *this = ResultHistory(); }

    /// The current result becomes what all later ones are compared with, or no longer.
    void pin(bool on);
    bool isPinned() const { return m_baseline != nullptr; }

    RunResultPtr shown() const { return m_part ? m_part : m_current; }
    RunResultPtr current() const { return m_current; }
    /// Null: nothing to compare with.
    RunResultPtr previous() const { return m_baseline && m_baseline != m_current ? m_baseline : m_baseline ? nullptr : m_before; }
    /// What has changed since previous().
    const QString& since() const { return m_since; }

private:
    RunResultPtr m_current;
    RunResultPtr m_before;
    RunResultPtr m_baseline;
    RunResultPtr m_part;
    QString m_since;
};

} // namespace fabricscope
