#pragma once

#include "sourcedir.h"

#include <QFile>
#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>
#include <QXmlStreamReader>

namespace fabricscope::test {

/// One text of a catalog of Linguist.
struct CatalogText {
    QString context;
    QString source;
    QString comment;
    QStringList translations; ///< As many as there are forms.
    bool hasForms = false;    ///< Of a number.
    bool isFinished = false;
    bool isObsolete = false;

    QString key() const { return context + QChar(0x1F) + source + QChar(0x1F) + comment; }
};

/// All of a file; none where it cannot be read.
inline QList<CatalogText> readCatalog(const QString& path)
{
    QFile file(path);
    QList<CatalogText> all;
    if (!file.open(QIODevice::ReadOnly))
        return all;
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        const QStringView name = xml.name();
        if (name == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (name == QLatin1String("message")) {
            all.append(CatalogText());
            all.last().context = context;
            all.last().hasForms = xml.attributes().value(QLatin1String("numerus")) == QLatin1String("yes");
        } else if (name == QLatin1String("source")) {
            all.last().source = xml.readElementText();
        } else if (name == QLatin1String("comment")) {
            all.last().comment = xml.readElementText();
        } else if (name == QLatin1String("translation")) {
            const QString type = xml.attributes().value(QLatin1String("type")).toString();
            all.last().isFinished = type.isEmpty();
            all.last().isObsolete = type == QLatin1String("vanished") || type == QLatin1String("obsolete");
            if (!all.last().hasForms)
                all.last().translations.append(xml.readElementText());
        } else if (name == QLatin1String("numerusform")) {
            all.last().translations.append(xml.readElementText());
        }
    }
    return xml.hasError() ? QList<CatalogText>() : all;
}

/// Where the German of a folder of sources is: "app" or "widgets".
inline QString germanOf(const QString& folder)
{
    return QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/translations/%1_de.ts").arg(folder);
}

} // namespace fabricscope::test
