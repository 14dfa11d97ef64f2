#include "core/synthesis/linearprogram.h"

#include <algorithm>
#include <glpk.h>
#include <memory>

namespace fabricscope {

namespace {

struct ProblemDeleter {
    void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};

/// GLPK keeps an environment per thread; it goes when the last problem of ours in this thread is done.
struct Environment {
    Environment() { glp_term_out(GLP_OFF); }
    ~Environment() { glp_free_env(); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
};

struct Limit {
    std::int64_t stepsLeft = 0;
    const std::stop_token* stop = nullptr;
};

void watch(glp_tree* tree, void* info)
{
    auto* limit = static_cast<Limit*>(info);
    if (--limit->stepsLeft < 0 || limit->stop->stop_requested())
        glp_ios_terminate(tree);
}

} // namespace

LinearProgram::LinearProgram(std::vector<double> limits)
    : m_limits(std::move(limits))
    , m_equal(m_limits.size(), false)
{
}

LinearProgram::Solution LinearProgram::solve(bool maximise, std::int64_t mostSteps, const std::stop_token& stop) const
{
    Solution out;
    if (m_columns.empty() || m_limits.empty())
        return out;
    const Environment environment;
    const std::unique_ptr<glp_prob, ProblemDeleter> problem(glp_create_prob());
    glp_prob* p = problem.get();
    glp_set_obj_dir(p, maximise ? GLP_MAX : GLP_MIN);
    glp_add_rows(p, static_cast<int>(m_limits.size()));
    for (std::size_t i = 0; i < m_limits.size(); ++i)
        glp_set_row_bnds(p, static_cast<int>(i) + 1, m_equal[i] ? GLP_FX : GLP_UP, m_limits[i], m_limits[i]);
    glp_add_cols(p, static_cast<int>(m_columns.size()));
    bool integers = false;
    std::vector<int> rows;
    std::vector<double> values;
    for (std::size_t j = 0; j < m_columns.size(); ++j) {
        const Column& column = m_columns[j];
        const int number = static_cast<int>(j) + 1;
        glp_set_obj_coef(p, number, column.cost);
        if (column.most == 0)
            glp_set_col_bnds(p, number, GLP_FX, 0, 0);
        else
            glp_set_col_bnds(p, number, column.most < 0 ? GLP_LO : GLP_DB, 0, column.most);
        if (column.integer) {
            glp_set_col_kind(p, number, GLP_IV);
            integers = true;
        }
        rows.assign(1, 0);
        values.assign(1, 0);
        for (const auto& [row, value] : column.entries) {
            rows.push_back(row + 1);
            values.push_back(value);
        }
        glp_set_mat_col(p, number, static_cast<int>(rows.size()) - 1, rows.data(), values.data());
    }

    glp_smcp simplex;
    glp_init_smcp(&simplex);
    simplex.msg_lev = GLP_MSG_OFF;
    if (glp_simplex(p, &simplex) != 0 || glp_get_status(p) != GLP_OPT)
        return out;
    if (!integers) {
        out.found = out.optimal = true;
        out.value = glp_get_obj_val(p);
        for (std::size_t j = 0; j < m_columns.size(); ++j)
            out.x.push_back(glp_get_col_prim(p, static_cast<int>(j) + 1));
        for (std::size_t i = 0; i < m_limits.size(); ++i)
            out.duals.push_back(glp_get_row_dual(p, static_cast<int>(i) + 1));
        return out;
    }
    glp_iocp branch;
    glp_init_iocp(&branch);
    branch.msg_lev = GLP_MSG_OFF;
    Limit limit{mostSteps, &stop};
    branch.cb_func = watch;
    branch.cb_info = &limit;
    glp_intopt(p, &branch);
    const int status = glp_mip_status(p);
    out.found = status == GLP_OPT || status == GLP_FEAS;
    out.optimal = status == GLP_OPT;
    if (out.found) {
        out.value = glp_mip_obj_val(p);
        for (std::size_t j = 0; j < m_columns.size(); ++j)
            out.x.push_back(glp_mip_col_val(p, static_cast<int>(j) + 1));
    }
    return out;
}

} // namespace fabricscope
