#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace fabricscope {

/// A program of computations and collectives that comes with the window.
struct ShippedRewrite {
    QString name;   ///< Of its file: "adam.yaml".
    QString title;
    QString detail; ///< One line about it.
    QString text;
};

/// Those of the manual (transform), by title.
std::vector<ShippedRewrite> shippedRewrites();

/// What Transform shows while no program is open: what it is for, commands, the programs that come with the window.
class RewriteStart : public QWidget
{
    Q_OBJECT
public:
    explicit RewriteStart(QWidget* parent = nullptr);

    void say(const QString& text);
    QLabel* label() const { return m_text; }
    void addCommand(const QString& text, const std::function<void()>& what);

signals:
    void exampleChosen(const QString& text, const QString& name);

private:
    void setTheme(const Theme& theme);

    QWidget* m_column;
    QVBoxLayout* m_rows;
    QLabel* m_text;
    QLabel* m_head;
};

} // namespace fabricscope
