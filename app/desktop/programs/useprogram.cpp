// Brings programs into being and into the design: search, export, use.
#include "app/desktop/programs/programs.h"

#include "app/desktop/resulthistory.h"
#include "core/formats/programform.h"
#include "core/run/programfile.h"
#include "widgets/base/actions.h"
#include "widgets/base/background.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/synthesispanel.h"
#include "widgets/programs/useprogramdialog.h"
#include "widgets/results/words.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

namespace fabricscope {

namespace {

/// "ring.xml" for "ring" or "ring.lua".
QString withEnding(const QString& name, const QString& ending)
{
    return QFileInfo(name).completeBaseName() + ending;
}

/// Groups of the last run, else those the design names.
std::vector<std::pair<QString, std::string>> groupsOf(const RunResult* result, const Design& design)
{
    std::vector<std::pair<QString, std::string>> groups;
    if (result) {
        const Workload& workload = *result->scenario->structure->workload;
        for (std::size_t family = 0; family < workload.families.size(); ++family) {
            const GroupFamily& one = workload.families[family];
            groups.emplace_back(ProgramsPage::tr("%1, %2").arg(texts::group(workload, static_cast<FamilyId>(family)), texts::ranks(one.groupSize(0))), one.name());
        }
    } else if (const auto* steps = design.workload ? std::get_if<StepsWorkload>(design.workload.get()) : nullptr) {
        for (const GroupSpec& group : steps->groups)
            groups.emplace_back(texts::shown(group.name), group.name);
    }
    return groups;
}

} // namespace

void ProgramsPage::connectSynthesis()
{
    SynthesisPanel* panel = m_programs->synthesis();
    connect(m_desk.commands().action(QStringLiteral("program.synthesise")), &QAction::triggered, this, [this] {
        comeOnShow();
        m_programs->showSynthesis(true);
    });
    connect(m_desk.commands().action(QStringLiteral("program.use")), &QAction::triggered, this, &ProgramsPage::useShownProgram);
    connect(m_desk.commands().action(QStringLiteral("program.export")), &QAction::triggered, this, &ProgramsPage::exportProgram);
    connect(panel, &SynthesisPanel::openRequested, this, &ProgramsPage::openSynthesised);
    connect(panel, &SynthesisPanel::saveRequested, this, [this](const SynthesisedProgram& made) { askWhereToWrite(made.program, made.name, made.bytes); });
    connect(panel, &SynthesisPanel::useRequested, this, &ProgramsPage::useSynthesised);
}

void ProgramsPage::openSynthesised(const SynthesisedProgram& made)
{
    m_desk.say(tr("Writing %1 out").arg(made.name));
    inBackground(
        this, [program = made.program] { return programAsText(program); },
        [this, made](const Result<ProgramText>& text) {
            m_desk.say({});
            if (!text)
                return m_desk.showFailure(text.error());
            if (text.value().text.size() > static_cast<std::size_t>(ProgramFiles::kMostBytes)) {
                m_desk.warn(tr("%1 MiB of text are more than is edited here. Save it, or use it in the design.").arg(text.value().text.size() >> 20));
                return;
            }
            ProgramOrigin origin;
            origin.facts = made.facts;
            m_programs->showText(QString::fromStdString(text.value().text), made.name + QString::fromStdString(text.value().ending), std::move(origin));
        });
}

void ProgramsPage::exportProgram()
{
    comeOnShow();
    const CheckedProgramPtr checked = m_programs->checked();
    if (!checked || !checked->program) {
        m_desk.warn(tr("There is no program to export: its text cannot be read."));
        return;
    }
    askWhereToWrite(checked->program, QFileInfo(m_programs->files()->displayName()).completeBaseName(), -1);
}

/// `bytes`: the large side for sizes in graphs; -1: left open. What is to be written is held here: while the dialog is open the window goes on, and
/// shows another program.
void ProgramsPage::askWhereToWrite(ProgramPtr program, QString name, std::int64_t bytes)
{
    const QStringList forms{tr("MSCCL XML (*.xml)"), tr("Fabricscope JSON (*.json)"), tr("Chakra graphs, one per rank (*.et)")};
    const QString endings[] = {QStringLiteral(".xml"), QStringLiteral(".json"), QStringLiteral(".et")};
    QString form = forms.front();
    QString path = QFileDialog::getSaveFileName(&m_desk, tr("Export the program"), QDir(defaultFolder()).filePath(name + endings[0]), forms.join(QStringLiteral(";;")), &form);
    if (path.isEmpty())
        return;
    if (!programFormWritten(path.toStdString()))
        path += endings[std::max<qsizetype>(forms.indexOf(form), 0)];
    writeProgram(program, path, bytes, {});
}

void ProgramsPage::writeProgram(const ProgramPtr& program, const QString& path, std::int64_t bytes, const std::function<void()>& done)
{
    if (const Status target = checkProgramTarget(path); !target)
        return m_desk.showFailure(target.error());
    m_desk.say(tr("Writing %1").arg(QFileInfo(path).fileName()));
    inBackground(
        this, [program, path = path.toStdString(), bytes] { return writeProgramFile(program, path, bytes); },
        [this, path, done](const Result<Diagnostics>& notes) {
            if (!notes) {
                m_desk.say({});
                return m_desk.showFailure(notes.error());
            }
            m_desk.endProblem();
            const Diagnostics& left = notes.value();
            const QString written = tr("Program written: %1").arg(path);
            if (left.empty())
                m_desk.say(written);
            else
                m_desk.warn(tr("%1. Not in the file: %2").arg(written, QString::fromStdString(left.front().text())));
            if (done)
                done();
        });
}

void ProgramsPage::useShownProgram()
{
    comeOnShow();
    const CheckedProgramPtr checked = m_programs->checked();
    if (m_programs->checker()->isBusy() || !checked) {
        m_desk.say(tr("The text is still being checked."));
        return;
    }
    if (!checked->isValid()) {
        m_desk.warn(tr("The program has errors. Mend them before it is used in the design."));
        return;
    }
    const ProgramFiles& files = *m_programs->files();
    const std::string text = m_programs->editor()->toPlainText().toStdString();
    const std::string_view ofForm = programFormRow(programFormOfText(text)).ending;
    const QString ending = QString::fromUtf8(ofForm.data(), static_cast<qsizetype>(ofForm.size()));
    ProgramToUse use;
    use.name = withEnding(files.displayName(), {});
    if (!checked->program->name.empty())
        use.name = QString::fromStdString(checked->program->name);
    use.op = checked->program->op;
    use.ranks = checked->program->ranks;
    use.anyRanks = checked->asksForRanks;
    use.algorithm = m_programs->origin().algorithm;
    use.chunks = m_programs->origin().chunks;
    use.written = !files.path().isEmpty() && !files.isModified() && files.path().endsWith(ending);
    use.file = use.written || files.path().endsWith(ending) ? files.path() : QDir(defaultFolder()).filePath(withEnding(files.displayName(), ending));
    askWhereToUse(use, [this](const QString& path, const std::function<void()>& done) {
        if (m_programs->files()->write(path)) // Tells of a failure itself.
            done();
    });
}

void ProgramsPage::useSynthesised(const SynthesisedProgram& made)
{
    ProgramToUse use;
    use.name = made.name;
    use.op = made.program->op;
    use.ranks = made.program->ranks;
    use.file = QDir(defaultFolder()).filePath(made.name + QStringLiteral(".json"));
    askWhereToUse(use, [this, made](const QString& path, const std::function<void()>& done) { writeProgram(made.program, path, made.bytes, done); });
}

QString ProgramsPage::defaultFolder() const
{
    return m_desk.document().folder().isEmpty() ? QDir::homePath() : m_desk.document().folder();
}

void ProgramsPage::askWhereToUse(const ProgramToUse& program, const std::function<void(const QString&, const std::function<void()>&)>& write)
{
    if (m_desk.document().design()->astra) {
        m_desk.warn(tr("The ASTRA-sim system file of this design decides its algorithms."));
        return;
    }
    const RunResultPtr result = m_desk.history().current();
    ProgramTarget target;
    target.folder = m_desk.document().folder();
    target.groups = groupsOf(result.get(), *m_desk.document().design());
    if (result)
        target.kinds = collectiveKinds(*result);
    auto* dialog = new UseProgramDialog(program, std::move(target), &m_desk);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, write] {
        const edits::ProgramRule rule = dialog->rule();
        const QString path = dialog->fileToWrite();
        // The file is written beside: until then another design may have been opened.
        const auto apply = [this, rule, folder = m_desk.document().folder(), name = m_desk.document().displayName()] {
            if (m_desk.document().folder() != folder || m_desk.document().displayName() != name)
                return m_desk.warn(tr("Another design is open now. The rule was not added."));
            const QString used = QFileInfo(QString::fromStdString(rule.source.text)).fileName();
            const QString title = tr("%1 for %2").arg(used, texts::inSentence(texts::operation(*rule.op)));
            const Status status = m_desk.document().edit(title, [&rule](YamlDocument& yaml) { return edits::setProgramRule(yaml, rule); });
            if (!status)
                return m_desk.showFailure(status.error());
            // Where the result is, and where undo is about the design.
            m_desk.setWorkspace(QStringLiteral("explore"));
            m_desk.endProblem();
            m_desk.say(tr("%1 is the first rule of the design now.").arg(title));
        };
        path.isEmpty() ? apply() : write(path, apply);
    });
    dialog->open();
}

} // namespace fabricscope
