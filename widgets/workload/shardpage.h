#pragma once

#include "core/base/result.h"
#include "widgets/base/theme.h"
#include "widgets/workload/sharddesign.h"

#include <QWidget>

#include <stop_token>

class QLabel;
class QPushButton;
class QSplitter;
class QVBoxLayout;

namespace fabricscope {

class DesignDocument;
class ResultTable;
class ShardView;
class TableModel;
class ValueRows;

/// A sharded graph: mesh and annotations at the left, tensors with their cells and the collectives in the middle, times, the way of an axis and what would remove a collective at
/// the right. It follows every edit; edits are steps of the document's undo.
class ShardPage : public QWidget
{
    Q_OBJECT
public:
    explicit ShardPage(QWidget* parent = nullptr);
    ~ShardPage() override;

    void setDocument(DesignDocument* document);
    /// The design has changed; looked at when somebody sees it.
    void showDesign();
    bool isSettled() const { return !m_working && !m_stale; }

    ShardView* view() const { return m_view; }
    ResultTable* collectives() const { return m_collectives; }
    QString problemText() const;
    QString pathText() const;
    /// What is offered at the right, in order: of the selected collective, else of all.
    const std::vector<ShardRemoval>& offered() const { return m_offered; }
    /// Applies an offer: one step of undo.
    void take(std::size_t offer);
    /// Sets the axes of a cell: one step of undo. This, the next and take() are refused while the design on show is not the document's.
    void setAxes(int row, int dim, const AxisList& axes);
    void drop(int row);

signals:
    void refused(const QString& text);
    void settled();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QWidget* makeLeft();
    QWidget* makeMiddle();
    QWidget* makeRight();
    void work();
    void showShard(Result<ShardDesignPtr> shard);
    void showTimes();
    void showOffers();
    void addOffer(std::size_t offer, const QString& gain, const QString& instead);
    void showPath();
    void chooseAxes(int row, int dim, const QPoint& at);
    void setWorking(bool working);
    void clear(const QString& why);
    bool isOfDocument();
    bool mayEdit();
    void bringIn();
    void showProblem(const QString& text);
    void edited(const Status& done);

    DesignDocument* m_document = nullptr;
    ShardDesignPtr m_shard; ///< Of an earlier design while the new one is worked out, or cannot be.
    std::vector<ShardRemoval> m_offered;
    QSplitter* m_split;
    ShardView* m_view;
    TableModel* m_model;
    ResultTable* m_collectives;
    ValueRows* m_mesh;
    ValueRows* m_notes;
    ValueRows* m_figures;
    QLabel* m_state;
    QLabel* m_time;
    QLabel* m_timeNote;
    QLabel* m_problem;
    QLabel* m_path;
    QLabel* m_hint;
    QPushButton* m_bring;
    QVBoxLayout* m_offers;
    std::vector<QLabel*> m_titles;
    std::stop_source m_stop;
    int m_number = 0; ///< Of the newest question.
    bool m_working = false;
    bool m_stale = true;
    Theme m_theme;
};

} // namespace fabricscope
