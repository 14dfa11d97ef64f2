// Opens, starts and generates the texts of programs.
#include "app/desktop/programs/programs.h"

#include "app/desktop/filecommands.h"
#include "core/run/programfile.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/generatedialog.h"
#include "widgets/programs/sourcefiles.h"

#include <QMenu>

namespace fabricscope {

namespace {

/// What a new program starts with: the shortest text that says what the words are.
const char* const kSkeleton = R"(-- What the collective does, and how.
collective("all_gather", {ranks = param("ranks", 4)})

for r = 0, ranks() - 1 do
  local own = chunk(r, "input", 0)
  for s = 1, ranks() - 1 do
    own:copy((r + s) % ranks(), "output", r)
  end
end
)";

} // namespace

void ProgramsPage::connectPrograms()
{
    const auto on = [this](const char* id, auto what) { connect(m_desk.commands().action(QString::fromLatin1(id)), &QAction::triggered, this, what); };
    on("program.new", [this] {
        comeOnShow();
        m_programs->showText(QString::fromLatin1(kSkeleton), QStringLiteral("program.lua"));
    });
    on("program.examples", [this] { showExamplePrograms(); });
    on("program.generate", [this] { generateProgramText(); });
    on("program.check", [this] {
        comeOnShow();
        m_programs->checker()->checkNow();
    });
    on("program.next", [this] {
        comeOnShow();
        if (!m_programs->nextFinding())
            m_desk.say(tr("There are no findings."));
    });
    for (const char* id : {"program.new", "program.examples", "program.generate", "program.synthesise", "file.open", "file.save", "program.export"})
        m_programs->addCommand(m_desk.commands().action(QString::fromLatin1(id)));
    m_programs->addProgramCommand(m_desk.commands().action(QStringLiteral("program.use")));
    connect(m_programs, &ProgramWorkspace::statusText, this, [this](const QString& text) { m_desk.say(text); });
    connect(m_programs->files(), &ProgramFiles::failed, this, [this](const Error& error) { m_desk.showFailure(error); });
    connect(&m_desk.files(), &FileCommands::programOpened, this, [this](const QString& path) {
        if (!m_programs->files()->open(path))
            return;
        comeOnShow();
        m_programs->showSynthesis(false);
    });
}

void ProgramsPage::showExamplePrograms()
{
    comeOnShow();
    auto* menu = new QMenu(&m_desk);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Example programs"));
    for (const ShippedProgram& program : shippedPrograms()) {
        menu->addAction(program.title, this, [this, program] { m_programs->showText(program.text, program.name); });
    }
    const Theme& theme = AppTheme::global().theme();
    menu->popup(m_programs->mapToGlobal(QPoint(theme.scaled(12), theme.scaled(32))));
}

void ProgramsPage::generateProgramText()
{
    GenerateDialog dialog(&m_desk);
    if (dialog.exec() != QDialog::Accepted)
        return;
    comeOnShow();
    const GenerateRequest request = dialog.request();
    m_desk.say(tr("Generating %1").arg(QString::fromStdString(request.algorithm)));
    inBackground(
        this,
        [request]() -> Result<ProgramText> {
            Result<ProgramPtr> program = generateProgram(request);
            if (!program)
                return std::move(program).error();
            return programAsText(program.value());
        },
        [this, request](const Result<ProgramText>& text) {
            if (!text)
                return m_desk.showFailure(text.error());
            ProgramOrigin origin;
            if (request.root == 0)
                origin.algorithm = ProgramSource{ProgramSource::Kind::Generator, request.algorithm, {}, request.radix, 1, 8, 1};
            origin.chunks = request.chunks;
            const QString name = QString::fromStdString(request.algorithm + text.value().ending);
            if (m_programs->showText(QString::fromStdString(text.value().text), name, std::move(origin)))
                m_desk.say(tr("Generated %1").arg(QString::fromStdString(request.algorithm)));
        });
}

} // namespace fabricscope
