#include "widgets/start/commandpalette.h"

#include "core/base/index.h"

#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/icons.h"

#include <QApplication>
#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

constexpr int kMostLines = 50;
constexpr int kShownLines = 10;

/// Icon, title, detail in a lighter tone, shortcut at the right.
class LineDelegate final : public QStyledItemDelegate
{
public:
    LineDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {m_theme.scaled(200), m_theme.scaled(28)}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const bool current = option.state.testFlag(QStyle::State_Selected);
        const bool enabled = index.data(PaletteModel::EnabledRole).toBool();
        painter->fillRect(option.rect, m_theme.color(current ? Role::Sel : Role::Raised));
        QRect rest = option.rect.adjusted(m_theme.scaled(10), 0, -m_theme.scaled(10), 0);
        const int side = m_theme.scaled(16);
        const QRect iconRect(rest.left(), rest.center().y() - side / 2 + 1, side, side);
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, iconRect, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
        rest.setLeft(iconRect.right() + m_theme.scaled(10));

        const auto draw = [&](const QString& text, TextStyle style, Role role, Qt::Alignment alignment) {
            const QFont font = m_theme.font(style);
            const QFontMetrics metrics(font);
            painter->setFont(font);
            painter->setPen(m_theme.color(enabled ? role : Role::Disabled));
            const QString shown = metrics.elidedText(text, Qt::ElideRight, rest.width());
            painter->drawText(rest, static_cast<int>(alignment | Qt::AlignVCenter), shown);
            return metrics.horizontalAdvance(shown) + m_theme.scaled(10);
        };
        const Role quiet = current ? Role::Text2 : Role::Text3;
        const QString keys = index.data(PaletteModel::KeysRole).toString();
        if (!keys.isEmpty())
            rest.setRight(rest.right() - draw(keys, TextStyle::Table, quiet, Qt::AlignRight));
        rest.setLeft(rest.left() + draw(index.data(Qt::DisplayRole).toString(), TextStyle::Body, Role::Text, Qt::AlignLeft));
        draw(index.data(PaletteModel::DetailRole).toString(), TextStyle::Table, quiet, Qt::AlignLeft);
    }

private:
    const Theme& m_theme;
};

} // namespace

void PaletteModel::setLines(std::vector<Line> lines, const Theme& theme)
{
    beginResetModel();
    m_lines = std::move(lines);
    m_theme = theme;
    endResetModel();
}

const PaletteModel::Line* PaletteModel::line(int row) const
{
    return row >= 0 && row < static_cast<int>(m_lines.size()) ? &m_lines[at(row)] : nullptr;
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    const Line* of = index.isValid() ? line(index.row()) : nullptr;
    if (!of)
        return {};
    switch (role) {
    case Qt::DisplayRole: return of->entry.title;
    case Qt::AccessibleTextRole:
        return of->entry.title + (of->entry.detail.isEmpty() ? QString() : QStringLiteral(", ") + of->entry.detail)
            + (of->keys.isEmpty() ? QString() : QStringLiteral(", ") + of->keys);
    case Qt::DecorationRole: return icon(of->entry.icon, m_theme);
    case DetailRole: return of->entry.detail;
    case KeysRole: return of->keys;
    case EnabledRole: return of->enabled;
    default: return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const
{
    const Line* of = index.isValid() ? line(index.row()) : nullptr;
    if (!of)
        return Qt::NoItemFlags;
    // A disabled command can be looked at, it only cannot be run.
    return Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
}

CommandPalette::CommandPalette(const ActionRegistry& registry, QWidget* parent)
    : QFrame(parent)
    , m_registry(registry)
    , m_field(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_model(new PaletteModel(this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Command palette"));
    m_field->setAccessibleName(tr("Find element or command"));
    m_field->setFrame(false);
    m_list->setAccessibleName(tr("Matches"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new LineDelegate(m_theme, m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    followTheme(this, &CommandPalette::setTheme);
    hide();

    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, [this] { refill(); });
    connect(m_field, &QLineEdit::returnPressed, this, [this] { activateCurrent(); });
    connect(m_list, &QListView::clicked, this, [this] { activateCurrent(); });
}

void CommandPalette::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_field->setFont(theme.font(TextStyle::Body));
    setStyleSheet(QStringLiteral("#commandPalette{background:%1;border:1px solid %2;border-radius:4px}"
                                 "#commandPalette QLineEdit{background:%1;border:none;border-bottom:1px solid %3;border-radius:0;padding:%4px %5px;color:%6}"
                                 "#commandPalette QListView{background:%1;border:none}")
                      .arg(theme.color(Role::Raised).name(), theme.color(Role::Outline).name(), theme.color(Role::Line).name())
                      .arg(theme.scaled(7))
                      .arg(theme.scaled(10))
                      .arg(theme.color(Role::Text).name()));
    if (isVisible())
        refill();
}

void CommandPalette::open(Scope scope, const QString& typed, const QRect& over)
{
    m_scope = scope;
    m_over = over;
    m_field->setPlaceholderText(scope == Scope::Elements ? tr("Go to an NPU, link, task, dimension, file, setting or topic") : tr("Find element or command"));
    const QSignalBlocker once(m_field);
    m_field->setText(typed);
    refill();
    show();
    raise();
    m_field->setFocus(Qt::PopupFocusReason);
}

int CommandPalette::currentRow() const
{
    return m_list->currentIndex().isValid() ? m_list->currentIndex().row() : -1;
}

void CommandPalette::activateCurrent()
{
    const PaletteModel::Line* line = m_model->line(currentRow());
    if (!line || !line->enabled)
        return;
    // It may show a dialog or change the window: the palette is gone before.
    const std::function<void()> run = line->entry.open;
    hide();
    if (run)
        run();
}

void CommandPalette::refill()
{
    const QString typed = m_field->text();
    std::vector<PaletteModel::Line> lines;
    std::vector<PaletteModel::Line> last;
    if (m_elements) {
        for (PaletteEntry& entry : m_elements(typed)) {
            std::vector<PaletteModel::Line>& into = entry.isLast ? last : lines;
            into.push_back({std::move(entry), {}, true});
        }
    }
    if (m_scope == Scope::All)
        addCommands(typed, lines);
    lines.insert(lines.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
    m_model->setLines(std::move(lines), m_theme);
    m_list->setCurrentIndex(m_model->index(0, 0));
    place();
}

void CommandPalette::addCommands(const QString& typed, std::vector<PaletteModel::Line>& lines) const
{
    for (QAction* action : m_registry.search(typed)) {
        if (static_cast<int>(lines.size()) >= kMostLines)
            break;
        if (std::any_of(lines.begin(), lines.end(), [action](const PaletteModel::Line& other) { return other.entry.setting == action; }))
            continue;
        PaletteModel::Line line;
        line.entry = {ActionRegistry::plainText(*action), ActionRegistry::menuOf(*action), action->property("fabricscope.icon").toString(), [action] { action->trigger(); }};
        line.keys = action->shortcut().toString(QKeySequence::NativeText);
        line.enabled = action->isEnabled();
        lines.push_back(std::move(line));
    }
}

void CommandPalette::place()
{
    const int margin = m_theme.scaled(16);
    const QSize room = parentWidget() ? parentWidget()->size() : QSize(1280, 800);
    const int width = std::min(std::max(m_theme.scaled(520), m_over.width()), room.width() - margin);
    const int rows = std::min(m_model->rowCount(), kShownLines);
    const int top = m_over.isNull() ? m_theme.scaled(56) : m_over.top();
    m_field->ensurePolished(); // Its padding comes from the style sheet.
    const int height = std::min(m_field->sizeHint().height() + rows * m_theme.scaled(28) + 4, room.height() - top - margin / 2);
    const int left = m_over.isNull() ? (room.width() - width) / 2 : std::min(m_over.left(), room.width() - width - margin / 2);
    m_list->setVisible(rows > 0);
    setGeometry(std::max(left, margin / 2), top, width, height);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int last = m_model->rowCount() - 1;
        int row = currentRow();
        switch (key) {
        case Qt::Key_Escape: hide(); return true;
        case Qt::Key_Down: row = row >= last ? 0 : row + 1; break;
        case Qt::Key_Up: row = row <= 0 ? last : row - 1; break;
        case Qt::Key_PageDown: row = std::min(row + kShownLines, last); break;
        case Qt::Key_PageUp: row = std::max(row - kShownLines, 0); break;
        default: return QFrame::eventFilter(watched, event);
        }
        m_list->setCurrentIndex(m_model->index(row, 0));
        return true;
    }
    if (watched == m_field && event->type() == QEvent::FocusOut)
        hide();
    return QFrame::eventFilter(watched, event);
}

PaletteField::PaletteField(CommandPalette& palette, QWidget* parent)
    : QLineEdit(parent)
    , m_palette(palette)
{
    setReadOnly(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    setPlaceholderText(tr("Find element or command"));
    setAccessibleName(placeholderText());
    setStatusTip(tr("Find an NPU, link, rank, collective or command"));
    followTheme(this, &PaletteField::setTheme);
}

void PaletteField::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font(TextStyle::Body));
    setTextMargins(theme.scaled(22), 0, 0, 0);
    update();
}

void PaletteField::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    const int side = m_theme.scaled(16);
    QPainter painter(this);
    icon("search", IconColors::plain(m_theme.color(Role::Text3))).paint(&painter, QRect(m_theme.scaled(8), (height() - side) / 2, side, side));
}

QSize PaletteField::sizeHint() const
{
    return {m_theme.scaled(248), m_theme.scaled(28)};
}

void PaletteField::openPalette(const QString& typed)
{
    const QWidget* over = m_palette.parentWidget();
    m_palette.open(CommandPalette::Scope::All, typed, over ? QRect(mapTo(over, QPoint()), size()) : QRect());
}

void PaletteField::mousePressEvent(QMouseEvent* event)
{
    event->accept();
    openPalette({});
}

void PaletteField::keyPressEvent(QKeyEvent* event)
{
    const QString typed = event->text();
    const bool opens = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Down || event->key() == Qt::Key_Space;
    const bool letter = !typed.isEmpty() && typed[0].isPrint() && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (opens || letter)
        openPalette(opens ? QString() : typed);
    else
        QLineEdit::keyPressEvent(event);
}

} // namespace fabricscope
