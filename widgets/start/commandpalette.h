#pragma once

#include "widgets/base/theme.h"

#include <QAbstractListModel>
#include <QFrame>
#include <QLineEdit>

#include <functional>
#include <vector>

class QAction;
class QListView;

namespace fabricscope {

class ActionRegistry;

/// A line of the palette that is no command: an NPU, a link, a collective, a rank.
struct PaletteEntry {
    QString title;              ///< "NPU 37"
    QString detail;             ///< "pod 4, D2 position 1"
    QString icon;               ///< Name for icon(); may be empty.
    std::function<void()> open; ///< What Enter does.
    const QAction* setting = nullptr; ///< The command whose state it is, which is then not listed again; null: of none.
    bool isLast = false;              ///< Behind the commands.
};

/// Elements that answer what was typed, best first; called on every letter, so it should return few (20) and fast.
using PaletteElements = std::function<std::vector<PaletteEntry>(const QString& typed)>;

/// The lines below the field: elements and commands.
class PaletteModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Roles { DetailRole = Qt::UserRole, KeysRole, EnabledRole };
    explicit PaletteModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    struct Line {
        PaletteEntry entry;
        QString keys;
        bool enabled = true;
    };
    void setLines(std::vector<Line> lines, const Theme& theme);
    const Line* line(int row) const;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    std::vector<Line> m_lines;
    Theme m_theme;
};

/// Finds commands and elements by a few letters. Lies over its parent window; arrows choose, Enter does it, Esc or a click elsewhere closes.
class CommandPalette : public QFrame
{
    Q_OBJECT
public:
    enum class Scope { All, Elements };

    CommandPalette(const ActionRegistry& registry, QWidget* parent);

    void setElements(PaletteElements elements) { m_elements = std::move(elements); }
    /// Opens below the top edge of the parent, in the middle; or over a field of the parent's (its rectangle in the parent).
    void open(Scope scope = Scope::All, const QString& typed = {}, const QRect& over = {});

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void refill();
    void addCommands(const QString& typed, std::vector<PaletteModel::Line>& lines) const;
    void place();
    int currentRow() const; ///< -1: none.
    void activateCurrent();

    const ActionRegistry& m_registry;
    Theme m_theme;
    PaletteElements m_elements;
    Scope m_scope = Scope::All;
    QRect m_over;
    QLineEdit* m_field;
    QListView* m_list;
    PaletteModel* m_model;
};

/// The toolbar's "Find element or command": looks like a field, opens the palette in its place.
class PaletteField : public QLineEdit
{
    Q_OBJECT
public:
    explicit PaletteField(CommandPalette& palette, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void openPalette(const QString& typed);

    CommandPalette& m_palette;
    Theme m_theme;
};

} // namespace fabricscope
