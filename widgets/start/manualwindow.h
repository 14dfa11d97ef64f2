#pragma once

#include <QDialog>
#include <QHash>
#include <QStringList>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace fabricscope {

/// A topic or a section of the manual, to be found by its heading.
struct ManualPlace {
    QString title;   ///< "Links", without number.
    QString topic;   ///< "models".
    QString section; ///< "3.2"; empty: the topic itself.
};
/// In order of reading.
const std::vector<ManualPlace>& manualPlaces();

/// The manual (resources/manual): topics in order of reading at the left, the one chosen at the right, a field that finds words in all of them.
/// What the text cites is a link. Ctrl+F goes to the field, Return and F3 find on, Shift+F3 back, Esc closes.
class ManualWindow : public QDialog
{
    Q_OBJECT
public:
    explicit ManualWindow(QWidget* parent = nullptr);

    /// The one of this parent, made when there is none yet; shown in front.
    static ManualWindow& open(QWidget* parent);
    void showTopic(int row);
    /// `number`: of a section, "3.2"; it comes to the top of the page. False: there is no such topic or section.
    bool showSection(const QString& topic, const QString& number);
    void showPlace(const ManualPlace& place);
    /// Goes to the next place of the text in the field after the one selected, in this topic or a later one, then from the first on. False: it
    /// stands nowhere.
    bool findNext(bool backwards = false);

private:
    struct Topic {
        int row = 0;
        QStringList sections; ///< Their numbers.
    };
    QString linked(const QString& markdown, const QString& topic) const;

    QHash<QString, Topic> m_named; ///< By the word that cites them: "models".
    QListWidget* m_topics;
    QTextBrowser* m_page;
    QLineEdit* m_field;
    QLabel* m_message;
};

} // namespace fabricscope
