#include "tests/gui/support/withtheme.h"
// Renders the widgets with made-up but plausible content, light and dark, at 1x and 2x: render_widgets FOLDER.
#include "tests/unit/support/cases/syntheticrun.h"
#include "widgets/base/theme.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/timeline/view.h"

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QPainter>

using namespace fabricscope;

namespace {

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
    const test::WithTheme themed(theme);
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
    dense.resize(926, 320);
    dense.setSource(TimelineSource::create(many.record, many.workload));
    dense.setGroupOpen(1, true);
    dense.show();
    saveTimeline(dense, folder + QStringLiteral("/timeline_dense_") + suffix, ratio);
    dense.setVisibleRange({0, many.record->finish.ps / 4000});
    saveTimeline(dense, folder + QStringLiteral("/timeline_mid_") + suffix, ratio);
}

Dimension dimension(Shape shape, int size, double gigabytes)
{
    return {shape, size, Quantity{gigabytes, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}};
}

void saveCanvas(PlatformCanvas& canvas, const QString& path, double ratio)
{
    QImage image(canvas.size() * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    QPainter painter(&image);
    canvas.paintOn(painter);
    painter.end();
    image.save(path);
}

/// Shares that differ from link to link in a plausible way: a few dimensions, a few hot spots.
PlatformHeat plausibleHeat(const Platform& platform)
{
    std::vector<float> shares(static_cast<std::size_t>(platform.linkCount()));
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const int dimension = std::max(platform.linkInfo(static_cast<LinkId>(i)).dimension, 0);
        const auto noise = static_cast<float>((i * 2654435761U >> 8) % 1000) / 1000.0F;
        shares[i] = 0.15F + 0.2F * static_cast<float>(dimension) + 0.25F * noise * noise * noise * noise;
    }
    return PlatformHeat::ofLinks(std::move(shares));
}

void canvas(const QString& folder, const QString& name, const QString& suffix, const Theme& theme, double ratio, const PlatformSpec& spec, QSize size)
{
    auto platform = Platform::create(spec);
    if (!platform) {
        qWarning("%s", platform.error().text().c_str());
        return;
    }
    PlatformCanvas view;
    const test::WithTheme themed(theme);
    view.resize(size);
    view.show();
    view.setPlatform(platform.value());
    if (name == QStringLiteral("pod")) {
        const test::SyntheticRun run = test::trainingStep();
        auto record = *run.record;
        for (LinkUse& use : record.links)
            use.link = *platform.value().ringLink(2, 37, RingDirection::Plus);
        view.setHeat(PlatformHeat::fromRecord(platform.value(), record), QStringLiteral("link busy, whole run"));
        view.setSelection({CanvasElement::Kind::Link, -1, *platform.value().ringLink(2, 37, RingDirection::Plus), 0});
    } else {
        view.setHeat(plausibleHeat(platform.value()), QStringLiteral("link busy, whole run"));
    }
    saveCanvas(view, folder + QStringLiteral("/canvas_%1_").arg(name) + suffix, ratio);
    if (name == QStringLiteral("torus")) {
        view.zoomTo(QRectF(300, 200, 200, 90));
        view.setSelection({CanvasElement::Kind::Node, 1300, -1, 0});
        saveCanvas(view, folder + QStringLiteral("/canvas_%1_near_").arg(name) + suffix, ratio);
    }
    if (name == QStringLiteral("pod")) {
        view.zoomTo(QRectF(view.layoutOfPlatform()->blockOrigin(1, 32), QSizeF(150, 90)));
        saveCanvas(view, folder + QStringLiteral("/canvas_%1_near_").arg(name) + suffix, ratio);
    }
}

void canvases(const QString& folder, const QString& suffix, const Theme& theme, double ratio)
{
    PlatformSpec pod;
    pod.dimensions = {dimension(Shape::FullyConnected, 8, 64.3), dimension(Shape::Ring, 4, 50), dimension(Shape::Switch, 4, 25)};
    const auto plain = Platform::create(pod);
    pod.linkOverrides.push_back({*plain.value().ringLink(2, 37, RingDirection::Plus), Quantity{12.5, "GB/s", Measure::Bandwidth}, std::nullopt});
    canvas(folder, QStringLiteral("pod"), suffix, theme, ratio, pod, {926, 380});

    PlatformSpec torus;
    torus.dimensions = {dimension(Shape::Ring, 64, 50), dimension(Shape::Ring, 64, 50)};
    canvas(folder, QStringLiteral("torus"), suffix, theme, ratio, torus, {926, 500});

    PlatformSpec hgx;
    hgx.dimensions = {dimension(Shape::Switch, 8, 450), dimension(Shape::Switch, 16, 50)};
    canvas(folder, QStringLiteral("hgx"), suffix, theme, ratio, hgx, {926, 380});

    PlatformSpec large;
    large.dimensions = {dimension(Shape::FullyConnected, 8, 450), dimension(Shape::Ring, 16, 50), dimension(Shape::Switch, 64, 50)};
    canvas(folder, QStringLiteral("large"), suffix, theme, ratio, large, {926, 500});

    PlatformSpec huge;
    huge.dimensions = {dimension(Shape::FullyConnected, 8, 450), dimension(Shape::Ring, 128, 50), dimension(Shape::Switch, 1024, 50)};
    canvas(folder, QStringLiteral("huge"), suffix, theme, ratio, huge, {926, 500});

    PlatformSpec groups;
    groups.dimensions = {dimension(Shape::FullyConnected, 16, 450), dimension(Shape::FullyConnected, 6, 50), dimension(Shape::Ring, 6, 50)};
    canvas(folder, QStringLiteral("groups"), suffix, theme, ratio, groups, {926, 500});

    PlatformSpec graph;
    for (int i = 0; i < 32; ++i)
        graph.nodes.push_back({std::string("gpu").append(std::to_string(i)), NodeKind::Npu});
    for (int i = 0; i < 6; ++i)
        graph.nodes.push_back({(i < 4 ? std::string("leaf") : std::string("spine")).append(std::to_string(i)), NodeKind::Switch});
    const auto both = [&graph](int a, int b) {
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
            graph.links.push_back({from, to, Quantity{50, "GB/s", Measure::Bandwidth}, Quantity{1, "us", Measure::Time}});
    };
    for (int i = 0; i < 32; ++i)
        both(i, 32 + i / 8);
    for (int leaf = 32; leaf < 36; ++leaf)
        for (int spine = 36; spine < 38; ++spine)
            both(leaf, spine);
    canvas(folder, QStringLiteral("graph"), suffix, theme, ratio, graph, {926, 380});
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
            canvases(folder, suffix, theme, ratio);
        }
    return 0;
}
