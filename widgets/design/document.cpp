#include "widgets/design/document.h"

#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/design/edits/drawnelsewhere.h"
#include "core/design/file/readdesign.h"
#include "core/design/validate.h"
#include "core/report/outputfile.h"
#include "widgets/base/background.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/design/textchange.h"

#include <QFile>
#include <QFileInfo>
#include <QScopeGuard>
#include <QStringDecoder>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace fabricscope {

namespace {

bool isUtf8(const std::string& text)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decoder(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
    return !decoder.hasError();
}

Status checkText(const std::string& text, const std::string& file)
{
    Place place;
    place.file = file;
    if (text.size() > YamlDocument::kMaxBytes)
        return invalidInput("the text is too large", place, "at most 64 MiB");
    if (!isUtf8(text))
        return invalidInput("the text is not UTF-8", place, "a design file: YAML in UTF-8");
    return {};
}

/// An error that leaves no doubt about the fabric does not stop the picture of it.
bool concernsPlatform(const Diagnostic& diagnostic)
{
    for (const char* section : {"workload", "collectives", "model", "name", "notes"}) {
        if (diagnostic.place.field.rfind(section, 0) == 0)
            return false;
    }
    return diagnostic.severity == Severity::Error && diagnostic.rule != "design-file"; // a fabric whose file fails is empty
}

bool isError(const Diagnostic& diagnostic)
{
    return diagnostic.severity == Severity::Error;
}

std::string pathBytes(const QString& path)
{
    return QFile::encodeName(path).toStdString();
}

} // namespace

/// What the text before and after differ by. Steps of one number merge.
class DesignDocument::TextCommand : public QUndoCommand
{
public:
    TextCommand(DesignDocument& document, const QString& title, const std::string& after, int step)
        : QUndoCommand(title), m_document(document), m_step(step), m_change(document.m_text, after)
    {
    }

    int id() const override { return m_step; }

    void redo() override
    {
        if (!m_document.m_pushing)
            m_document.newGesture();
        m_document.apply(m_change.applied(m_document.m_text));
    }

    void undo() override
    {
        m_document.newGesture();
        m_document.apply(m_change.takenBack(m_document.m_text));
    }

    bool mergeWith(const QUndoCommand* next) override
    {
        const auto& newer = static_cast<const TextCommand&>(*next); // the same id, which only these have
        const std::string& now = m_document.m_text;
        m_change = TextChange(m_change.takenBack(newer.m_change.takenBack(now)), now);
        setText(newer.text());
        setObsolete(m_change.isEmpty());
        return true;
    }

private:
    DesignDocument& m_document;
    int m_step;
    TextChange m_change;
};

DesignDocument::DesignDocument(QObject* parent) : QObject(parent), m_suggestedName(tr("Untitled.yaml")), m_saved(std::string())
{
    m_read = readText(m_text, m_suggestedName, {});
    m_read.issues.clear(); // a document that was never filled is no finding
}

DesignDocument::~DesignDocument()
{
    m_stopReading.request_stop();
}

Result<DesignDocument::Prepared> DesignDocument::prepareFile(const QString& path, const std::stop_token& stop)
{
    const std::string file = pathBytes(path);
    auto text = readTextFile(file, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    if (Status status = checkText(text.value(), file); !status)
        return status.error();
    Read read = readText(text.value(), path, {}, stop);
    if (stop.stop_requested())
        return stoppedError();
    if (!read.yaml) // Its only finding says why.
        return YamlDocument::parse(std::move(text).value(), file, stop).error();
    if (!read.yaml->root().isMap())
        return invalidInput("this is not a design", read.yaml->place(read.yaml->root()), "a mapping with fabricscope: 1, platform, workload");
    return Prepared{path, {}, {}, std::move(text).value(), std::move(read)};
}

Result<DesignDocument::Prepared> DesignDocument::prepareText(std::string text, const QString& suggestedName, const QString& folder, const std::stop_token& stop)
{
    if (Status status = checkText(text, suggestedName.toStdString()); !status)
        return status.error();
    Read read = readText(text, folder.isEmpty() ? suggestedName : folder + QLatin1Char('/') + suggestedName, {}, stop);
    if (stop.stop_requested())
        return stoppedError();
    return Prepared{{}, suggestedName, folder, std::move(text), std::move(read)};
}

void DesignDocument::take(Prepared prepared, bool modified)
{
    std::optional<std::string> saved = modified ? std::nullopt : std::optional(prepared.text);
    m_file = prepared.file;
    m_suggestedName = prepared.suggestedName;
    m_folder = prepared.folder;
    m_saved = std::move(saved);
    replace(std::move(prepared.text), std::move(prepared.read));
}

Status DesignDocument::open(const QString& path)
{
    auto prepared = prepareFile(path);
    if (!prepared)
        return std::move(prepared).error();
    take(std::move(prepared).value());
    return {};
}

Status DesignDocument::setText(std::string text, const QString& suggestedName, const QString& folder, bool modified)
{
    auto prepared = prepareText(std::move(text), suggestedName, folder);
    if (!prepared)
        return std::move(prepared).error();
    take(std::move(prepared).value(), modified);
    return {};
}

void DesignDocument::replace(std::string text, Read read)
{
    m_fileGone = false;
    newGesture();
    m_text = std::move(text);
    setRead(std::move(read));
    m_undo.clear();
    emit replaced();
    emit fileChanged();
    updateModified();
    emit changed();
}

/// The tree of a large text takes a moment to be given back.
void DesignDocument::setRead(Read read)
{
    m_stopReading.request_stop();
    m_isReading = false;
    ++m_readNumber;
    auto old = std::make_shared<Read>(std::exchange(m_read, std::move(read)));
    if (old->yaml && old->yaml->text().size() > kReadAtOnceBytes)
        inBackground(this, [old]() mutable { old.reset(); return 0; }, [](const Result<int>&) {});
}

Status DesignDocument::saveAs(const QString& path)
{
    if (Status status = path == m_file ? checkSaveTarget(path) : checkExportTarget(path); !status)
        return status;
    if (Status status = writeOutputFile(pathBytes(path), m_text); !status)
        return status;
    m_fileGone = false;
    const bool moved = path != m_file;
    m_file = path;
    m_suggestedName.clear();
    m_folder.clear();
    m_saved = m_text;
    m_merge.clear();
    m_undo.setClean();
    if (moved) {
        readAgain(); // relative paths start elsewhere now
        emit fileChanged();
        emit changed();
    }
    updateModified();
    return {};
}

Result<DesignDocument::Prepared> DesignDocument::prepareReload(const QString& path, const Read& shown, const std::stop_token& stop)
{
    const std::string file = pathBytes(path);
    auto text = readTextFile(file, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    if (Status status = checkText(text.value(), file); !status)
        return status.error();
    Read read = readText(text.value(), path, shown, stop);
    if (stop.stop_requested())
        return stoppedError();
    return Prepared{path, {}, {}, std::move(text).value(), std::move(read)};
}

Status DesignDocument::takeReload(Prepared prepared)
{
    if (prepared.file != m_file)
        return {}; // Saved elsewhere meanwhile.
    m_saved = prepared.text;
    m_fileGone = false;
    Status status = takeEdit(tr("Reload from disk"), std::move(prepared));
    updateModified();
    return status;
}

Status DesignDocument::takeEdit(const QString& title, Prepared prepared)
{
    return push(title, std::move(prepared.text), {}, std::move(prepared.read));
}

Status DesignDocument::reload()
{
    auto prepared = prepareReload(m_file, shown());
    if (!prepared)
        return std::move(prepared).error();
    return takeReload(std::move(prepared).value());
}

void DesignDocument::setFileGone(bool gone)
{
    m_fileGone = gone && hasFile();
    updateModified();
}

QString DesignDocument::displayName() const
{
    return m_file.isEmpty() ? m_suggestedName : QFileInfo(m_file).fileName();
}

QString DesignDocument::folder() const
{
    return m_file.isEmpty() ? m_folder : QFileInfo(m_file).path();
}

bool DesignDocument::hasErrors() const
{
    return std::any_of(m_read.issues.begin(), m_read.issues.end(), isError);
}

Status DesignDocument::edit(const QString& title, const std::function<Status(YamlDocument&)>& change, const QString& merge)
{
    if (!m_read.yaml) {
        Place place;
        place.file = displayName().toStdString();
        if (m_isReading)
            return Error{ErrorCode::Unsupported, "the text is still being read", place, "a moment later"};
        return invalidInput("the text has errors", place, "text that is YAML, before a value can be changed");
    }
    YamlDocument edited = *m_read.yaml;
    if (Status status = change(edited); !status)
        return status;
    std::string text = edited.text();
    if (text == m_text)
        return {};
    const std::string file = pathBytes(readAs());
    auto drawn = readDrawn(edited);
    return push(title, std::move(text), merge, drawn ? std::move(*drawn) : readParsed(std::move(edited), file, m_read));
}

/// What follows from a text that says the same as the one on show but for where nodes are drawn, without reading a large design again; `edited` is taken.
/// Absent: it says something else.
std::optional<DesignDocument::Read> DesignDocument::readDrawn(YamlDocument& edited) const
{
    if (!differOnlyInPlaces(m_read.yaml->root(), edited.root()))
        return std::nullopt;
    Read read{std::nullopt, nullptr, m_read.platform, m_read.issues};
    auto places = std::make_shared<const FieldPlaces>(edited);
    const bool sameLines = std::ranges::count(edited.text(), '\n') == std::ranges::count(m_text, '\n');
    for (Diagnostic& issue : read.issues) {
        const auto now = places->find(issue.place.field);
        if (now && now->file == issue.place.file) {
            issue.place.line = now->line;
            issue.place.column = now->column;
        } else if (!sameLines) {
            return std::nullopt;
        }
    }
    Design design = *m_read.design;
    design.places = std::move(places);
    read.design = std::make_shared<const Design>(std::move(design));
    read.yaml = std::move(edited);
    return read;
}

Status DesignDocument::editText(const QString& title, std::string text, const QString& merge)
{
    if (Status status = checkText(text, displayName().toStdString()); !status)
        return status;
    return push(title, std::move(text), merge);
}

/// `read`: what follows from the text, where that is known.
Status DesignDocument::push(const QString& title, std::string text, const QString& merge, std::optional<Read> read)
{
    if (text == m_text)
        return {};
    m_readAhead = std::move(read);
    const auto forget = qScopeGuard([this] { m_readAhead.reset(); });
    if (merge.isEmpty() || merge != m_merge) {
        ++m_step;
        ++m_gesture;
        m_merge = merge;
    }
    m_pushing = true;
    const auto pushed = qScopeGuard([this] { m_pushing = false; }); // Also when reading the text runs out of memory.
    m_undo.push(new TextCommand(*this, title, text, merge.isEmpty() ? -1 : m_step));
    return {};
}

/// What was being dragged or typed is over.
void DesignDocument::newGesture()
{
    m_merge.clear();
    ++m_gesture;
}

void DesignDocument::endMerge()
{
    m_merge.clear();
}

void DesignDocument::apply(std::string text)
{
    if (m_readAhead) {
        m_text = std::move(text);
        setRead(*std::exchange(m_readAhead, std::nullopt));
    } else if (text.size() > kReadAtOnceBytes) {
        m_text = std::move(text);
        readBeside();
    } else {
        Read read = readText(text, readAs(), m_read); // Nothing changes when there is no memory for this.
        m_text = std::move(text);
        setRead(std::move(read));
    }
    updateModified();
    emit changed();
}

/// The name to read the text under: where its relative paths start.
QString DesignDocument::readAs() const
{
    if (!m_file.isEmpty())
        return m_file;
    return m_folder.isEmpty() ? m_suggestedName : m_folder + QLatin1Char('/') + m_suggestedName;
}

void DesignDocument::readAgain()
{
    if (m_text.size() > kReadAtOnceBytes)
        readBeside();
    else
        setRead(readText(m_text, readAs(), m_read));
}

void DesignDocument::readBeside()
{
    Place place;
    place.file = displayName().toStdString();
    Read until = shown();
    until.issues.push_back(finding("reading", Error{ErrorCode::Unsupported, "the text is being read", place, {}}));
    setRead(std::move(until));
    m_isReading = true;
    m_stopReading = std::stop_source();
    auto work = [text = m_text, name = readAs(), before = shown(), stop = m_stopReading.get_token()] { return std::make_shared<Read>(readText(text, name, before, stop)); };
    inBackground(this, std::move(work), [this, number = m_readNumber](const Result<std::shared_ptr<Read>>& read) {
        if (number != m_readNumber)
            return; // The text is another one by now.
        Read taken = read ? std::move(*read.value()) : shown();
        if (!read)
            taken.issues.push_back(finding("reading", read.error())); // With the next change it is tried again.
        setRead(std::move(taken));
        emit changed();
    });
}

/// What `text` says, read as the file `name`; of `shown` what stays. Nothing of the document changes yet: reading may run out of memory.
DesignDocument::Read DesignDocument::readText(const std::string& text, const QString& name, const Read& shown, const std::stop_token& stop)
{
    const std::string file = pathBytes(name);
    return readParsed(YamlDocument::parse(text, file, stop), file, shown, stop);
}

DesignDocument::Read DesignDocument::readParsed(Result<YamlDocument> yaml, const std::string& file, const Read& shown, const std::stop_token& stop)
{
    Read result;
    if (stop.stop_requested())
        return result; // Nobody wants it.
    std::optional<Platform> platform = shown.platform; // To make one of a large graph takes long.
    const bool readable = static_cast<bool>(yaml);
    if (readable) {
        result.yaml = std::move(yaml).value();
        LoadedDesign loaded = inspectDesign(*result.yaml, stop);
        if (stop.stop_requested())
            return result;
        result.issues = std::move(loaded.diagnostics);
        for (Diagnostic& found : result.issues) {
            // A check of several parts together stands at the last of them; its field knows better.
            const auto exact = loaded.design.places ? loaded.design.places->find(found.place.field) : std::nullopt;
            if (exact && found.place.file == exact->file) {
                found.place.line = exact->line;
                found.place.column = exact->column;
            }
        }
        if (std::none_of(result.issues.begin(), result.issues.end(), isError)) {
            const Status checked = untilStopped([&]() -> Status {
                for (Diagnostic& found : validate(loaded.design, stop, platform))
                    result.issues.push_back(std::move(found));
                return {};
            });
            if (!checked)
                return result;
        }
        if (!loaded.design.platform)
            loaded.design.platform = std::make_shared<const PlatformSpec>();
        if (!loaded.design.workload)
            loaded.design.workload = std::make_shared<const WorkloadSpec>();
        result.design = std::make_shared<const Design>(std::move(loaded.design));
    } else {
        result.issues.push_back(finding("yaml", yaml.error()));
        result.design = shown.design;
        if (!result.design) {
            Design nothing;
            nothing.file = file;
            nothing.folder = std::filesystem::path(file).parent_path().string();
            nothing.platform = std::make_shared<const PlatformSpec>();
            nothing.workload = std::make_shared<const WorkloadSpec>();
            result.design = std::make_shared<const Design>(std::move(nothing));
        }
    }
    std::stable_sort(result.issues.begin(), result.issues.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.severity > b.severity; });
    result.platform = shown.platform; // Views may keep what they worked out for it.
    if (!readable || std::any_of(result.issues.begin(), result.issues.end(), concernsPlatform))
        return result;
    if (result.platform && result.platform->spec() == *result.design->platform)
        return result;
    if (platform && platform->spec() == *result.design->platform)
        result.platform = std::move(platform);
    else if (auto created = Platform::create(*result.design->platform, stop))
        result.platform = std::move(created).value();
    return result;
}

void DesignDocument::updateModified()
{
    const bool modified = m_fileGone || !m_saved || *m_saved != m_text;
    if (modified == m_modified)
        return;
    m_modified = modified;
    emit modifiedChanged(modified);
}

} // namespace fabricscope
