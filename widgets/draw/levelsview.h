#pragma once

#include "core/design/edits/fabricedits.h"
#include "widgets/base/theme.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;

namespace fabricscope {

class DesignDocument;

/// A value with a grip: a drag to the right or down changes it, arrows by one detent, Shift takes every value. What it would be is told while it is dragged; Esc brings
/// back what it was. Read aloud as a number with its name.
class LevelHandle : public QWidget
{
    Q_OBJECT
public:
    explicit LevelHandle(QWidget* parent = nullptr);

    std::int64_t value() const { return m_dragging ? m_wanted : m_value; }
    void setValue(std::int64_t value);
    bool isDragging() const { return m_dragging; }

signals:
    /// While it is dragged; then the value it was before, or the new one.
    void previewed(qint64 value);
    void chosen(qint64 value);

protected:
    /// The value of a drag by so many pixels; of the next detent up or down, or the next value.
    virtual std::int64_t dragged(QPointF by, bool every) const = 0;
    virtual std::int64_t stepped(int by, bool every) const = 0;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

    Theme m_theme;
    QPointF m_pressed;
    std::int64_t m_value = 1;
    std::int64_t m_wanted = 1;
    bool m_dragging = false;
    bool m_keyboardFocus = false;

private:
    void end(bool keep);
};

/// × n: 24 pixels are one power of two up or down, with Shift one more or less.
class CountHandle : public LevelHandle
{
    Q_OBJECT
public:
    explicit CountHandle(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    std::int64_t dragged(QPointF by, bool every) const override;
    std::int64_t stepped(int by, bool every) const override;
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
};

/// The ports of a switch: those that lead down, up, and free ones, with a divider between down and up. Its value is the number of ports up;
/// detents are oversubscriptions of 1, 2, 4 and 8 to 1.
class PortsHandle : public LevelHandle
{
    Q_OBJECT
public:
    explicit PortsHandle(QWidget* parent = nullptr);
    void setPorts(std::int64_t down, std::int64_t up, std::int64_t radix);
    /// The most pixels it may take.
    void setRoom(int pixels);
    /// The most pixels for its words; where they need more, only the oversubscription is said.
    void setWordRoom(int pixels);
    /// What so many ports up mean; in lowest terms.
    Ratio ratio(std::int64_t up) const;
    QSize sizeHint() const override;
    /// Where the divider stands, in pixels of the widget, for so many ports up.
    QPointF gripAt(std::int64_t up) const;

protected:
    std::int64_t dragged(QPointF by, bool every) const override;
    std::int64_t stepped(int by, bool every) const override;
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    double cell() const;
    std::int64_t all() const;

    std::int64_t m_down = 1;
    std::int64_t m_radix = 0;
    double m_room = 400;
    int m_wordRoom = 400;
};

/// A generated fabric as levels over parts, each with its counts as handles (levelhandles.cpp). Every release is one edit of the document, in its line or its levels.
/// U adds a level, / types the fabric.
class LevelsView : public QWidget
{
    Q_OBJECT
public:
    explicit LevelsView(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// Reads the design again, after it changed. False: it has no levels.
    bool showDesign();
    const std::optional<FabricLevels>& levels() const { return m_levels; }

    /// The focus goes to the first handle.
    void takeFocus();
    /// The focus goes to a handle of this row; 0 is what stands at the places.
    void focusLevel(std::size_t row);

signals:
    /// A handle of this row has the focus.
    void levelFocused(std::size_t row);
    void refused(const QString& message);
    /// The fabric is to be typed.
    void lineRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QLabel* name = nullptr;
        QLabel* figures = nullptr;
        CountHandle* count = nullptr; ///< How many of this the level above joins; null: the highest.
        PortsHandle* ports = nullptr; ///< Null: parts, or the highest level.
        double top = 0;
        double height = 0;
    };
    void setTheme(const Theme& theme);
    void build();
    void arrange();
    void fill();
    void addLevel();
    void edit(const QString& title, const std::function<Status(YamlDocument&)>& change);
    void preview(const std::function<Status(YamlDocument&)>& change);

    QPointer<DesignDocument> m_document;
    std::optional<FabricLevels> m_levels;
    Theme m_theme;
    std::vector<Row> m_rows; ///< From below: the parts, then the levels.
    QLabel* m_told;          ///< What would be, while something is dragged.
    QPushButton* m_add;
    QPushButton* m_remove;
};

} // namespace fabricscope
