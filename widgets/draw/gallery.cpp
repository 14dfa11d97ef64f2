#include "widgets/draw/gallery.h"

#include "core/platform/fabric/parseline.h"
#include "core/platform/presets.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/canvas/thumbnail.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

constexpr int NameRole = Qt::UserRole;
constexpr int DetailRole = Qt::UserRole + 1;
constexpr int OriginRole = Qt::UserRole + 2;
constexpr int kSampleRow = 44;
constexpr int kPicture = 36;
constexpr double kShrink = 5; ///< A drawing of some 180 pixels shows single NPUs, and what joins them.

QString inQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A row: the fabric drawn small, its title and where it is from, its figures.
class SampleDelegate : public QStyledItemDelegate
{
public:
    explicit SampleDelegate(QObject* parent) : QStyledItemDelegate(parent) { followTheme(this, &SampleDelegate::setTheme); }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {m_theme.scaled(180), m_theme.scaled(kSampleRow)}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, m_theme.color(Role::Sel));
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, m_theme.color(Role::Hover));
        const int side = m_theme.scaled(kPicture);
        const int pad = m_theme.scaled(8);
        const QRect frame(option.rect.left() + pad, option.rect.center().y() - side / 2, side, side);
        painter->drawPixmap(frame.topLeft(), picture(index.data(NameRole).toString(), frame.size(), painter->device()->devicePixelRatioF()));
        painter->setPen(QPen(m_theme.color(Role::Line2), 1));
        painter->drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
        const QRect words = option.rect.adjusted(side + 2 * pad, m_theme.scaled(4), -pad, -m_theme.scaled(4));
        QRect upper = words;
        upper.setHeight(words.height() / 2);
        QRect lower = words;
        lower.setTop(upper.bottom() + 1);
        const auto draw = [&](const QRect& rect, const QString& text, TextStyle style, Role role) {
            painter->setFont(m_theme.font(style));
            painter->setPen(m_theme.color(role));
            painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
        };
        draw(upper, index.data(Qt::DisplayRole).toString(), TextStyle::Body, Role::Text);
        // What it is made of may give way; where it is from stands.
        const QString origin = index.data(OriginRole).toString();
        const int width = std::min(QFontMetrics(m_theme.font(TextStyle::Label)).horizontalAdvance(origin) + 1, lower.width());
        draw(lower.adjusted(lower.width() - width, 0, 0, 0), origin, TextStyle::Label, Role::Text2);
        draw(lower.adjusted(0, 0, -width - pad, 0), index.data(DetailRole).toString(), TextStyle::Label, Role::Text3);
        if (option.state & QStyle::State_HasFocus) {
            painter->setPen(QPen(m_theme.color(Role::Accent), 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(QRectF(option.rect).adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

private:
    void setTheme(const Theme& theme)
    {
        m_theme = theme;
        m_pictures.clear();
    }

    /// Made when its row is first seen.
    const QPixmap& picture(const QString& name, QSize size, double ratio) const
    {
        QPixmap& made = m_pictures[name];
        if (const FabricSample* sample = fabricSample(name.toStdString()); sample && made.size() != size * ratio)
            made = platformThumbnail(samplePlatform(*sample, true), size, ratio, kShrink);
        return made;
    }

    Theme m_theme;
    mutable std::map<QString, QPixmap> m_pictures;
};

/// A list whose rows can be dragged, and taken with Return or a double click. itemActivated() is not used: it comes with a double click too, and on some desktops
/// with a single one.
class SampleList : public QListWidget
{
public:
    explicit SampleList(std::function<void()> take) : m_take(std::move(take))
    {
        connect(this, &QListWidget::itemDoubleClicked, this, [this] { m_take(); });
    }

protected:
    QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override
    {
        auto* sample = new QMimeData;
        if (!items.isEmpty())
            sample->setData(QString::fromLatin1(kSampleMime), items.front()->data(NameRole).toString().toUtf8());
        return sample;
    }

    void keyPressEvent(QKeyEvent* event) override
    {
        if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentItem())
            m_take();
        else
            QListWidget::keyPressEvent(event);
    }

private:
    std::function<void()> m_take;
};

} // namespace

GalleryView::GalleryView(QWidget* parent) : QWidget(parent), m_list(new SampleList([this] { take(false); })), m_use(new QPushButton(tr("Put into design"))), m_new(new QPushButton(tr("New design")))
{
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(0);
    auto* title = new QLabel(tr("Gallery"));
    title->setProperty("role", QStringLiteral("section"));
    row->addWidget(title, 1);
    auto* kinds = new QButtonGroup(this);
    for (const auto& [text, place] : {std::pair{tr("Fabrics"), "first"}, {tr("Hosts"), "last"}}) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setCheckable(true);
        button->setProperty("segment", QString::fromLatin1(place));
        button->setToolTip(place == std::string_view("first") ? tr("Whole fabrics, with their hosts") : tr("Machines that stand at the places of a fabric"));
        kinds->addButton(button, static_cast<int>(m_kinds.size()));
        row->addWidget(button);
        m_kinds.push_back(button);
    }
    m_kinds.front()->setChecked(true);
    connect(kinds, &QButtonGroup::idClicked, this, [this](int kind) { setShowsHosts(kind == 1); });

    m_list->setAccessibleName(tr("Gallery of fabrics and hosts"));
    m_list->setItemDelegate(new SampleDelegate(m_list));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMouseTracking(true);
    m_list->setDragDropMode(QAbstractItemView::DragOnly);
    m_list->setMinimumHeight(kSampleRow);

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 6, 12, 6);
    foot->setSpacing(8);
    m_use->setToolTip(tr("Put it into the design: a fabric takes the place of the one there, a host that of its hosts (double click, Return or a drag to the page)"));
    m_new->setToolTip(tr("Start a new design with it"));
    foot->addWidget(m_use, 1);
    foot->addWidget(m_new, 1);
    connect(m_use, &QPushButton::clicked, this, [this] { take(false); });
    connect(m_new, &QPushButton::clicked, this, [this] { take(true); });

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(m_list, 1);
    column->addLayout(foot);
    fill();
}

QString GalleryView::figuresOf(const FabricSample& sample)
{
    if (sample.line.empty()) {
        const auto preset = std::ranges::find(presets(), sample.name, &PresetInfo::name);
        return preset == presets().end() ? QString() : inQt(preset->shape);
    }
    const Result<Fabric> fabric = fabricOfLine(sample.line);
    if (!fabric)
        return {};
    const QString npus = texts::npus(fabric.value().npus());
    return fabric.value().switches() == 0 ? npus : QStringLiteral("%1, %2").arg(npus, texts::switches(fabric.value().switches()));
}

void GalleryView::setShowsHosts(bool hosts)
{
    m_kinds[hosts ? 1 : 0]->setChecked(true);
    if (hosts == m_hosts)
        return;
    m_hosts = hosts;
    fill();
}

void GalleryView::fill()
{
    m_list->clear();
    for (const FabricSample& sample : fabricSamples()) {
        if (sample.host != m_hosts)
            continue;
        auto* item = new QListWidgetItem(inQt(titleOf(sample)), m_list);
        const QString figures = figuresOf(sample);
        item->setData(NameRole, inQt(sample.name));
        item->setData(DetailRole, figures);
        item->setData(OriginRole, inQt(sample.origin));
        item->setData(Qt::AccessibleDescriptionRole, figures + QStringLiteral(", ") + inQt(sample.origin));
        item->setToolTip(texts::toolTip((sample.line.empty() ? figures : inQt(sample.line)) + QLatin1Char('\n') + inQt(sourceOf(sample))));
    }
    m_list->setCurrentRow(0);
}

void GalleryView::take(bool fresh)
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item)
        return;
    const QString name = item->data(NameRole).toString();
    fresh ? emit newRequested(name) : emit useRequested(name);
}

} // namespace fabricscope
