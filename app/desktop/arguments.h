#pragma once

#include "core/report/reportchoice.h"
#include "widgets/base/theme.h"
#include "widgets/base/windowlanguage.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace fabricscope {

/// What the program was started with.
struct Arguments {
    QStringList files;
    QString exportReport;          ///< Not empty: write this and end, without a window.
    ReportChoice reportChoice;     ///< For exportReport.
    QStringList compare;           ///< For exportReport: saved runs to compare with, the baseline first.
    QString screenshot;            ///< Not empty: save a picture of the window once the result is on show.
    QString replay;                ///< Not empty: this macro is done once the files are on show.
    QString workspace;             ///< One of workspaceKeys(); empty: as it comes.
    std::optional<Theme::Mode> theme;
    std::optional<WindowLanguage> language; ///< Nothing: the one of the settings.
    QSize size;                    ///< Empty: as the last time.
    std::optional<double> fontPixels; ///< Nothing: as the last time.
    bool quitAfterRun = false;     ///< End once the result is on show.
    bool example = false;          ///< Open the example.
    QString message;               ///< Help, version or what is wrong; printed, then the program ends ...
    int exitCode = 0;              ///< ... with this.
};

Arguments parseArguments(const QStringList& arguments);

} // namespace fabricscope
