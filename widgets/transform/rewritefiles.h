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
    bool open(const QString& path);
    bool save() override;
    bool saveAs();
    void offerRecovery();
    /// The folder of the copies of all windows.
    static QString copiesFolder();

signals:
    void saved(const QString& name);

private:
    bool write(const QString& path);

    RewriteDocument* m_document;
    bool m_readOnly = false;   ///< Of the file that is being opened.
    bool m_recovering = false; ///< A copy is: it is no clean start.
};

} // namespace fabricscope
