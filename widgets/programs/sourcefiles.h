#pragma once

#include "core/base/result.h"
#include "widgets/base/files/documentfiles.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

class QWidget;

namespace fabricscope {

class CodeEditor;

/// A program that comes with Fabricscope.
struct ShippedProgram {
    QString name;  ///< "allreduce_ring.lua".
    QString title; ///< Its first line of comment, without the rest.
    QString text;
};

/// In the order menus show.
std::vector<ShippedProgram> shippedPrograms();

/// Is it a program by its ending and as programFormOfFile() tells? Graphs are opened as the traces they are. Reads the beginning; of JSON at most ProgramFiles::kMostBytes.
bool isProgramFile(const QString& path);

/// Opening, saving and not losing the text of a program that is in an editor. Reading and writing is atomic: a text is there whole or not.
class ProgramFiles : public DocumentFiles
{
    Q_OBJECT
public:
    /// Text files larger than this are not edited here.
    static constexpr qint64 kMostBytes = qint64{16} << 20;

    /// `autosaveFolder`: empty: below the state folder of the user.
    ProgramFiles(CodeEditor* editor, QWidget* window, const QString& autosaveFolder = {});
    ~ProgramFiles() override;

    const QString& path() const { return m_path; }
    QString displayName() const override;
    bool isModified() const override;

    /// After asking about unsaved changes. False: kept as it was; failed() says why where it is an error.
    bool open(const QString& path);
    /// A text that has no file yet.
    bool showText(const QString& text, const QString& suggestedName);
    bool save() override;
    bool saveAs();
    bool write(const QString& path);
    /// Takes what the file says now, as an edit that can be undone.
    bool reload();
    void offerRecovery();

signals:
    /// Another text, or its name or state of being saved changed.
    void changed();

private:
    std::optional<std::string> read(const QString& path);
    void take(const QString& text, const QString& path, const QString& name, bool readOnly = false);

    CodeEditor* m_editor;
    QString m_path;
    std::optional<std::string> m_onDisk; ///< The bytes of the file when it was last read or written here.
    QString m_name;
    bool m_dosLines = false;
};

} // namespace fabricscope
