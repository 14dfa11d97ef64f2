// Parts of a drawing put by forces, found on another thread and shown on their way.
#include "widgets/draw/grapheditor.h"

#include "core/draw/forcelayout.h"
#include "widgets/base/background.h"
#include "widgets/base/texts.h"

#include <cmath>
#include <mutex>
#include <utility>

namespace fabricscope {

/// What the two threads share.
struct GraphEditor::Forces {
    std::vector<std::size_t> nodes;  ///< Which are moved,
    std::vector<DrawnAt> before;     ///< and where all stood.
    std::stop_source stop;
    std::mutex lock;
    std::vector<PointF> places;      ///< The newest; under `lock`.
};

GraphEditor::~GraphEditor()
{
    if (m_forces)
        m_forces->stop.request_stop();
}

void GraphEditor::layOutByForces()
{
    stopForces();
    if (m_picture.isEmpty() || !canDraw())
        return;
    auto forces = std::make_shared<Forces>();
    forces->nodes = nodesToLayOut();
    if (forces->nodes.size() > kMostForced) {
        emit refused(tr("Too large for Force: %1 parts, at most %2. Use Levels.").arg(texts::count(static_cast<qint64>(forces->nodes.size())), texts::count(static_cast<qint64>(kMostForced))));
        return;
    }
    forces->before = m_picture.places();
    std::vector<std::size_t> number(m_picture.count(), forces->nodes.size());
    std::vector<PointF> places;
    for (std::size_t i = 0; i < forces->nodes.size(); ++i) {
        number[forces->nodes[i]] = i;
        places.emplace_back(forces->before[forces->nodes[i]].x, forces->before[forces->nodes[i]].y);
    }
    std::vector<std::pair<std::size_t, std::size_t>> links;
    for (const DrawnBundle& bundle : m_picture.bundles())
        links.emplace_back(number[bundle.a], number[bundle.b]);
    forces->places = places;
    m_forces = forces;
    m_frames.start();
    emit forcingChanged();
    inBackground(this,
                 [forces, places = std::move(places), links = std::move(links)] {
                     return forceLayout(places, links, forces->stop.get_token(), [&](const std::vector<PointF>& now) {
                         const std::lock_guard guard(forces->lock);
                         forces->places = now;
                     });
                 },
                 [this, forces](const Result<std::vector<PointF>>& answer) {
                     if (m_forces != forces)
                         return; // Stopped meanwhile.
                     if (!answer)
                         emit refused(QString::fromStdString(answer.error().message));
                     stopForces(static_cast<bool>(answer));
                 });
}

void GraphEditor::showForces()
{
    if (!m_forces)
        return;
    std::vector<DrawnAt> places = m_forces->before;
    {
        const std::lock_guard guard(m_forces->lock);
        for (std::size_t i = 0; i < m_forces->nodes.size(); ++i)
            places[m_forces->nodes[i]] = {static_cast<std::int32_t>(std::lround(m_forces->places[i].x())), static_cast<std::int32_t>(std::lround(m_forces->places[i].y()))};
    }
    m_picture.setPlaces(std::move(places));
    emit placesShown();
}

void GraphEditor::stopForces(bool keep)
{
    if (!m_forces)
        return;
    const std::shared_ptr<Forces> forces = std::exchange(m_forces, nullptr);
    forces->stop.request_stop();
    m_frames.stop();
    std::vector<PointF> places;
    {
        const std::lock_guard guard(forces->lock);
        places = forces->places;
    }
    m_picture.setPlaces(forces->before);
    if (keep) {
        std::vector<PointF> shifts;
        for (std::size_t i = 0; i < places.size(); ++i)
            shifts.push_back(snapPoint(places[i]) - PointF(forces->before[forces->nodes[i]].x, forces->before[forces->nodes[i]].y));
        place(tr("layout force"), forces->nodes, shifts);
    }
    emit placesShown();
    emit forcingChanged();
}

} // namespace fabricscope
