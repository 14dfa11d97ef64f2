#pragma once

#include "core/design/design.h"
#include "core/platform/platform.h"
#include "core/yaml/tree.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// The design being edited. Its YAML text is the truth: every edit is a splice that keeps comments, order and line ends, and the
/// typed design is what reading that text gives. Undo restores bytes. Text that cannot be read stays, with its issues; the last
/// readable platform stays with it, so that views keep their picture.
class DesignDocument : public QObject
{
    Q_OBJECT
public:
    /// All that follows from a text.
    struct Read {
        std::optional<YamlDocument> yaml;
        std::shared_ptr<const Design> design;
        std::optional<Platform> platform;
        Diagnostics issues;
    };
    /// A text that was read, on any thread, to be taken by a document.
    struct Prepared {
        QString file;          ///< Empty: it has none yet.
        QString suggestedName; ///< Of one without a file,
        QString folder;        ///< and where its relative paths start.
        std::string text;
        Read read;
    };

    explicit DesignDocument(QObject* parent = nullptr);
    ~DesignDocument() override;

    /// Reads a file to replace a document. Any thread; O(bytes), about a second for 4 MB. Errors: NotReadable; text that is not UTF-8, no YAML or no mapping;
    /// Cancelled when told to stop. Fields that cannot be read do not stop it: they are issues().
    static Result<Prepared> prepareFile(const QString& path, const std::stop_token& stop = {});
    /// The same for a text that has no file yet. Errors: text that is not UTF-8 or larger than YamlDocument::kMaxBytes; Cancelled.
    static Result<Prepared> prepareText(std::string text, const QString& suggestedName, const QString& folder = {}, const std::stop_token& stop = {});
    /// Replaces the document. `modified`: it counts as changed; of one without a file.
    void take(Prepared prepared, bool modified = false);

    /// prepareFile() and take() at once. On an error nothing changes.
    Status open(const QString& path);
    /// Replaces the document by a text that has no file yet (template, preset, import). `folder`: where relative paths start.
    /// `suggestedName`: offered when saving. The document is then modified only if `modified`. Any UTF-8 text is taken, also one
    /// with errors (recovery). Errors: text that is not UTF-8 or larger than YamlDocument::kMaxBytes.
    Status setText(std::string text, const QString& suggestedName, const QString& folder = {}, bool modified = false);
    /// Writes the text whole or not at all, with the name as the new file. On an error the old file and the document are unchanged.
    Status saveAs(const QString& path);
    /// \pre hasFile()
    Status save() { return saveAs(m_file); }

    /// Reads what the file says now, for takeReload(). Errors: as prepareFile(), but any text in UTF-8 is taken. Any thread; `shown`: platform() and design().
    static Result<Prepared> prepareReload(const QString& path, const Read& shown, const std::stop_token& stop = {});
    /// What readers of this document's text may keep.
    Read shown() const { return {std::nullopt, m_read.design, m_read.platform, {}}; }
    /// Takes what the file said as one undo step, as the saved state.
    Status takeReload(Prepared prepared);
    /// Takes a text of this document that was read elsewhere as one undo step called `title`.
    Status takeEdit(const QString& title, Prepared prepared);
    /// prepareReload() and takeReload() at once. On an error nothing changes.
    Status reload();
    /// The file is no longer there (or is again): what is here exists nowhere else, so the document counts as modified.
    void setFileGone(bool gone);
    /// The bytes the file had when it was last read or written here; absent: there is none.
    const std::optional<std::string>& savedText() const { return m_saved; }

    bool hasFile() const { return !m_file.isEmpty(); }
    const QString& file() const { return m_file; }       ///< Empty: never saved.
    QString displayName() const;                          ///< File name, or the suggested one.
    /// The text differs from the saved one: undo, or typing, back to it makes this false again.
    bool isModified() const { return m_modified; }
    /// Where relative paths in the design start: the folder of the file, or the one given to setText(); empty: the working directory.
    QString folder() const;

    const std::string& text() const { return m_text; }
    /// A text that takes longer to read than an eye notices is read on another thread. Until it is, changed() shows it with all that follows from the last
    /// one that was read, yaml() is null and the only issue, an error, says so; then changed() comes again.
    bool isReading() const { return m_isReading; }
    /// Longer texts are read on another thread: some 50 ms.
    static constexpr std::size_t kReadAtOnceBytes = std::size_t{1} << 18;
    /// The document as a tree; null while the text is no YAML or is being read.
    const YamlDocument* yaml() const { return m_read.yaml ? &*m_read.yaml : nullptr; }
    /// As read from the text; with errors in it, as far as it could be read; of the last YAML while the text is none.
    /// Shared with running jobs, never null, and so are its platform and workload.
    std::shared_ptr<const Design> design() const { return m_read.design; }
    /// What reading and validating found, errors first.
    const Diagnostics& issues() const { return m_read.issues; }
    bool hasErrors() const;
    /// Of the last readable state; absent before the first.
    const std::optional<Platform>& platform() const { return m_read.platform; }

    QUndoStack& undoStack() { return m_undo; }
    /// Applies a change as one undo step called `title`. Changes with the same `merge` key that follow one another are one step
    /// (a slider being dragged) until endMerge(). On an error nothing changes.
    Status edit(const QString& title, const std::function<Status(YamlDocument&)>& change, const QString& merge = {});
    /// Replaces the whole text as one undo step (the YAML view).
    Status editText(const QString& title, std::string text, const QString& merge = {});
    void endMerge();
    /// Number of the gesture the text came of: a new one with every step of undo (edits that merge are one), every undo and redo, and
    /// every document. changed() is emitted under the new number, undoStack()'s signals come after it.
    int gesture() const { return m_gesture; }

signals:
    /// Text, design or issues are new; after every edit, undo, redo, open.
    void changed();
    /// A different document: open() or setText().
    void replaced();
    void fileChanged();
    void modifiedChanged(bool modified);

private:
    class TextCommand;
    static Read readText(const std::string& text, const QString& name, const Read& shown, const std::stop_token& stop = {});
    static Read readParsed(Result<YamlDocument> yaml, const std::string& file, const Read& shown, const std::stop_token& stop = {});
    std::optional<Read> readDrawn(YamlDocument& edited) const;
    QString readAs() const;
    void readAgain();
    void readBeside();
    void apply(std::string text);
    void replace(std::string text, Read read);
    void setRead(Read read);
    void updateModified();
    void newGesture();
    Status push(const QString& title, std::string text, const QString& merge, std::optional<Read> read = std::nullopt);

    QString m_file;
    QString m_suggestedName;
    QString m_folder;
    std::string m_text;
    Read m_read;
    std::optional<Read> m_readAhead;       ///< Of the text that is being pushed.
    bool m_isReading = false;
    int m_readNumber = 0;                  ///< Of the newest text; what was read of an earlier one is not taken.
    std::stop_source m_stopReading;
    QUndoStack m_undo;
    QString m_merge;                       ///< Key of the step that may still grow; empty: none.
    int m_step = 0;                        ///< Number of that step.
    int m_gesture = 0;
    bool m_pushing = false;                ///< The stack carries out a new edit, not a redo.
    std::optional<std::string> m_saved;    ///< Absent: there is no saved state to return to.
    bool m_fileGone = false;
    bool m_modified = false;
};

} // namespace fabricscope
