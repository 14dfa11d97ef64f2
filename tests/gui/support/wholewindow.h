#pragma once

#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "tests/gui/support/named.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/loader.h"

#include <QList>
#include <QLocale>
#include <QMessageBox>
#include <QRect>
#include <QSize>
#include <QTemporaryDir>
#include <QWidget>
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

/// Nothing runs or loads, and a turn of the event loop moves no widget: what was laid out stands where it stays.
inline bool isSettled(MainWindow& window)
{
    const auto places = [&window] {
        QList<QRect> all;
        for (const QWidget* widget : window.findChildren<QWidget*>())
            all.append(widget->isVisible() ? widget->geometry() : QRect());
        return all;
    };
    const QList<QRect> before = places();
    QCoreApplication::processEvents();
    return !window.runs().isBusy() && !part<StepWorkspace>(window).loader()->isLoading() && places() == before;
}

/// Waits until the window is settled and nobody works for it beside it, at most `ms`. To be asked once, not by QTRY_VERIFY, which asks again
/// what was true: to ask handles events, and the next of them may move something. False: it never came to rest.
inline bool settles(MainWindow& window, int ms)
{
    const auto rests = [&window] {
        BackgroundThreads::global().waitForDone();
        QCoreApplication::processEvents();
        return isSettled(window);
    };
    return QTest::qWaitFor(rests, ms);
}

} // namespace fabricscope::test
