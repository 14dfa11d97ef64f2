#pragma once

#include "core/step/collectivelist.h"
#include "widgets/base/theme.h"
#include "widgets/step/loader.h"

#include <QWidget>

#include <vector>

class QButtonGroup;
class QComboBox;
class QHBoxLayout;
class QLabel;

namespace fabricscope {

class StepHeader;
class StepPlayer;

/// Which collective of a run is looked at, and what it is: group, size, algorithm, chunk, whether it ends as it must.
class StepFacts : public QWidget
{
    Q_OBJECT
public:
    explicit StepFacts(StepPlayer* player, QWidget* parent = nullptr);

    /// Steppable ones are offered; groups that run the same call are one entry with a choice of group.
    void setCollectives(std::vector<InstanceRun> collectives);
    /// Shows an instance as chosen, without a signal. False: not offered.
    bool showInstance(std::int32_t instance);
    /// Result of verifySteps() for what the player shows.
    void setVerified(std::optional<bool> verified);
    /// Steppable instances in the order offered.
    const std::vector<InstanceRun>& collectives() const { return m_collectives; }
    std::int32_t instance() const; ///< Chosen; -1: none.
    void setUpdating(bool on);

signals:
    void instanceChosen(std::int32_t instance);

private:
    void setTheme(const Theme& theme);
    void addFact(int row, const QString& name, QWidget* value);
    void showCollectives(std::int32_t chosen);
    void loadGroups();
    void loadReplay();
    void loadChunks();

    StepPlayer* m_player;
    Theme m_theme;
    std::vector<InstanceRun> m_collectives;
    std::vector<std::vector<std::size_t>> m_calls; ///< Entries of m_collectives behind each line of the box.
    StepHeader* m_head;
    QComboBox* m_box;
    QComboBox* m_groupBox;
    QWidget* m_grid;
    std::vector<QLabel*> m_names;
    QLabel* m_group;
    QLabel* m_size;
    QLabel* m_algorithm;
    QWidget* m_chunks;
    QHBoxLayout* m_chunkRow;
    QButtonGroup* m_chunkButtons = nullptr;
    QComboBox* m_chunkBox = nullptr;
    QWidget* m_verifiedRow;
    QLabel* m_chip;
    QLabel* m_verified;
};

} // namespace fabricscope
