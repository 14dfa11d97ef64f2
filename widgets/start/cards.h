#pragma once

#include "widgets/base/theme.h"
#include "widgets/start/designtemplates.h"

#include <QAbstractButton>
#include <QPixmap>

namespace fabricscope {

/// A template as a card: its platform drawn small, its name below.
class TemplateCard : public QAbstractButton
{
    Q_OBJECT
public:
    explicit TemplateCard(const ShippedDesign& design, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QSize pictureSize() const;
    void drawPicture();

    std::string m_text;
    Theme m_theme;
    QPixmap m_picture;
};

/// A line of the start page: title, detail, and something at the right.
class StartRow : public QAbstractButton
{
    Q_OBJECT
public:
    StartRow(const QString& title, const QString& detail, QWidget* parent = nullptr);
    void setRight(const QString& text);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void describe();

    QString m_detail;
    QString m_right;
    Theme m_theme;
};

} // namespace fabricscope
