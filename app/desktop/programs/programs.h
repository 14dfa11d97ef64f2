#pragma once

#include "app/desktop/workspace.h"
#include "core/program/program.h"

#include <functional>

namespace fabricscope {

class ProgramWorkspace;
struct ProgramToUse;
struct SynthesisedProgram;

/// Joins the Programs workspace to the rest of the window: opens, generates, searches and exports programs, and uses them in the design.
/// In programs.cpp, opentexts.cpp (opening and generating) and useprogram.cpp (searching, exporting, using).
class ProgramsPage : public Workspace
{
    Q_OBJECT
public:
    explicit ProgramsPage(Desk& desk);

    QWidget* page() override;
    void activate() override;
    void showDesign() override;
    std::optional<UndoTarget> undoTarget() const override;
    bool save() override;
    bool saveAs() override;
    bool mayEnd() override;
    void finish() override;
    void keepForRecovery() override;
    void offerRecovery() override;
    bool followLink(const QString& link) override;
    bool needsRun() const override { return false; }

private:
    void connectPrograms();
    void connectSynthesis();
    void comeOnShow();
    void generateProgramText();
    void showExamplePrograms();
    void exportProgram();
    void askWhereToWrite(ProgramPtr program, QString name, std::int64_t bytes);
    void writeProgram(const ProgramPtr& program, const QString& path, std::int64_t bytes, const std::function<void()>& done);
    void openSynthesised(const SynthesisedProgram& made);
    void useSynthesised(const SynthesisedProgram& made);
    void useShownProgram();
    void askWhereToUse(const ProgramToUse& program, const std::function<void(const QString&, const std::function<void()>&)>& write);
    QString defaultFolder() const;

    Desk& m_desk;
    ProgramWorkspace* m_programs;
};

} // namespace fabricscope
