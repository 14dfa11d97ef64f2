#pragma once

#include "core/run/rundesign.h"

#include <QString>

#include <map>
#include <memory>

namespace fabricscope {

/// The result on show and the one it is compared with: the pinned baseline, else the last one before the gesture it came of.
///
/// A gesture is a step of undo: a whole drag of a slider, a key held down, one typed value, one undo or redo. What runs in the middle of
/// a gesture is shown, but compared with what was before the gesture, and no later result is ever compared with it. Results say by the
/// number of their job which inputs they are of, so those of runs that were overtaken find their place too.
class ResultHistory {
public:
    /// The inputs are new, by this gesture (DesignDocument::gesture()).
    void edited(int gesture);
    /// What a gesture did: "D2 bandwidth 20 GB/s", "undoing Remove NPU 5".
    void named(int gesture, const QString& title) { m_titles[gesture] = title; }
    /// A job for the inputs as they are now; `text`: of the design.
    void requested(std::int64_t number, std::string text);
    /// The job gives nothing more: it ended, or was overtaken before it began. What is shown of it stays.
    void forget(std::int64_t number) { m_jobs.erase(number); }
    /// Jobs that may still end; the text of the design is kept for each.
    std::size_t jobs() const { return m_jobs.size(); }

    /// A finished result. False: of a job nobody asked for since clear(); it is not taken.
    bool add(RunResultPtr result);
    /// A result that was not run here (a saved run) and belongs to the inputs as they are now.
    void adopt(RunResultPtr result, std::string text);
    /// A part of a running job stands in for the current result without becoming one. Refused like add().
    bool show(RunResultPtr part);
    void dropPart() { m_part = {}; }
    /// Another document: nothing to compare with, and results of jobs that still run are of no interest.
    void clear() { *this = ResultHistory(); }

    /// The current result becomes what all later ones are compared with, or no longer.
    void pin(bool on) { m_baseline = on ? m_current : Entry(); }
    bool isPinned() const { return m_baseline.result != nullptr; }

    RunResultPtr shown() const { return m_part.result ? m_part.result : m_current.result; }
    RunResultPtr current() const { return m_current.result; }
    /// The text of the design current() was run from.
    const std::string& currentText() const;
    /// Nothing was edited since the result on show was asked for (or since the current one).
    bool isOfNewestInputs() const { return shownEntry().inputs == m_inputs; }
    /// What the result on show is compared with. Null: nothing, or the same design.
    RunResultPtr previous() const;
    /// How previous() differs: "since D2 bandwidth was 20 GB/s"; what was done where that has no old value: "after Remove NPU 5".
    /// Empty without previous(). O(fields of both designs).
    QString since() const;
    /// The old value where a single field differs: "D2 bandwidth 20 GB/s"; else empty.
    QString oldValue() const;

private:
    struct Inputs {
        int gesture = 0;
        std::int64_t number = 0; ///< Of the state of the inputs.
        std::shared_ptr<const std::string> text;
    };
    struct Entry {
        RunResultPtr result;
        int gesture = 0;
        std::int64_t inputs = -1;
        std::shared_ptr<const std::string> text;
    };
    /// What a result is compared with, and the gestures (above `after`, up to `upTo`) between.
    struct Comparison {
        Entry with;
        int upTo = 0;
    };

    bool find(RunResultPtr result, Entry& entry) const;
    const Entry& shownEntry() const { return m_part.result ? m_part : m_current; }
    bool endsItsGesture(const Entry& entry) const;
    void begin(const Entry& entry);
    Comparison compare(const Entry& entry) const;
    Comparison comparison() const;

    std::map<std::int64_t, Inputs> m_jobs;       ///< By number; those that may still end.
    std::map<int, std::int64_t> m_lastInputs;    ///< By gesture.
    std::map<int, QString> m_titles;             ///< By gesture.
    std::int64_t m_inputs = 0;
    int m_gesture = 0;
    Entry m_current;
    Entry m_part;
    Entry m_baseline;
    Entry m_start;              ///< The last result before the gesture of m_current.
    Comparison m_startCompared; ///< How that was compared.
};

} // namespace fabricscope
