#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"
#include "widgets/results/sharechart.h"

#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

class QBoxLayout;
class QComboBox;

namespace fabricscope {

/// A run over time: which share of the links is busy, by dimension, and what the ranks of all classes or of one do. Worked out on another thread, when
/// somebody looks.
class TimeCharts : public QWidget
{
    Q_OBJECT
public:
    static constexpr std::size_t kColumns = 256;
    static constexpr std::size_t kMostClasses = 128; ///< To choose from; of more, the slowest.

    explicit TimeCharts(QWidget* parent = nullptr);
    ~TimeCharts() override;

    /// Null: empty. Of a run that goes on, what there is of it.
    void setResult(RunResultPtr result);
    ShareChart& links() { return *m_links; }
    ShareChart& ranks() { return *m_ranks; }
    /// Which ranks are shown; the first entry: all. Hidden until somebody gives it a place.
    QComboBox* classChoice() { return m_classes; }
    bool isWorking() const { return m_working; }

signals:
    /// The user wants to see this time of the run.
    void timeActivated(qint64 ps);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void listClasses();
    void work();
    void arrange();

    RunResultPtr m_result;
    QBoxLayout* m_layout;
    ShareChart* m_links;
    ShareChart* m_ranks;
    QComboBox* m_classes;
    std::optional<std::int32_t> m_class; ///< Number in the record; nothing: all ranks.
    std::optional<RankSet> m_wanted;     ///< The ranks the user chose, which a part of a run may not have as a class.
    QStringList m_names; ///< That stand in the list of classes.
    std::stop_source m_stop;
    int m_number = 0;
    bool m_working = false;
    bool m_stale = false;
};

} // namespace fabricscope
