#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "core/draw/platformfigure.h"
#include "core/draw/svg.h"
#include "core/draw/timelinefigure.h"
#include "core/report/html.h"
#include "core/run/rundesign.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/pictures.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/runs.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/report/drawingpainter.h"
#include "widgets/report/pages.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/report/preview.h"
#include "widgets/report/viewexport.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QDateTime>
#include <QtTest>

#include <QAbstractItemModelTester>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTreeView>

#include <algorithm>

using namespace fabricscope;

namespace {

const std::string kPod = R"(fabricscope: 1
name: Two-tier pod 8 × 4 × 4
notes: Is a 200 Gbit/s rail (25 GB/s) enough for four pods, and what does one degraded link cost?
platform:
  dimensions:
    - {shape: fully_connected, size: 8, bandwidth: 64.3 GB/s, latency: 700 ns}
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
    - {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 2.5 us}
  npu: {memory_bandwidth: 3.35 TB/s}
  overrides:
    links:
      - {link: d2 37>switch, bandwidth: 12.5 GB/s}
workload:
  groups:
    - {name: tensor, dimensions: [0]}
    - {name: data, dimensions: [1, 2]}
  steps:
    - repeat: 8
      steps:
        - {compute: 700 us, name: layer}
        - {collective: all_reduce, size: 32 MiB, group: tensor, name: sum}
    - {collective: all_reduce, size: 72 MiB, group: data, name: gradients}
)";

RunResultPtr podRun()
{
    static const RunResultPtr result = [] {
        auto loaded = readDesignText(kPod, "pods/pod-8x4x4.yaml");
        if (!loaded)
            qFatal("%s", loaded.error().text().c_str());
        auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
        if (!run)
            qFatal("%s", run.error().text().c_str());
        return run.value();
    }();
    return result;
}

/// As it is read aloud.
int pagesShown(const ReportWorkspace& workspace)
{
    return test::part<ReportPreview>(workspace).accessibleDescription().section(QLatin1Char(' '), 0, 0).toInt();
}

ReportContent podContent()
{
    ReportSource source;
    source.summary = &podRun()->summary;
    source.scenario = podRun()->scenario;
    source.timeline = podRun()->timeline;
    source.designText = kPod;
    return reportContent(source);
}

/// A report with a table of many rows.
ReportContent longContent(int rows)
{
    ReportContent content;
    content.title = "Long";
    content.program = "Fabricscope";
    ReportSection section{ReportPart::Results, "Ranks", false, true, {}};
    ReportTable table;
    table.columns = {{"Rank", false, 1}, {"Time", true, 1}};
    for (int i = 0; i < rows; ++i)
        table.rows.push_back({"rank " + std::to_string(i), std::to_string(i)});
    section.blocks.emplace_back(std::move(table));
    content.sections.push_back(std::move(section));
    return content;
}

QImage pageImage(const ReportPages& pages, int page, double scale = 0.2)
{
    QImage image((pages.paper() * scale).toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(scale, scale);
    pages.paintPage(painter, page);
    return image;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Page objects of a PDF: "/Type /Page" that is not "/Pages".
qsizetype pdfPages(const QByteArray& pdf)
{
    const QString text = QString::fromLatin1(pdf);
    return text.count(QRegularExpression(QStringLiteral("/Type\\s*/Page[^s]")));
}

bool hasInk(const QImage& image)
{
    const QRgb ground = image.pixel(2, 2);
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixel(x, y) != ground)
                return true;
    return false;
}

/// Darkest row of pixels in a band, as a measure of a line being there.
int inkOfBand(const QImage& image, int top, int bottom)
{
    int ink = 0;
    for (int y = top; y < bottom; ++y)
        for (int x = 0; x < image.width(); ++x)
            ink += qGray(image.pixel(x, y)) < 160 ? 1 : 0;
    return ink;
}

} // namespace

class ReportTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void F5_thePdfHasAsManyPagesAsAreShown()
    {
        QTemporaryDir folder;
        for (const ReportContent& content : {podContent(), longContent(400), longContent(1)}) {
            const QString path = folder.filePath(QStringLiteral("report.pdf"));
            QVERIFY(writePdf(path, content));
            const QByteArray pdf = contentOf(path);
            QVERIFY(pdf.startsWith("%PDF"));
            QCOMPARE(pdfPages(pdf), qsizetype{ReportPages(content).pageCount()});
            QVERIFY(!pdf.contains("CreationDate"));
            QVERIFY(pdf.contains("/MediaBox [0 0 595") || pdf.contains("/MediaBox [0.000000 0.000000 595"));
        }
    }

    void F5_thePdfIsTheSameTwice()
    {
        QTemporaryDir folder;
        QVERIFY(writePdf(folder.filePath(QStringLiteral("a.pdf")), podContent()));
        const qint64 second = QDateTime::currentSecsSinceEpoch();
        QTRY_VERIFY(QDateTime::currentSecsSinceEpoch() > second + 1); // so that a time of day would show
        QVERIFY(writePdf(folder.filePath(QStringLiteral("b.pdf")), podContent()));
        QCOMPARE(contentOf(folder.filePath(QStringLiteral("a.pdf"))), contentOf(folder.filePath(QStringLiteral("b.pdf"))));
    }

    void F5_viewsAreWrittenAsPngAndSvgTheSameTwice()
    {
        QTemporaryDir folder;
        PlatformCanvas canvas;
        canvas.resize(700, 360);
        canvas.setPlatform(podRun()->scenario->structure->platform);
        canvas.setHeat(PlatformHeat::fromRecord(podRun()->scenario->structure->platform, podRun()->record()), QStringLiteral("link busy"));
        TimelineView timeline;
        timeline.resize(700, 240);
        timeline.setSource(podRun()->timeline);
        const auto check = [&](auto& view, QSize size) {
            for (const double ratio : {1.0, 2.0}) {
                const QString png = folder.filePath(QStringLiteral("view.png"));
                QVERIFY(exportView(view, png, ratio));
                const QByteArray first = contentOf(png);
                QVERIFY(exportView(view, png, ratio));
                QCOMPARE(contentOf(png), first);
                const QImage image = QImage::fromData(first);
                QCOMPARE(image.size(), size * ratio);
                QVERIFY(hasInk(image));
            }
            const QString svg = folder.filePath(QStringLiteral("view.svg"));
            QVERIFY(exportView(view, svg));
            const QByteArray first = contentOf(svg);
            QVERIFY(exportView(view, svg));
            QCOMPARE(contentOf(svg), first);
            QSvgRenderer renderer(first);
            QVERIFY(renderer.isValid());
            QImage image(size, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            renderer.render(&painter);
            painter.end();
            QVERIFY(hasInk(image));
        };
        check(canvas, canvas.size());
        check(timeline, timeline.size());
        QCOMPARE(exportView(canvas, folder.filePath(QStringLiteral("view.gif"))).error().code, ErrorCode::Usage);
        QCOMPARE(exportView(canvas, QStringLiteral("/nonexistent/view.png")).error().code, ErrorCode::NotWritable);
    }

    void longTablesRepeatTheirHeadAndSplitBetweenRows()
    {
        const ReportPages pages(longContent(200));
        QVERIFY(pages.pageCount() >= 3);
        // The second page begins with the head: a rule below its first line, as wide as the column.
        const QImage second = pageImage(pages, 1);
        const int left = qRound(430 * 0.2);
        const int right = qRound((5953 - 430) * 0.2);
        int rules = 0;
        for (int y = qRound(390 * 0.2); y < qRound(650 * 0.2); ++y) {
            bool full = true;
            for (int x = left + 2; x < right - 2 && full; ++x)
                full = qGray(second.pixel(x, y)) < 200;
            rules += full ? 1 : 0;
        }
        QVERIFY(rules >= 1); // rows have fainter rules
        // One row more or less moves one page at most; half the rows need about half the pages.
        QVERIFY(ReportPages(longContent(100)).pageCount() <= pages.pageCount() / 2 + 1);
        QVERIFY(ReportPages(longContent(400)).pageCount() >= pages.pageCount() * 2 - 2);
    }

    void everyPageHasItsFootAndNothingBelowIt()
    {
        const ReportPages pages(podContent());
        QVERIFY(pages.pageCount() >= 2);
        for (int page = 0; page < pages.pageCount(); ++page) {
            const QImage image = pageImage(pages, page);
            QVERIFY(inkOfBand(image, qRound((8419 - 283 - 110) * 0.2), qRound((8419 - 283) * 0.2)) > 40);
            QCOMPARE(inkOfBand(image, qRound((8419 - 270) * 0.2), image.height()), 0);
            QCOMPARE(inkOfBand(image, 0, qRound(390 * 0.2)), 0);
        }
    }

    void nothingIsPaintedOutsideTheMargins()
    {
        const ReportPages pages(podContent());
        for (int page = 0; page < pages.pageCount(); ++page) {
            const QImage image = pageImage(pages, page);
            int ink = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if ((x < qRound(415 * 0.2) || x > qRound((5953 - 415) * 0.2)) && qGray(image.pixel(x, y)) < 200)
                        ++ink;
            QCOMPARE(ink, 0);
        }
    }

    void sectionsAreSwitchedInTheTree()
    {
        ReportWorkspace workspace;
        QAbstractItemModelTester tester(test::part<QTreeView>(workspace).model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        workspace.resize(1100, 800);
        workspace.setContent(podContent());
        workspace.show();
        const int all = pagesShown(workspace);
        QAbstractItemModel* const model = test::part<QTreeView>(workspace).model();
        QCOMPARE(model->rowCount(), kRunPartCount + 2); // and the front; the comparison is there to say what it needs
        // By the keyboard: the last section, exact inputs.
        const QModelIndex last = model->index(model->rowCount() - 1, 0);
        test::part<QTreeView>(workspace).setFocus();
        test::part<QTreeView>(workspace).setCurrentIndex(last);
        QTest::keyClick(&test::part<QTreeView>(workspace), Qt::Key_Space);

        QCOMPARE(last.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
        QVERIFY(pagesShown(workspace) >= 1 && pagesShown(workspace) <= all);
        QCOMPARE(workspace.content().shownSections().size(), std::size_t{kRunPartCount - 1});
        QVERIFY(!QString::fromStdString(reportHtml(workspace.content())).contains(QStringLiteral("Exact inputs")));

        // It stays off for the next result.
        workspace.setContent(podContent());
        QCOMPARE(workspace.content().shownSections().size(), std::size_t{kRunPartCount - 1});
        workspace.clear();
        QCOMPARE(model->rowCount(), 0);
        // That was of another design.
        workspace.setContent(podContent());
        QCOMPARE(workspace.content().shownSections().size(), static_cast<std::size_t>(kRunPartCount));
        const QModelIndex front = model->index(0, 0);
        QVERIFY(!front.flags().testFlag(Qt::ItemIsEnabled));
        QCOMPARE(front.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
        QCOMPARE(front.data(Qt::ToolTipRole).toString(), QStringLiteral("Always part of the report"));
    }

    void aPartThatDoesNotComeSaysWhyAndTheRestIsExported()
    {
        ReportWorkspace workspace;
        const auto canExport = [&workspace] {
            const QList<QPushButton*> buttons = workspace.findChildren<QPushButton*>();
            return std::count_if(buttons.begin(), buttons.end(), [](const QPushButton* button) { return button->isEnabled(); });
        };
        workspace.leaveOut(ReportPart::Storyboard, "Nothing is there yet.");
        QVERIFY(workspace.content().title.empty());
        workspace.setContent(podContent(), false);
        QCOMPARE(canExport(), 0);

        workspace.leaveOut(ReportPart::Storyboard, "There was no memory for the steps.");

        QCOMPARE(canExport(), 2); // HTML and PDF
        QCOMPARE(workspace.content().sections.size(), static_cast<std::size_t>(kRunPartCount));
        const std::string page = reportHtml(workspace.content());
        QVERIFY(page.find("There was no memory for the steps.") != std::string::npos);
        QVERIFY(page.find("<title>Two-tier pod") != std::string::npos);
        workspace.setContent(podContent());
        QCOMPARE(reportHtml(workspace.content()), reportHtml(podContent()));
    }

    void choosingASectionShowsItsPage()
    {
        ReportWorkspace workspace;
        workspace.resize(1100, 500);
        workspace.setContent(podContent());
        workspace.show();
        QVERIFY(QTest::qWaitForWindowExposed(&workspace));
        QAbstractItemModel* const model = test::part<QTreeView>(workspace).model();
        test::part<QTreeView>(workspace).setCurrentIndex(model->index(model->rowCount() - 1, 0));
        const auto* area = workspace.findChild<QScrollArea*>();
        const int page = ReportPages(workspace.content()).sectionPages().back();
        QVERIFY(page > 0);
        QCOMPARE(area->verticalScrollBar()->value(), std::min(test::part<ReportPreview>(workspace).pageTop(page), area->verticalScrollBar()->maximum()));
    }

    void F5_theWorkspaceExportsByEnding()
    {
        QTemporaryDir folder;
        ReportWorkspace workspace;
        workspace.setContent(podContent());
        QCOMPARE(workspace.suggestedName(QStringLiteral("pdf")), QStringLiteral("pod-8x4x4.pdf"));

        QVERIFY(workspace.exportTo(folder.filePath(QStringLiteral("a.html"))));
        QVERIFY(workspace.exportTo(folder.filePath(QStringLiteral("a.pdf"))));

        QCOMPARE(contentOf(folder.filePath(QStringLiteral("a.html"))), QByteArray::fromStdString(reportHtml(podContent())));
        QCOMPARE(pdfPages(contentOf(folder.filePath(QStringLiteral("a.pdf")))), qsizetype{pagesShown(workspace)});
        QCOMPARE(workspace.exportTo(folder.filePath(QStringLiteral("a.doc"))).error().code, ErrorCode::Usage);
        QCOMPARE(workspace.exportTo(QStringLiteral("/nonexistent/a.pdf")).error().code, ErrorCode::NotWritable);
    }

    void keysZoomThePages()
    {
        ReportWorkspace workspace;
        workspace.resize(1100, 700);
        workspace.setContent(podContent());
        workspace.show();
        QVERIFY(QTest::qWaitForWindowExposed(&workspace));
        const double fitted = test::part<ReportPreview>(workspace).zoom();
        QTest::keyClick(&workspace, Qt::Key_Plus);
        QVERIFY(std::abs(test::part<ReportPreview>(workspace).zoom() - fitted * 1.25) < 1e-9);
        QTest::keyClick(&workspace, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(test::part<ReportPreview>(workspace).zoom(), fitted);
    }

    void drawingsHaveTheColoursOfTheTheme()
    {
        static_assert(kToneCount == kRoleCount && kHeatBucketCount == Theme::kHeatBuckets && kDimensionColorCount == Theme::kDimensionColors);
        for (const bool dark : {false, true}) {
            const Theme theme(dark ? Theme::Mode::Dark : Theme::Mode::Light);
            const auto rgb = [dark](const DrawColor& color) { return QColor::fromRgb(color.rgb(dark)); };
            for (int i = 0; i < kToneCount; ++i)
                QCOMPARE(rgb(static_cast<Tone>(i)), theme.color(static_cast<Role>(i)));
            for (std::size_t i = 0; i < kActivityCount; ++i) {
                QCOMPARE(rgb(DrawColor::activity(static_cast<Activity>(i))), theme.activity(static_cast<Activity>(i)));
                QCOMPARE(rgb(DrawColor::activity(static_cast<Activity>(i)).ink()), theme.ink(theme.activity(static_cast<Activity>(i))));
            }
            for (int i = 0; i < 8; ++i) {
                QCOMPARE(rgb(DrawColor::dimension(i)), theme.dimension(i));
                QCOMPARE(rgb(DrawColor::heatOf(i)), theme.heat(i));
                QCOMPARE(heatLineWidth(i), Theme::heatWidth(i));
            }
            for (const double share : {-1.0, 0.0, 0.1, 0.125, 0.49, 0.5, 0.999, 1.0, 7.0})
                QCOMPARE(heatBucketOf(share), Theme::heatBucket(share));
        }
    }

    void svgFiguresAreReadByAnotherProgram()
    {
        for (const bool dark : {false, true}) {
            const Platform& platform = podRun()->scenario->structure->platform;
            const Drawing drawing = platformFigure(platform, PlatformHeat::fromRecord(platform, podRun()->record()));
            QSvgRenderer renderer(QByteArray::fromStdString(svgText(drawing, {dark, true})));
            QVERIFY(renderer.isValid());
            QCOMPARE(renderer.viewBoxF().size(), QSizeF(drawing.size));
            QImage image(QSizeF(drawing.size).toSize(), QImage::Format_RGB32);
            QPainter painter(&image);
            renderer.render(&painter);
            painter.end();
            // Every NPU has its colour in the middle.
            const QRgb compute = DrawColor::activity(Activity::Compute).rgb(dark) | 0xFF000000U;
            int found = 0;
            bool npus = false;
            for (const DrawShape& shape : drawing.shapes) {
                if (const auto* group = std::get_if<GroupMark>(&shape))
                    npus = group->name == "npus";
                else if (const auto* box = std::get_if<BoxShape>(&shape); box && npus)
                    found += image.pixel(QPointF(box->rect.center()).toPoint()) == compute ? 1 : 0;
            }
            QVERIFY2(found >= 126, std::to_string(found).c_str()); // an override may cover one
        }
    }

    /// Saves pictures to be looked at when FABRICSCOPE_PICTURES names a folder.
    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        const ReportPages pages(podContent());
        for (int page = 0; page < pages.pageCount(); ++page)
            pageImage(pages, page, 0.2).save(folder + QStringLiteral("/page%1.png").arg(page + 1));
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            const Theme theme(mode);
            const test::WithTheme themed(theme);
            ReportWorkspace workspace;
            workspace.resize(1100, 760);
            workspace.setContent(podContent());
            workspace.show();
            workspace.grab().save(folder + (theme.isDark() ? QStringLiteral("/workspace_dark.png") : QStringLiteral("/workspace_light.png")));
        }
        QVERIFY(writePdf(folder + QStringLiteral("/report.pdf"), podContent()));
        QVERIFY(writeReport((folder + QStringLiteral("/report.html")).toStdString(), podContent()));
        const auto svg = [&](const QString& name, const Drawing& drawing, bool dark) {
            QSvgRenderer renderer(QByteArray::fromStdString(svgText(drawing, {dark, true})));
            QImage image((QSizeF(drawing.size) * 1.5).toSize(), QImage::Format_RGB32);
            QPainter painter(&image);
            renderer.render(&painter);
            painter.end();
            image.save(folder + u'/' + name);
        };
        const Platform& platform = podRun()->scenario->structure->platform;
        svg(QStringLiteral("figure_platform.png"), platformFigure(platform, PlatformHeat::fromRecord(platform, podRun()->record())), false);
        svg(QStringLiteral("figure_platform_dark.png"), platformFigure(platform, PlatformHeat::fromRecord(platform, podRun()->record())), true);
        const test::SyntheticRun run = test::trainingStep();
        TimelineFigureOptions options;
        options.dimensions = 3;
        const auto source = TimelineSource::create(run.record, run.workload);
        svg(QStringLiteral("figure_timeline.png"), timelineFigure(*source, options), false);
    }
};

FABRICSCOPE_GUI_TEST(ReportTest)
#include "tst_report.moc"
