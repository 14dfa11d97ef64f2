// Renders the widgets with made-up but plausible content, light and dark, at 1x and 2x: render_widgets FOLDER.
#include "tests/unit/support/syntheticrun.h"
#include "widgets/theme.h"
#include "widgets/timelineview.h"

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QPainter>

using namespace fabricscope;

namespace {

void save(QWidget& widget, const QString& path, double ratio)
{
    QImage image(widget.size() * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    widget.render(&image);
    image.save(path);
}

/// The view draws itself for the ratio asked for, as it would on a display of that density.
void saveTimeline(TimelineView& view, const QString& path, double ratio)
{
    QImage image(view.size() * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    QPainter painter(&image);
    view.paintOn(painter, ratio);
    painter.end();
    image.save(path);
}

void timeline(const QString& folder, const QString& suffix, const Theme& theme, double ratio)
{
    const test::SyntheticRun run = test::trainingStep();
    const test::SyntheticRun before = test::trainingStep(false);
    TimelineSource::Options options;
    options.dimensionOfUse = {0, 1, 2, 2};
    TimelineView view;
    view.setTheme(theme);
    view.resize(926, 320);
    view.setSource(TimelineSource::create(run.record, run.workload, options));
    view.setPrevious(TimelineSource::create(before.record, before.workload));
    view.ensurePolished();
    view.show();
    for (std::size_t track = 0; track < view.source()->tracks().size(); ++track)
        if (view.source()->tracks()[track].name == "Data parallel" && view.source()->tracks()[track].rankClass == 1)
            view.setSelection(TimelineSelection{track, 3});
    saveTimeline(view, folder + QStringLiteral("/timeline_") + suffix, ratio);

    const test::SyntheticRun many = test::manyIntervals(1'000'000, 4);
    TimelineView dense;
    dense.setTheme(theme);
    dense.resize(926, 320);
    dense.setSource(TimelineSource::create(many.record, many.workload));
    dense.setGroupOpen(1, true);
    dense.show();
    saveTimeline(dense, folder + QStringLiteral("/timeline_dense_") + suffix, ratio);
    dense.setVisibleRange({0, many.record->finish.ps / 4000});
    saveTimeline(dense, folder + QStringLiteral("/timeline_mid_") + suffix, ratio);
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    QDir().mkpath(folder);
    for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark})
        for (const double ratio : {1.0, 2.0}) {
            const Theme theme(mode);
            theme.apply(application);
            const QString suffix = QStringLiteral("%1_%2x.png").arg(theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light")).arg(ratio);
            timeline(folder, suffix, theme, ratio);
        }
    return 0;
}
