#include "app/desktop/resulthistory.h"

#include "app/desktop/changetext.h"

#include <QCoreApplication>

namespace fabricscope {

namespace {

bool sameInputs(const RunResultPtr& a, const RunResultPtr& b)
{
    return a && b && a->summary.designHash == b->summary.designHash;
}

} // namespace

void ResultHistory::edited(int gesture)
{
    m_gesture = gesture;
    m_lastInputs[gesture] = ++m_inputs;
}

void ResultHistory::requested(std::int64_t number, std::string text)
{
    m_jobs[number] = {m_gesture, m_inputs, std::make_shared<const std::string>(std::move(text))};
}

bool ResultHistory::find(RunResultPtr result, Entry& entry) const
{
    const auto job = m_jobs.find(result->number);
    if (job == m_jobs.end())
        return false;
    entry = {std::move(result), job->second.gesture, job->second.number, job->second.text};
    return true;
}

/// A result from the middle of a drag is nothing to compare with.
bool ResultHistory::endsItsGesture(const Entry& entry) const
{
    const auto last = m_lastInputs.find(entry.gesture);
    return last == m_lastInputs.end() || last->second == entry.inputs;
}

/// Before a result of another gesture comes: where that gesture began.
void ResultHistory::begin(const Entry& entry)
{
    if (entry.gesture == m_current.gesture || !m_current.result || !endsItsGesture(m_current))
        return;
    const Comparison compared = compare(m_current);
    m_startCompared = compared;
    m_start = m_current;
}

ResultHistory::Comparison ResultHistory::compare(const Entry& entry) const
{
    // Running the same design again changes nothing that could be compared; nor does a drag that was taken back.
    if (sameInputs(m_start.result, entry.result))
        return m_startCompared;
    return {m_start, entry.gesture};
}

bool ResultHistory::add(RunResultPtr result)
{
    Entry entry;
    if (!find(std::move(result), entry))
        return false;
    begin(entry);
    m_part = {};
    m_current = std::move(entry);
    m_jobs.erase(m_jobs.begin(), m_jobs.upper_bound(m_current.result->number));
    m_lastInputs.erase(m_lastInputs.begin(), m_lastInputs.lower_bound(m_current.gesture));
    return true;
}

void ResultHistory::adopt(RunResultPtr result, std::string text)
{
    Entry entry{std::move(result), m_gesture, m_inputs, std::make_shared<const std::string>(std::move(text))};
    begin(entry);
    m_part = {};
    m_current = std::move(entry);
}

bool ResultHistory::show(RunResultPtr part)
{
    Entry entry;
    if (!find(std::move(part), entry))
        return false;
    m_part = std::move(entry);
    return true;
}

const std::string& ResultHistory::currentText() const
{
    static const std::string none;
    return m_current.text ? *m_current.text : none;
}

ResultHistory::Comparison ResultHistory::comparison() const
{
    const Entry& shown = shownEntry();
    if (m_baseline.result)
        return sameInputs(m_baseline.result, shown.result) ? Comparison() : Comparison{m_baseline, shown.gesture};
    if (!m_part.result)
        return compare(m_current);
    ResultHistory then = *this; // As if the part were the result.
    then.begin(m_part);
    return then.compare(m_part);
}

RunResultPtr ResultHistory::previous() const
{
    return shown() ? comparison().with.result : nullptr;
}

QString ResultHistory::since() const
{
    if (!shown())
        return {};
    const Comparison compared = comparison();
    if (!compared.with.result)
        return {};
    if (const QString old = changetext::since(*compared.with.result, *shown()); !old.isEmpty())
        return old;
    if (m_baseline.result)
        return QCoreApplication::translate("Result", "since the baseline");
    QStringList done;
    for (auto title = m_titles.upper_bound(compared.with.gesture); title != m_titles.end() && title->first <= compared.upTo; ++title)
        done.append(title->second);
    if (done.size() == 1)
        return QCoreApplication::translate("Result", "after %1").arg(done.front());
    return done.isEmpty() ? QCoreApplication::translate("Result", "since the run before") : QCoreApplication::translate("Result", "after %1 changes").arg(done.size());
}

QString ResultHistory::oldValue() const
{
    const RunResultPtr before = previous();
    return before ? changetext::oldValue(*before, *shown()) : QString();
}

} // namespace fabricscope
