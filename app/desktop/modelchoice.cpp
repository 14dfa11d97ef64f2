#include "app/desktop/modelchoice.h"

#include <QCoreApplication>
#include <QInputDialog>

namespace fabricscope {

std::optional<Model> chooseModel(Model current, QWidget* parent)
{
    QStringList names;
    int reference = -1; // What people ask first: why ASTRA-sim says otherwise.
    for (const ModelTraits& known : kModelRows) {
        if (known.model == current)
            continue;
        if (known.family == ModelFamily::Astra && reference < 0)
            reference = static_cast<int>(names.size());
        names.append(QString::fromStdString(std::string(known.name)));
    }
    bool chosen = false;
    const QString name = QInputDialog::getItem(parent, QCoreApplication::translate("fabricscope::ModelChoice", "Explain another model"),
                                               QCoreApplication::translate("fabricscope::ModelChoice", "Take the difference apart, starting from:"), names, reference, false, &chosen);
    return chosen ? parseModel(name.toStdString()) : std::nullopt;
}

} // namespace fabricscope
