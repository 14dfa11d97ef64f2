#pragma once

#include "tests/gui/support/patience.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"

#include <QtTest>

#include <QMessageBox>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <memory>

namespace fabricscope::test {

/// All-gather of four ranks by direct copies: 12 transfers, each on its own way.
inline const QString kGather = QStringLiteral("collective(\"all_gather\", {ranks = 4})\n"
                                       "for r = 0, 3 do\n"
                                       "  for s = 1, 3 do\n"
                                       "    chunk(r, \"input\", 0):copy((r + s) % 4, \"output\", r)\n"
                                       "  end\n"
                                       "end\n");

/// The Programs workspace alone, in a home of its own; unsaved texts are discarded.
struct ProgramsAlone {
    QTemporaryDir home;
    std::unique_ptr<ProgramWorkspace> view;

    void useHome() const
    {
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        QLocale::setDefault(QLocale::c());
    }
    void open()
    {
        view = std::make_unique<ProgramWorkspace>();
        view->files()->setDecide([](const QString&) { return QMessageBox::Discard; });
        view->resize(1400, 860);
        view->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
    }
    /// Until the text is checked and shown.
    void type(const QString& text)
    {
        QSignalSpy shown(view.get(), &ProgramWorkspace::shown);
        view->editor()->replaceText(text);
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !view->checker()->isBusy(), kLongMs);
    }
};

} // namespace fabricscope::test
