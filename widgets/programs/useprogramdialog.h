#pragma once

#include "core/design/edits/edits.h"
#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace fabricscope {

/// Collectives of a run that are alike.
struct CollectiveKind {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::string group;       ///< Name of the family, as rules name it ("world": all ranks).
    std::int32_t ranks = 0;  ///< Of one group.
    std::int64_t bytes = 0;  ///< Large side.
    friend bool operator==(const CollectiveKind&, const CollectiveKind&) = default;
};
/// In the order of the run, each once. O(collectives of the run).
std::vector<CollectiveKind> collectiveKinds(const RunResult& result);

/// A program that is to run in a design.
struct ProgramToUse {
    QString name;
    CollectiveOp op = CollectiveOp::AllReduce;  ///< Custom: the user says what it is run for.
    std::int32_t ranks = 0;
    bool anyRanks = false;                      ///< It asks for the number of ranks.
    std::optional<ProgramSource> algorithm;     ///< The generator that gives it, for groups of any size.
    std::int32_t chunks = 1;                    ///< Of the generator.
    QString file;                               ///< Where it is, or is to be written by default; absolute.
    bool written = false;                       ///< `file` is this program already.
};

/// What the design says.
struct ProgramTarget {
    QString folder;                             ///< Relative paths start here; empty: it has no file yet.
    std::vector<std::pair<QString, std::string>> groups; ///< Title and name.
    std::vector<CollectiveKind> kinds;          ///< Empty: nothing has run.
};

/// Asks which collectives of the design a program is to run, and where it is kept; says while one types which collectives that are.
class UseProgramDialog : public QDialog
{
    Q_OBJECT
public:
    UseProgramDialog(ProgramToUse program, ProgramTarget target, QWidget* parent = nullptr);

    /// \pre isAcceptable().
    edits::ProgramRule rule() const;
    /// The file to be written before the rule; empty: none.
    QString fileToWrite() const;
    bool isAcceptable() const;

private:
    void chooseGroup();
    void check();
    void browse();
    bool asAlgorithm() const;
    QString filePath() const;
    QString pathInDesign() const;
    CollectiveOp op() const;

    Theme m_theme;
    ProgramToUse m_program;
    ProgramTarget m_target;
    QComboBox* m_op;
    QComboBox* m_group;
    QLineEdit* m_least;
    QLineEdit* m_most;
    QComboBox* m_form;
    QLineEdit* m_file;
    QPushButton* m_browse;
    QLabel* m_note;
    QPushButton* m_accept;
};

/// A size as people type it: "64 MiB", or bytes without a unit. Absent: empty, or not readable (`wrong` then says so).
std::optional<Quantity> typedSize(const QString& text, QString* wrong = nullptr);
/// Puts a field into the look of an error, or back.
void markWrong(QWidget& field, bool wrong);

} // namespace fabricscope
