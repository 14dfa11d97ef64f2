#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace fabricscope {

/// "41 %, 38 M events/s, 6 s left"; what is not known yet is left out.
QString progressText(const RunProgress& progress);
/// "7c1e…04b9": first and last four digits.
QString shortFingerprint(const Digest& fingerprint);

/// Content of the status bar: the result in one line, what made it, its fingerprint, how far to trust it.
class StatusStrip : public QWidget
{
    Q_OBJECT
public:
    explicit StatusStrip(QWidget* parent = nullptr);
    void setResult(RunResultPtr result);                  ///< Null: nothing.
    void setProgress(std::optional<RunProgress> progress); ///< Absent: no run.
    void setCoordinates(const QString& text);             ///< Under the pointer, while over a view; empty: none.
    void setMessage(const QString& text) { say(Severity::Note, text); } ///< "Saved pod.yaml"; until the next, or empty.
    /// Explains what is under the pointer, in the place of everything else; empty: no longer.
    void setTip(const QString& text);
    /// What was not done as asked, with icon and colour.
    void setWarning(const QString& text) { say(Severity::Warning, text); }
    void setError(const QString& text) { say(Severity::Error, text); }
    /// The result belongs to inputs that have changed since: a chip says so beside the time.
    void setOutdated(bool outdated);

signals:
    void assumedClicked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void say(Severity severity, const QString& text);
    void colourMessage();
    void refresh();
    void showAccuracy();
    void fit();

    RunResultPtr m_result;
    std::optional<RunProgress> m_running;
    Theme m_theme;
    bool m_outdated = false;
    QLabel* m_headline;
    QLabel* m_outdatedChip;
    QLabel* m_progress;
    QLabel* m_model;
    QLabel* m_engine;
    QPushButton* m_fingerprint;
    Severity m_severity = Severity::Note;
    QLabel* m_messageIcon;
    QLabel* m_message;
    QLabel* m_tip;
    QLabel* m_coordinates;
    QLabel* m_accuracy;
    QPushButton* m_assumed;
};

} // namespace fabricscope
