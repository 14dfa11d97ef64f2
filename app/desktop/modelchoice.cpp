#include "app/desktop/modelchoice.h"

#include <QCoreApplication>
#include <QInputDialog>

namespace fabricscope {

std::optional<Model> chooseModel(Model current, QWidget* parent)
{
    QStringList names;
    for (const Model model : {Model::AstraUnaware, Model::AstraAware, Model::Links, Model::Ideal, Model::Flow})
        if (model != current)
            names.append(QString::fromStdString(std::string(modelName(model))));
    bool chosen = false;
    const QString name = QInputDialog::getItem(parent, QCoreApplication::translate("fabricscope::ModelChoice", "Explain another model"),
                                               QCoreApplication::translate("fabricscope::ModelChoice", "Take the difference apart, starting from:"), names, 0, false, &chosen);
    return chosen ? parseModel(name.toStdString()) : std::nullopt;
}

} // namespace fabricscope
