#include "widgets/study/variantsstart.h"

#include "widgets/base/apptheme.h"
#include "widgets/start/cards.h"

#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

static void initStudyResources() // a static library's resources are not found otherwise; the macro wants to stand outside namespaces
{
    Q_INIT_RESOURCE(studies);
}

namespace fabricscope {

namespace {

constexpr int kVariantsStartWidth = 720;

/// The rest of the line that begins with this key.
QString restOfLine(const QString& text, const QString& key)
{
    return text.section(QLatin1Char('\n') + key + QStringLiteral(": "), 1, 1).section(QLatin1Char('\n'), 0, 0);
}

} // namespace

std::vector<ShippedStudy> shippedStudies()
{
    initStudyResources();
    std::vector<ShippedStudy> out;
    const QDir folder(QStringLiteral(":/studies"));
    for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QString text = QString::fromUtf8(file.readAll());
        out.push_back({name, restOfLine(text, QStringLiteral("name")), restOfLine(text, QStringLiteral("notes")).section(QLatin1Char('?'), 0, 0) + QLatin1Char('?'), text});
    }
    return out;
}

VariantsStart::VariantsStart(QWidget* parent) : QWidget(parent), m_column(new QWidget), m_rows(new QVBoxLayout(m_column)), m_text(new QLabel), m_head(new QLabel(tr("Examples")))
{
    auto* const page = new QHBoxLayout(this);
    // An alignment would give the wrapped text the height of another width.
    page->addStretch(1);
    page->addWidget(m_column, 100);
    page->addStretch(1);
    m_rows->addStretch();
    m_rows->addWidget(m_text);
    m_rows->addSpacing(12);
    m_rows->addWidget(m_head);
    for (const ShippedStudy& example : shippedStudies()) {
        auto* const row = new StartRow(example.title, example.detail);
        row->setObjectName(example.name);
        connect(row, &StartRow::clicked, this, [this, example] { emit exampleChosen(example.text, example.name); });
        m_rows->addWidget(row);
    }
    m_rows->addStretch();
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    say({});
    followTheme(this, &VariantsStart::setTheme);
}

void VariantsStart::setTheme(const Theme& theme)
{
    m_text->setFont(theme.font(TextStyle::Body));
    m_head->setFont(theme.font(TextStyle::Section));
    m_head->setContentsMargins(theme.scaled(8), 0, 0, 0);
    m_column->setMaximumWidth(theme.scaled(kVariantsStartWidth));
}

void VariantsStart::say(const QString& text)
{
    m_text->setText(text.isEmpty() ? tr("No study is open. A file with a section study says which fields of a design are varied, and what is sought.") : text);
}

QString VariantsStart::text() const
{
    return m_text->text();
}

void VariantsStart::addCommand(const QString& text, const std::function<void()>& what)
{
    auto* const button = new QPushButton(text);
    connect(button, &QPushButton::clicked, this, what);
    m_rows->insertWidget(m_rows->indexOf(m_text) + 1, button, 0, Qt::AlignHCenter);
}

} // namespace fabricscope
