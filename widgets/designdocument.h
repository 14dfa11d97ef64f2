#pragma once

#include "core/design/design.h"
#include "core/design/yamltree.h"
#include "core/platform/platform.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace fabricscope {

/// The design being edited. Its YAML text is the truth: every edit is a splice that keeps comments, order and line ends, and the
/// typed design is what reading that text gives. Undo restores bytes. Text that cannot be read stays, with its issues; the last
/// readable platform stays with it, so that views keep their picture.
class DesignDocument : public QObject
{
    Q_OBJECT
public:
    explicit DesignDocument(QObject* parent = nullptr);
    ~DesignDocument() override;

    /// Replaces the document by a file. On an error nothing changes.
    Status open(const QString& path);
    /// Replaces the document by a text that has no file yet (template, preset, import). `folder`: where relative paths start.
    /// `suggestedName`: offered when saving. The document is then modified only if `modified`.
    Status setText(std::string text, const QString& suggestedName, const QString& folder = {}, bool modified = false);
    /// Writes the text whole or not at all, with the name as the new file. On an error the old file and the document are unchanged.
    Status saveAs(const QString& path);
    /// \pre hasFile()
    Status save() { return saveAs(m_file); }

    bool hasFile() const { return !m_file.isEmpty(); }
    const QString& file() const { return m_file; }       ///< Empty: never saved.
    QString displayName() const;                          ///< File name, or the suggested one.
    bool isModified() const;

    const std::string& text() const;
    /// The document as a tree; null while the text is no YAML.
    const YamlDocument* yaml() const { return m_yaml ? &*m_yaml : nullptr; }
    /// As read from the text; with errors in it, as far as it could be read. Shared with running jobs, never null.
    std::shared_ptr<const Design> design() const { return m_design; }
    /// What reading and validating found, errors first.
    const Diagnostics& issues() const { return m_issues; }
    bool hasErrors() const;
    /// Of the last readable state; absent before the first.
    const std::optional<Platform>& platform() const { return m_platform; }

    QUndoStack& undoStack() { return m_undo; }
    /// Applies a change as one undo step called `title`. Changes with the same `merge` key that follow one another are one step
    /// (a slider being dragged) until endMerge(). On an error nothing changes.
    Status edit(const QString& title, const std::function<Status(YamlDocument&)>& change, const QString& merge = {});
    /// Replaces the whole text as one undo step (the YAML view).
    Status editText(const QString& title, std::string text, const QString& merge = {});
    void endMerge();

signals:
    /// Text, design or issues are new; after every edit, undo, redo, open.
    void changed();
    /// A different document: open() or setText().
    void replaced();
    void fileChanged();
    void modifiedChanged(bool modified);

private:
    class TextCommand;
    void read();
    void apply(std::string text);

    QString m_file;
    QString m_suggestedName;
    QString m_folder;
    std::string m_text;
    std::optional<YamlDocument> m_yaml;
    std::shared_ptr<const Design> m_design;
    std::optional<Platform> m_platform;
    Diagnostics m_issues;
    QUndoStack m_undo;
    QString m_merge;
};

} // namespace fabricscope
