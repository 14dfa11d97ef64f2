#include "widgets/step/movefacts.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/chip.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/paneheader.h"
#include "widgets/step/player.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPixmap>
#include <QToolButton>
#include <QVBoxLayout>

#include <map>
#include <tuple>

namespace fabricscope {

namespace {
constexpr int kMaxChunkButtons = 6;

/// "0,8,16,24,32,40" becomes "0, 8, … 40".
QString shortened(const QString& ranks)
{
    const QStringList parts = ranks.split(QLatin1Char(','));
    return parts.size() <= 4 ? parts.join(QStringLiteral(", ")) : QStringLiteral("%1, %2, … %3").arg(parts[0], parts[1], parts.back());
}

}

StepFacts::StepFacts(StepPlayer* player, QWidget* parent) : QWidget(parent), m_player(player)
{
    setAccessibleName(tr("Collective"));
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_head = new StepHeader(tr("Collective"));
    column->addWidget(m_head);
    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(12, 10, 12, 8);
    inner->setSpacing(6);
    column->addLayout(inner);
    m_box = new QComboBox;
    m_box->setAccessibleName(tr("Collective to step through"));
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    inner->addWidget(m_box);
    m_groupBox = new QComboBox;
    m_groupBox->setAccessibleName(tr("Group of the collective"));
    m_groupBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    inner->addWidget(m_groupBox);

    m_grid = new QWidget;
    auto* grid = new QGridLayout(m_grid);
    grid->setContentsMargins(0, 2, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    inner->addWidget(m_grid);
    const auto value = [] {
        auto* label = new QLabel;
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        label->setWordWrap(true);
        return label;
    };
    m_group = value();
    m_size = value();
    m_algorithm = value();
    m_chunks = new QWidget;
    m_chunkRow = new QHBoxLayout(m_chunks);
    m_chunkRow->setContentsMargins(0, 0, 0, 0);
    m_chunkRow->setSpacing(0);
    m_chunkRow->addStretch(1);
    addFact(0, tr("Group"), m_group);
    addFact(1, tr("Size"), m_size);
    addFact(2, tr("Algorithm"), m_algorithm);
    addFact(3, tr("Chunk"), m_chunks);
    m_verifiedRow = new QWidget;
    auto* verified = new QHBoxLayout(m_verifiedRow);
    verified->setContentsMargins(0, 2, 0, 0);
    verified->setSpacing(8);
    m_chip = new QLabel;
    m_chip->setAlignment(Qt::AlignCenter);
    m_verified = new QLabel;
    m_verified->setProperty("role", QStringLiteral("hint"));
    m_verified->setWordWrap(true);
    verified->addWidget(m_chip, 0, Qt::AlignVCenter);
    verified->addWidget(m_verified, 1);
    inner->addWidget(m_verifiedRow);
    m_groupBox->hide();
    m_grid->hide();
    m_verifiedRow->hide();

    connect(m_box, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index < 0)
            return;
        loadGroups();
        emit instanceChosen(instance());
    });
    connect(m_groupBox, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0)
            emit instanceChosen(instance());
    });
    connect(player, &StepPlayer::replayChanged, this, &StepFacts::loadReplay);
    followTheme(this, &StepFacts::setTheme);
}

void StepFacts::addFact(int row, const QString& name, QWidget* value)
{
    auto* label = new QLabel(name);
    label->setProperty("role", QStringLiteral("secondary"));
    value->setAccessibleName(name);
    auto* grid = static_cast<QGridLayout*>(m_grid->layout());
    grid->addWidget(label, row, 0, Qt::AlignTop);
    grid->addWidget(value, row, 1);
    m_names.push_back(label);
}

void StepFacts::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_chip->setFixedHeight(theme.scaled(21));
    showCollectives(instance());
}

void StepFacts::setCollectives(std::vector<InstanceRun> collectives)
{
    const std::int32_t before = instance();
    std::erase_if(collectives, [](const InstanceRun& each) { return !each.steppable; });
    m_collectives = std::move(collectives);
    m_calls.clear();
    std::map<std::tuple<FamilyId, std::int32_t>, std::size_t> lines;
    for (std::size_t i = 0; i < m_collectives.size(); ++i) {
        const auto [line, isNew] = lines.emplace(std::tuple(m_collectives[i].family, m_collectives[i].call), m_calls.size());
        if (isNew)
            m_calls.emplace_back();
        m_calls[line->second].push_back(i);
    }
    showCollectives(before);
}

/// Fills the box anew; `chosen` stays chosen where it is offered.
void StepFacts::showCollectives(std::int32_t chosen)
{
    std::map<QString, int> total;
    std::map<QString, int> seen;
    const auto nameOf = [this](std::size_t line) {
        const InstanceRun& first = m_collectives[m_calls[line].front()];
        return first.name.empty() ? steptexts::operation(first.op) : texts::shown(first.name);
    };
    for (std::size_t line = 0; line < m_calls.size(); ++line)
        ++total[nameOf(line)];
    const QSignalBlocker blocker(m_box);
    m_box->clear();
    const int square = m_theme.scaled(10);
    m_box->setIconSize(QSize(square, square));
    for (std::size_t line = 0; line < m_calls.size(); ++line) {
        const InstanceRun& first = m_collectives[m_calls[line].front()];
        QString name = nameOf(line);
        if (total[name] > 1) {
            const int number = ++seen[name];
            name = tr("%1, %2 of %3").arg(name).arg(number).arg(total[name]);
        }
        QPixmap pixmap(square * 2, square * 2);
        pixmap.setDevicePixelRatio(2);
        pixmap.fill(m_theme.activity(activityOf(first.op)));
        m_box->addItem(QIcon(pixmap), tr("%1 (%2)").arg(name, steptexts::buffer(first.bytes)));
    }
    m_head->setHint(m_collectives.empty() ? QString() : m_collectives.size() == 1 ? tr("1 in this run") : tr("%1 in this run").arg(texts::count(static_cast<std::int64_t>(m_collectives.size()))));
    m_box->setEnabled(!m_calls.empty());
    if (!showInstance(chosen))
        loadGroups();
}

void StepFacts::loadGroups()
{
    const QSignalBlocker blocker(m_groupBox);
    m_groupBox->clear();
    const int line = m_box->currentIndex();
    if (line >= 0 && static_cast<std::size_t>(line) < m_calls.size())
        for (const std::size_t entry : m_calls[at(line)])
            m_groupBox->addItem(tr("Ranks %1").arg(shortened(QString::fromStdString(m_collectives[entry].ranks))));
    m_groupBox->setVisible(m_groupBox->count() > 1);
}

std::int32_t StepFacts::instance() const
{
    const int line = m_box->currentIndex();
    if (line < 0 || static_cast<std::size_t>(line) >= m_calls.size())
        return -1;
    const std::vector<std::size_t>& entries = m_calls[at(line)];
    const std::size_t group = static_cast<std::size_t>(std::max(0, m_groupBox->currentIndex()));
    return group < entries.size() ? m_collectives[entries[group]].instance : -1;
}

bool StepFacts::showInstance(std::int32_t instance)
{
    for (std::size_t line = 0; line < m_calls.size(); ++line)
        for (std::size_t group = 0; group < m_calls[line].size(); ++group)
            if (m_collectives[m_calls[line][group]].instance == instance) {
                const QSignalBlocker box(m_box);
                m_box->setCurrentIndex(static_cast<int>(line));
                loadGroups();
                const QSignalBlocker groups(m_groupBox);
                m_groupBox->setCurrentIndex(static_cast<int>(group));
                return true;
            }
    return false;
}

void StepFacts::setVerified(std::optional<bool> verified)
{
    m_verifiedRow->setVisible(verified.has_value() && m_player->replay());
    if (!verified || !m_player->replay())
        return;
    setChip(*m_chip, *verified ? "ok" : "err", *verified ? tr("✓ Verified") : tr("Not complete"));
    const std::int32_t all = m_player->replay()->complete();
    switch (m_player->replay()->op()) {
    case CollectiveOp::AllReduce: m_verified->setText(tr("every rank ends with %1 of %1 contributions").arg(all)); break;
    case CollectiveOp::ReduceScatter: m_verified->setText(tr("every rank ends with %1 of %1 contributions to its part").arg(all)); break;
    case CollectiveOp::AllGather: m_verified->setText(tr("every rank ends with all %1 parts").arg(m_player->replay()->parts())); break;
    default: m_verified->setText(tr("every rank ends with what the others had for it")); break;
    }
    if (!*verified)
        m_verified->setText(tr("some parts do not arrive"));
}

void StepFacts::setUpdating(bool on)
{
    m_head->setChip("info", on ? tr("Updating") : QString());
}

void StepFacts::loadReplay()
{
    const CollectiveReplayPtr& replay = m_player->replay();
    m_grid->setVisible(replay != nullptr);
    if (!replay) {
        m_verifiedRow->hide();
        return;
    }
    QString members;
    const int size = replay->size();
    const auto node = [&](int position) { return QString::number(replay->nodeAt(position)); };
    if (size <= 4)
        for (int i = 0; i < size; ++i)
            members += (i ? QStringLiteral(", ") : QString()) + node(i);
    else
        members = tr("%1, %2, … %3").arg(node(0), node(1), node(size - 1));
    m_group->setText(tr("%1: %2").arg(texts::npus(size), members));
    const QString bytes = steptexts::buffer(replay->bytes());
    m_size->setText(replay->chunks() == 1 ? bytes : tr("%1 in %2 chunks of %3").arg(bytes, texts::count(replay->chunks()), steptexts::buffer(replay->chunkBytes(0), replay->bytes())));
    m_algorithm->setText(texts::shown(replay->algorithmText()));
    loadChunks();
}

void StepFacts::loadChunks()
{
    const int count = m_player->replay()->chunks();
    const bool asButtons = count <= kMaxChunkButtons;
    const int shown = m_chunkButtons ? static_cast<int>(m_chunkButtons->buttons().size()) : m_chunkBox ? m_chunkBox->count() : -1;
    if (shown != count) {
        delete m_chunkButtons;
        m_chunkButtons = nullptr;
        m_chunkBox = nullptr;
        while (m_chunkRow->count() > 1) {
            QLayoutItem* item = m_chunkRow->takeAt(1);
            // The click that led here may be the button's own.
            item->widget()->deleteLater();
            delete item;
        }
        if (asButtons) {
            m_chunkButtons = new QButtonGroup(this);
            for (int chunk = 0; chunk < count; ++chunk) {
                auto* button = new QToolButton;
                button->setText(QString::number(chunk + 1));
                button->setAccessibleName(tr("Chunk %1").arg(chunk + 1));
                button->setCheckable(true);
                if (count > 1)
                    button->setProperty("segment", chunk == 0 ? QStringLiteral("first") : chunk + 1 == count ? QStringLiteral("last") : QStringLiteral("true"));
                m_chunkButtons->addButton(button, chunk);
                m_chunkRow->addWidget(button);
            }
            connect(m_chunkButtons, &QButtonGroup::idClicked, m_player, &StepPlayer::setChunk);
        } else {
            m_chunkBox = new QComboBox;
            m_chunkBox->setAccessibleName(tr("Chunk"));
            for (int chunk = 0; chunk < count; ++chunk)
                m_chunkBox->addItem(tr("%1 of %2").arg(chunk + 1).arg(count));
            m_chunkRow->addWidget(m_chunkBox);
            connect(m_chunkBox, &QComboBox::currentIndexChanged, m_player, &StepPlayer::setChunk);
        }
    }
    if (m_chunkButtons)
        m_chunkButtons->button(m_player->chunk())->setChecked(true);
    if (m_chunkBox) {
        const QSignalBlocker blocker(m_chunkBox);
        m_chunkBox->setCurrentIndex(m_player->chunk());
    }
}

} // namespace fabricscope
