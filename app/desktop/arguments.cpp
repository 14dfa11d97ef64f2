#include "app/desktop/arguments.h"

#include "app/desktop/workspace.h"
#include "app/version.h"
#include "core/insight/designset.h"
#include "widgets/base/files/usersettings.h"

#include <QCommandLineParser>
#include <QRegularExpression>

namespace fabricscope {

namespace {

constexpr int kUsage = 2;

/// --sections, --question and --paper. Errors: Usage.
Status chooseReport(const QCommandLineParser& parser, ReportChoice& choice)
{
    const QString sections = QStringLiteral("sections");
    const QString question = QStringLiteral("question");
    const QString paper = QStringLiteral("paper");
    if (parser.isSet(sections)) {
        Result<std::vector<ReportPart>> parts = reportPartsOf(parser.value(sections).toStdString());
        if (!parts)
            return std::move(parts).error();
        choice.sections = std::move(parts).value();
    }
    if (parser.isSet(question))
        choice.question = parser.value(question).toStdString();
    if (parser.isSet(paper)) {
        const Result<ReportPaper> chosen = reportPaperOf(parser.value(paper).toStdString());
        if (!chosen)
            return chosen.error();
        choice.paper = chosen.value();
    }
    return {};
}

/// What is wrong with what a report is of, or is compared with; empty: nothing.
QString wrongReport(const Arguments& given, bool report)
{
    if (given.compare.size() >= static_cast<qsizetype>(DesignSet::kMost))
        return QStringLiteral("--compare: expected at most %1").arg(DesignSet::kMost - 1);
    if (!given.compare.isEmpty() && !report)
        return QStringLiteral("--compare is not used without --export-report");
    if (report && given.files.isEmpty())
        return QStringLiteral("--export-report needs a design, a saved run or other inputs");
    return {};
}

/// --theme, --language, --size and --font-size. What is wrong with them; empty: nothing.
QString chooseLook(const QCommandLineParser& parser, Arguments& result)
{
    if (const QString theme = QStringLiteral("theme"); parser.isSet(theme)) {
        const QString name = parser.value(theme);
        if (name != QStringLiteral("light") && name != QStringLiteral("dark"))
            return QStringLiteral("--theme %1: expected light or dark").arg(name);
        result.theme = name == QStringLiteral("dark") ? Theme::Mode::Dark : Theme::Mode::Light;
    }
    if (const QString language = QStringLiteral("language"); parser.isSet(language)) {
        result.language = windowLanguageOf(parser.value(language));
        if (!result.language)
            return QStringLiteral("--language %1: expected de or en").arg(parser.value(language));
    }
    if (const QString size = QStringLiteral("size"); parser.isSet(size)) {
        const QRegularExpressionMatch match = QRegularExpression(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$")).match(parser.value(size));
        if (!match.hasMatch())
            return QStringLiteral("--size %1: expected a width and a height such as 1600x1000").arg(parser.value(size));
        result.size = {match.captured(1).toInt(), match.captured(2).toInt()};
    }
    if (const QString font = QStringLiteral("font-size"); parser.isSet(font)) {
        bool isNumber = false;
        const double pixels = parser.value(font).toDouble(&isNumber);
        if (!isNumber || pixels < UserSettings::kTextPixels.least || pixels > UserSettings::kTextPixels.most)
            return QStringLiteral("--font-size %1: expected 10 to 26").arg(parser.value(font));
        result.fontPixels = pixels;
    }
    return {};
}

} // namespace

Arguments parseArguments(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Fabricscope: how long does a distributed training step take on a given fabric, and why?"));
    parser.addPositionalArgument(QStringLiteral("FILES"), QStringLiteral("A design, a saved run, ASTRA-sim inputs, Chakra traces or a program (.lua, MSCCL XML)"), QStringLiteral("[FILES...]"));
    const QCommandLineOption help({QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("This text"));
    const QCommandLineOption version(QStringLiteral("version"), QStringLiteral("Version and commit"));
    const QCommandLineOption report(QStringLiteral("export-report"), QStringLiteral("Write the report of FILES to OUT.html or OUT.pdf without a window"), QStringLiteral("OUT"));
    const QCommandLineOption sections(QStringLiteral("sections"), QStringLiteral("Sections of that report between commas, or none: %1").arg(QString::fromStdString(reportPartKeys())), QStringLiteral("NAMES"));
    const QCommandLineOption question(QStringLiteral("question"), QStringLiteral("The question that report answers; without it the notes of the design"), QStringLiteral("TEXT"));
    const QCommandLineOption paper(QStringLiteral("paper"), QStringLiteral("Paper of that report: a4 or letter"), QStringLiteral("NAME"));
    const QCommandLineOption compare(QStringLiteral("compare"), QStringLiteral("A saved run to compare that report with, itself of a saved run; up to three times, the first is the baseline"), QStringLiteral("RUN"));
    const QCommandLineOption screenshot(QStringLiteral("screenshot"), QStringLiteral("Save a picture of the window once the result is on show"), QStringLiteral("OUT.png"));
    QStringList keys = workspaceKeys();
    const QString last = keys.takeLast();
    const QString workspaces = keys.join(QStringLiteral(", ")) + QStringLiteral(" or ") + last;
    const QCommandLineOption workspace(QStringLiteral("workspace"), workspaces, QStringLiteral("NAME"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light or dark"), QStringLiteral("NAME"));
    const QCommandLineOption language(QStringLiteral("language"), QStringLiteral("de or en; without it the one of the settings"), QStringLiteral("NAME"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Size of the window, e.g. 1600x1000"), QStringLiteral("WxH"));
    const QCommandLineOption font(QStringLiteral("font-size"), QStringLiteral("Size of the text in pixels, 10 to 26"), QStringLiteral("PIXELS"));
    const QCommandLineOption quit(QStringLiteral("quit-after-run"), QStringLiteral("End once the result is on show"));
    const QCommandLineOption replay(QStringLiteral("replay"), QStringLiteral("Do what the macro FILE says once the files are on show"), QStringLiteral("FILE"));
    const QCommandLineOption example(QStringLiteral("example"), QStringLiteral("Open the example"));
    parser.addOptions({help, version, report, sections, question, paper, compare, screenshot, workspace, theme, language, size, font, quit, replay, example});

    Arguments result;
    const auto refuse = [&](const QString& text) {
        result.message = QStringLiteral("error: %1\nRun fabricscope with --help for what it understands.\n").arg(text);
        result.exitCode = kUsage;
        return result;
    };
    if (!parser.parse(arguments))
        return refuse(parser.errorText());
    if (parser.isSet(help)) {
        result.message = parser.helpText();
        return result;
    }
    if (parser.isSet(version)) {
        result.message = QStringLiteral("fabricscope %1 (%2)\n").arg(QString::fromUtf8(kVersion), QString::fromUtf8(kCommit));
        return result;
    }
    result.files = parser.positionalArguments();
    result.exportReport = parser.value(report);
    result.compare = parser.values(compare);
    result.screenshot = parser.value(screenshot);
    result.replay = parser.value(replay);
    result.workspace = parser.value(workspace);
    result.quitAfterRun = parser.isSet(quit);
    result.example = parser.isSet(example);
    if (!result.workspace.isEmpty() && !workspaceKeys().contains(result.workspace))
        return refuse(QStringLiteral("--workspace %1: expected %2").arg(result.workspace, workspaces));
    if (const QString wrong = chooseLook(parser, result); !wrong.isEmpty())
        return refuse(wrong);
    if (const Status chosen = chooseReport(parser, result.reportChoice); !chosen)
        return refuse(QString::fromStdString(chosen.error().text()));
    if (const QString wrong = wrongReport(result, parser.isSet(report)); !wrong.isEmpty())
        return refuse(wrong);
    return result;
}

} // namespace fabricscope
