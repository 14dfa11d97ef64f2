#pragma once

#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "tests/gui/support/windowpart.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/sourcefiles.h"

#include <QLocale>
#include <QMessageBox>
#include <QSize>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

namespace fabricscope::test {

/// Settings, side files and recent files of this process go into `home`; numbers are written as in C.
inline void useOwnHome(const QTemporaryDir& home)
{
    qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
    QLocale::setDefault(QLocale::c());
}

/// The whole window on show, which never asks about unsaved changes: they are discarded. Null: it did not appear.
inline std::unique_ptr<MainWindow> shownWindow(QSize size)
{
    auto window = std::make_unique<MainWindow>();
    window->files().setDecide([](const QString&) { return QMessageBox::Discard; });
    part<ProgramWorkspace>(*window).files()->setDecide([](const QString&) { return QMessageBox::Discard; });
    window->resize(size);
    window->show();
    return QTest::qWaitForWindowExposed(window.get()) ? std::move(window) : nullptr;
}

} // namespace fabricscope::test
