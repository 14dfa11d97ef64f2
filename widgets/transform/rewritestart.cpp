#include "widgets/transform/rewritestart.h"

#include "widgets/base/apptheme.h"
#include "widgets/start/cards.h"

#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

static void initRewriteResources() // a static library's resources are not found otherwise; the macro wants to stand outside namespaces
{
    Q_INIT_RESOURCE(transforms);
}

namespace fabricscope {

namespace {

constexpr int kStartWidth = 720;

/// The remark that a file begins with, without its marks and up to where it names the manual.
QString remarkOf(const QString& text)
{
    QStringList words;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (!line.startsWith(QLatin1Char('#')))
            break;
        words.append(line.mid(1).trimmed());
    }
    return words.join(QLatin1Char(' ')).section(QStringLiteral(" (manual"), 0, 0);
}

QString nameOf(const QString& text)
{
    const QString key = QStringLiteral("\nname: ");
    return text.section(key, 1, 1).section(QLatin1Char('\n'), 0, 0);
}

} // namespace

std::vector<ShippedRewrite> shippedRewrites()
{
    initRewriteResources();
    std::vector<ShippedRewrite> out;
    const QDir folder(QStringLiteral(":/transforms"));
    for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QString text = QString::fromUtf8(file.readAll());
        out.push_back({name, nameOf(text), remarkOf(text), text});
    }
    std::ranges::sort(out, [](const ShippedRewrite& a, const ShippedRewrite& b) { return a.title.localeAwareCompare(b.title) < 0; });
    return out;
}

RewriteStart::RewriteStart(QWidget* parent) : QWidget(parent), m_column(new QWidget), m_rows(new QVBoxLayout(m_column)), m_text(new QLabel), m_head(new QLabel(tr("Examples")))
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
    auto* const examples = new QVBoxLayout;
    examples->setSpacing(0);
    m_rows->addLayout(examples);
    for (const ShippedRewrite& example : shippedRewrites()) {
        auto* const row = new StartRow(example.title, example.detail);
        row->setObjectName(example.name);
        connect(row, &StartRow::clicked, this, [this, example] { emit exampleChosen(example.text, example.name); });
        examples->addWidget(row);
    }
    m_rows->addStretch();
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    say(tr("No program is open. A file with a section transform says which tensors there are and what is computed and sent."));
    followTheme(this, &RewriteStart::setTheme);
}

void RewriteStart::setTheme(const Theme& theme)
{
    m_text->setFont(theme.font(TextStyle::Body));
    m_head->setFont(theme.font(TextStyle::Section));
    m_head->setContentsMargins(theme.scaled(8), 0, 0, 0);
    m_column->setMaximumWidth(theme.scaled(kStartWidth));
}

void RewriteStart::say(const QString& text)
{
    m_text->setText(text);
}

void RewriteStart::addCommand(const QString& text, const std::function<void()>& what)
{
    auto* const button = new QPushButton(text);
    connect(button, &QPushButton::clicked, this, what);
    m_rows->insertWidget(m_rows->indexOf(m_text) + 1, button, 0, Qt::AlignHCenter);
}

} // namespace fabricscope
