#pragma once

#include "widgets/base/tablemodel.h"
#include "widgets/base/theme.h"
#include "widgets/base/valuerows.h"
#include "widgets/programs/synthesisrunner.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QToolButton;

namespace fabricscope {

class ResultTable;
class StepHeader;

/// A synthesised program that something is to be done with.
struct SynthesisedProgram {
    ProgramPtr program;
    QString name;                 ///< "greedy_all_gather_8".
    std::int64_t bytes = 0;       ///< It was made for so many.
    std::vector<ValueRow> facts;  ///< Method, planned time, bound and share.
};

/// Asks what to search on the platform of the design, searches in the background, and lists what was found.
class SynthesisPanel : public QWidget
{
    Q_OBJECT
public:
    explicit SynthesisPanel(QWidget* parent = nullptr);

    /// Of the open design; null: there is none that can be read.
    void setPlatform(std::shared_ptr<const PlatformSpec> platform, std::int32_t npus, const QString& name);
    /// The newest answer; null: none.
    const SynthesisAnswerPtr& answer() const { return m_answer; }

signals:
    void backRequested();
    void openRequested(const fabricscope::SynthesisedProgram& program);
    void saveRequested(const fabricscope::SynthesisedProgram& program);
    void useRequested(const fabricscope::SynthesisedProgram& program);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeForm();
    void fitForm();
    std::optional<SynthesisJob> job(QString* wrong);
    void check();
    void startOrStop();
    void showRows(const std::vector<SynthesisRow>& rows, int best);
    void showState(const QString& text);
    void take(const SynthesisAnswerPtr& answer);
    void updateButtons();
    std::optional<SynthesisedProgram> chosen() const;

    Theme m_theme;
    SynthesisRunner m_runner{this};
    SynthesisAnswerPtr m_answer;
    std::shared_ptr<const PlatformSpec> m_platform;
    std::int32_t m_npuCount = 0;
    TableModel m_rows;
    StepHeader* m_head;
    QScrollArea* m_scroll = nullptr;
    QLineEdit* m_npus;
    QComboBox* m_op;
    QLineEdit* m_size;
    QSpinBox* m_root;
    QComboBox* m_method;
    QSpinBox* m_chunks;
    QSpinBox* m_tries;
    QSpinBox* m_seed;
    QSpinBox* m_time;
    QLabel* m_note;
    QPushButton* m_start;
    QProgressBar* m_progress;
    QLabel* m_state;
    ResultTable* m_table;
    QPushButton* m_open;
    QPushButton* m_save;
    QPushButton* m_use;
    QToolButton* m_back;
};

} // namespace fabricscope
