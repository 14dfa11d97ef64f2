#pragma once

#include "core/platform/fabric/figures.h"
#include "widgets/base/theme.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <stop_token>

class QLabel;
class QLineEdit;

namespace fabricscope {

class DesignDocument;
class ElidedLabel;

/// The fabric of a design in one line, `hgx-h100 x32 / rails 64p 400G x4 / spine 2:1`, with its figures beside it. Every key changes the figures, Return the design, as one
/// step of undo; Esc, or leaving the field, brings back the line of the design. A line that cannot be read says why, and the design stays as it is.
class FabricBar : public QWidget
{
    Q_OBJECT
public:
    explicit FabricBar(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// The focus goes to the line, all of it selected.
    void open();

    QLineEdit* line() const { return m_line; }
    /// "1,024 NPUs, 40 switches, ...", or why there are none.
    QString figures() const;

signals:
    /// The fabric on show is this one; `found` absent: other figures than those by arithmetic are being looked for.
    void fabricShown(const Fabric& fabric, const std::optional<FabricFigures>& found);
    /// There is none, or it has no figures.
    void fabricHidden();
    /// The line was given up, or taken: what was on show before may have the focus again.
    void left();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void showDesign();
    void makeRoom();
    void typed();
    void take();
    void show(const Result<Fabric>& fabric, const QString& leftOut = {});
    void searchFigures(const Fabric& fabric);
    void showText(const QString& text, bool problem);
    /// `problem`: of what is typed.
    void showNothing(const QString& why = {}, bool problem = false);
    QString hintOf(const QString& line) const;
    void showKnown(const std::optional<std::int64_t>& diameter, const std::optional<Fraction>& bisection);

    QPointer<DesignDocument> m_document;
    QLineEdit* m_line;
    ElidedLabel* m_figures;
    Theme m_theme;
    QString m_counts;           ///< What is known at once.
    QString m_leftOut;          ///< What the figures are not of; empty: they are of all.
    bool m_problem = false;
    int m_number = 0;           ///< Of the newest fabric; figures of an earlier one are not taken.
    std::stop_source m_stop;
    QTimer m_rest;              ///< Figures of a design are looked for when it rests.
};

} // namespace fabricscope
