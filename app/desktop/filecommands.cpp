#include "app/desktop/filecommands.h"

#include "core/insight/designset.h"
#include "core/run/inputfiles.h"
#include "core/run/savedresult.h"
#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/design/document.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/start/designtemplates.h"
#include "widgets/start/recentfiles.h"
#include "widgets/study/variantrunner.h"
#include "widgets/transform/rewritedocument.h"
#include "widgets/transform/rewritefiles.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricscope {

namespace {

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

/// "pod.yaml, 12.3 MiB".
QString nameAndSize(const QString& path)
{
    const QFileInfo file(path);
    return FileCommands::tr("%1, %2").arg(file.fileName(), QLocale().formattedDataSize(file.size(), 1));
}

/// The files where they are two to four designs and nothing else; otherwise none.
std::vector<std::string> designsToCompare(const std::vector<std::string>& names)
{
    InputFiles files;
    for (const std::string& name : names) {
        if (!files.add(name))
            return {}; // What is wrong with it is told by whoever opens it.
    }
    std::vector<std::string> designs = files.of(InputKind::Design);
    if (files.kinds() != 1 || designs.size() < 2 || designs.size() > DesignSet::kMost)
        designs.clear();
    return designs;
}

} // namespace

FileCommands::FileCommands(DesignDocument& document, QWidget* window)
    : DocumentFiles(
          window, [this] { return m_document.savedText() ? &*m_document.savedText() : nullptr; }, YamlDocument::kMaxBytes,
          [this] {
              return AutosaveState{m_document.text(), m_document.file(), m_document.displayName(), m_document.folder(), m_document.isModified()};
          }),
      m_document(document), m_recent(new RecentFiles(this))
{
    constexpr int kSlowMs = 500;
    m_slow.setSingleShot(true);
    m_slow.setInterval(kSlowMs);
    connect(&m_slow, &QTimer::timeout, this, [this] { emit reading(m_what); });
    connect(&shared(), &SharedFile::looked, &m_document, &DesignDocument::setFileGone);
    connect(&m_document, &DesignDocument::changed, &copies(), &Autosave::release);
    connect(&copies(), &Autosave::failed, this, [this](const QString& message) { emit noticed(tr("No automatic copy could be written: %1").arg(message)); });
    connect(&m_document, &DesignDocument::fileChanged, this, [this] { shared().follow(m_document.file(), m_readOnly); });
}

void FileCommands::openPaths(const QStringList& given)
{
    QStringList paths;
    QString program;
    QString transformed;
    QString study;
    for (const QString& path : given) {
        if (isTransformFile(path))
            transformed = path; // One is on show at a time: the last.
        else if (isStudyFile(path))
            study = path;
        else if (isProgramFile(path))
            program = path;
        else
            paths.append(path);
    }
    if (!transformed.isEmpty())
        emit transformOpened(transformed);
    if (!study.isEmpty())
        emit studyOpened(study);
    if (!program.isEmpty())
        emit programOpened(program);
    if (paths.isEmpty() || !mayClose())
        return;
    std::vector<std::string> names;
    for (const QString& path : paths)
        names.push_back(QFileInfo(path).exists() ? QFileInfo(path).absoluteFilePath().toStdString() : path.toStdString());
    read(
        paths.size() == 1 ? nameAndSize(paths.front()) : tr("%1 files").arg(paths.size()),
        [names](const std::stop_token& stop) -> Result<Found> {
            Found found;
            std::vector<std::string> together = names;
            if (const std::vector<std::string> designs = names.size() > 1 ? designsToCompare(names) : std::vector<std::string>(); !designs.empty()) {
                together = {designs.front()};
                std::transform(designs.begin() + 1, designs.end(), std::back_inserter(found.others), text);
            }
            OpenOptions options;
            options.threads = UserSettings::runThreads();
            options.stop = stop;
            Result<OpenedInput> input = openInputs(together, options);
            if (!input)
                return std::move(input).error();
            found.input = std::move(input).value();
            if (found.input.kind == OpenedInput::Kind::DesignText) {
                auto design = DesignDocument::prepareText(found.input.text, text(found.input.suggestedName), text(found.input.folder), stop);
                if (!design)
                    return std::move(design).error();
                found.design = std::move(design).value();
            }
            return found;
        },
        [this](Found found) { take(std::move(found)); });
}

/// Has `work` done on a worker and hands what it found to `done`, unless that is no longer wanted. Changes made meanwhile are asked about.
template <class Work, class Done>
void FileCommands::read(const QString& what, Work work, Done done)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const int number = ++m_opening;
    const int gesture = m_document.gesture();
    m_isReading = true;
    m_what = what;
    m_slow.start();
    using Answer = std::invoke_result_t<Work&, const std::stop_token&>;
    inBackground(
        this, [work = std::move(work), stop = m_stop.get_token()]() mutable { return work(stop); },
        [this, number, gesture, done = std::move(done)](Answer answer) mutable {
            if (number != m_opening) { // Cancelled, or something else was opened meanwhile.
                emit left(answer ? Error{ErrorCode::Internal, "read before it was cancelled", {}, {}} : answer.error());
                return;
            }
            cancelReading();
            if (!answer)
                emit failed(answer.error());
            else if (gesture == m_document.gesture() || mayClose())
                done(std::move(answer).value());
        });
}

void FileCommands::cancelReading()
{
    ++m_opening;
    m_stop.request_stop();
    m_slow.stop();
    if (std::exchange(m_isReading, false))
        emit reading({});
}

void FileCommands::take(Found found)
{
    switch (found.input.kind) {
    case OpenedInput::Kind::SavedRun: openRun(text(found.input.path)); return;
    case OpenedInput::Kind::DesignFile: openFile(text(found.input.path), found.others); return;
    case OpenedInput::Kind::DesignText: break;
    }
    m_document.take(std::move(*found.design), true);
    copies().discard();
    emit opened();
}

/// A file another window has open is not written to from two sides.
void FileCommands::openFile(const QString& path, const QStringList& others)
{
    const SharedFile::Opening how = shared().beforeOpening(path);
    if (how == SharedFile::Opening::Stop)
        return tellStopped(path);
    read(
        nameAndSize(path), [path](const std::stop_token& stop) { return DesignDocument::prepareFile(path, stop); },
        [this, path, how, others](DesignDocument::Prepared prepared) {
            if (how == SharedFile::Opening::Copy) { // It has no file yet.
                const QFileInfo file(path);
                prepared.file.clear();
                prepared.suggestedName = copyName(file);
                prepared.folder = file.absolutePath();
            }
            takeFile(std::move(prepared), path, how == SharedFile::Opening::ReadOnly);
            if (!others.isEmpty())
                emit comparisonOpened(others);
        });
}

void FileCommands::openRun(const QString& path)
{
    using Opened = std::shared_ptr<OpenedRun>;
    read(
        nameAndSize(path),
        [path](const std::stop_token& stop) -> Result<Opened> {
            Result<SavedRun> saved = fabricscope::readRun(QFile::encodeName(path).toStdString(), stop);
            if (!saved)
                return std::move(saved).error();
            Result<RunResultPtr> result = resultOfSavedRun(std::move(saved).value(), 1, stop);
            if (!result)
                return std::move(result).error();
            const RunSummary& summary = result.value()->summary;
            const QString name = QFileInfo(path).completeBaseName() + QStringLiteral(".yaml");
            const QString folder = summary.designFile.empty() ? QString() : QFileInfo(text(summary.designFile)).absolutePath();
            Result<DesignDocument::Prepared> design = DesignDocument::prepareText(summary.designText, name, folder, stop);
            if (!design)
                return std::move(design).error();
            return std::make_shared<OpenedRun>(OpenedRun{result.value(), std::move(design).value()});
        },
        [this](const Opened& run) { emit runOpened(run); });
}

void FileCommands::takeFile(DesignDocument::Prepared prepared, const QString& path, bool readOnly)
{
    m_readOnly = readOnly;
    m_document.take(std::move(prepared));
    m_readOnly = false;
    m_recent->add(path);
    copies().discard();
    emit opened();
}

bool FileCommands::openText(const QByteArray& design, const QString& suggestedName, const QString& folder)
{
    if (!mayClose())
        return false;
    cancelReading();
    if (const Status status = m_document.setText(design.toStdString(), suggestedName, folder); !status) {
        emit failed(status.error());
        return false;
    }
    copies().discard();
    emit opened();
    return true;
}

void FileCommands::openExample(const QString& id)
{
    for (const ShippedDesign& example : exampleDesigns())
        if (example.id == id)
            openText(QByteArray::fromStdString(example.text), id + QStringLiteral(".yaml"));
}

void FileCommands::openDialog()
{
    const QStringList paths = QFileDialog::getOpenFileNames(window(), tr("Open"), QFileInfo(m_document.file()).absolutePath(),
                                                            tr("Everything known (*.yaml *.yml *.json *.et *.run *.gz *.lua *.xml);;Designs (*.yaml *.yml);;Programs (*.lua *.xml);;All files (*)"));
    openPaths(paths);
}

bool FileCommands::save()
{
    return m_document.hasFile() ? saveTo(m_document.file()) : saveAs();
}

bool FileCommands::saveAs()
{
    const QString path = chooseFile(tr("Save the design as"), m_document.hasFile() ? m_document.file() : m_document.displayName(), tr("Designs (*.yaml *.yml)"));
    return !path.isEmpty() && saveTo(path);
}

bool FileCommands::saveTo(const QString& path)
{
    switch (shared().beforeSaving(path)) {
    case SharedFile::Saving::Write: return write(path);
    case SharedFile::Saving::Elsewhere: return saveAs();
    case SharedFile::Saving::Reload: reload(); return !m_document.isModified();
    case SharedFile::Saving::Stop: break;
    }
    return false;
}

bool FileCommands::write(const QString& path)
{
    if (const Status status = m_document.saveAs(path); !status) {
        tellNotSaved(status.error());
        return false;
    }
    shared().follow(m_document.file());
    m_recent->add(m_document.file());
    copies().discard();
    emit saved(path);
    return true;
}

void FileCommands::reload()
{
    const auto taken = [this](const Status& status) {
        if (!status)
            emit failed(status.error());
        shared().check();
    };
    if (QFileInfo(m_document.file()).size() <= qint64{DesignDocument::kReadAtOnceBytes}) {
        taken(m_document.reload());
        return;
    }
    read(
        nameAndSize(m_document.file()), [path = m_document.file(), shown = m_document.shown()](const std::stop_token& stop) { return DesignDocument::prepareReload(path, shown, stop); },
        [this, taken](DesignDocument::Prepared prepared) { taken(m_document.takeReload(std::move(prepared))); });
}

bool FileCommands::offerRecovery()
{
    // Those of programs too: one sentence for all.
    const QStringList aside = Autosave::putAsideUnreadable() + Autosave::putAsideUnreadable(QDir(stateFolder()).filePath(QStringLiteral("programs"))) + Autosave::putAsideUnreadable(RewriteFiles::copiesFolder());
    if (!aside.isEmpty())
        emit noticed(aside.size() == 1 ? tr("An automatic copy of an earlier session could not be read. It is kept as %1.").arg(aside.front())
                                       : tr("%1 automatic copies of earlier sessions could not be read. They are kept in %2.").arg(aside.size()).arg(QFileInfo(aside.front()).path()));
    // One window shows one document; others are offered at the next start.
    return offerCopies([this](const Recoverable& entry) { return recover(entry); });
}

/// False: it did not work, which was told.
bool FileCommands::recover(const Recoverable& entry)
{
    const AutosaveState& state = entry.state;
    const qint64 saved = state.path.isEmpty() ? 0 : QFileInfo(state.path).size();
    if (state.text.size() <= DesignDocument::kReadAtOnceBytes && saved <= qint64{DesignDocument::kReadAtOnceBytes}) {
        Result<Recovered> found = prepareRecovery(state, {});
        if (found)
            takeRecovered(entry, std::move(found).value());
        else
            emit failed(found.error());
        return static_cast<bool>(found);
    }
    read(
        tr("%1, %2").arg(state.name, QLocale().formattedDataSize(static_cast<qint64>(state.text.size()), 1)), [state](const std::stop_token& stop) { return prepareRecovery(state, stop); },
        [this, entry](Recovered found) { takeRecovered(entry, std::move(found)); });
    return true;
}

Result<FileCommands::Recovered> FileCommands::prepareRecovery(const AutosaveState& state, const std::stop_token& stop)
{
    Recovered found;
    if (!state.path.isEmpty()) {
        if (auto saved = DesignDocument::prepareFile(state.path, stop))
            found.saved = std::move(saved).value();
    }
    const QFileInfo file(state.path);
    auto kept = found.saved ? DesignDocument::prepareText(state.text, file.fileName(), file.path(), stop) : DesignDocument::prepareText(state.text, state.name, state.folder, stop);
    if (!kept)
        return std::move(kept).error();
    found.kept = std::move(kept).value();
    return found;
}

void FileCommands::takeRecovered(const Recoverable& entry, Recovered found)
{
    if (found.saved) {
        m_readOnly = shared().isOpenElsewhere(entry.state.path);
        m_document.take(*std::move(found.saved));
        m_readOnly = false;
        if (const Status status = m_document.takeEdit(tr("Recovered changes"), std::move(found.kept)); !status)
            emit failed(status.error());
    } else {
        m_document.take(std::move(found.kept), true);
    }
    // From now on the copy of this process stands in for the old one.
    if (copies().saveNow())
        Autosave::remove(entry);
    emit opened();
}

} // namespace fabricscope
