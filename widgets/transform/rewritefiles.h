#pragma once

#include "widgets/base/files/documentfiles.h"

#include <QString>

namespace fabricscope {

class RewriteDocument;

/// Opening, saving and not losing a program of `transform` with its schedule. The copy for the next start holds the steps taken; what was recovered can be undone to what the file says.
class RewriteFiles : public DocumentFiles
{
    Q_OBJECT
public:
    /// `document` outlives it. `autosaveFolder`: empty: below the state folder of the user.
    RewriteFiles(RewriteDocument* document, QWidget* window, const QString& autosaveFolder = {});
    ~RewriteFiles() override;

    bool isModified() const override;
    QString displayName() const override;
    /// After asking about changes. False: kept as it was. Whether the file can be read is told by the document.
    /// What is asked for while a copy is being opened is not: noticed() says so, and it is opened where the copy could not be.
    bool open(const QString& path);
    /// A copy is being opened; it must not be replaced before it is kept anew.
    bool isRecovering() const { return m_recovering; }
    bool save() override;
    bool saveAs();
    void offerRecovery();
    /// The folder of the copies of all windows.
    static QString copiesFolder();

signals:
    void saved(const QString& name);
    void noticed(const QString& text);

private:
    bool write(const QString& path);
    void endRecovery(const Recoverable& entry);
    void giveUpRecovery();

    RewriteDocument* m_document;
    bool m_readOnly = false;   ///< Of the file that is being opened.
    bool m_recovering = false; ///< A copy is: it is no clean start.
    QMetaObject::Connection m_recovered{};
    QString m_waiting; ///< The file that was asked for meanwhile.
};

} // namespace fabricscope
