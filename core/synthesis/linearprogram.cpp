#include "core/synthesis/linearprogram.h"

#include "core/synthesis/glpkguard.h"

#include <glpk.h>

namespace fabricscope {

namespace {

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

/// A problem as GLPK takes it (it counts from 1), with room for the answer: while GLPK works nothing else may be allocated.
struct LinearProgram::Question {
    const LinearProgram& program;
    bool maximise;
    Limit limit;
    bool integers = false;
    std::vector<int> rows;          ///< Of all columns; those of column j stand from begin[j] on, after one unused entry.
    std::vector<double> values;
    std::vector<std::size_t> begin;
    Solution answer;

    void fill();
    void state(glp_prob* problem) const;
    void solveContinuous(glp_prob* problem);
    void solveIntegers(glp_prob* problem);
    static void ask(void* self) noexcept;
};

void LinearProgram::Question::fill()
{
    for (const Column& column : program.m_columns) {
        integers = integers || column.integer;
        begin.push_back(rows.size());
        rows.push_back(0);
        values.push_back(0);
        for (const auto& [row, value] : column.entries) {
            rows.push_back(row + 1);
            values.push_back(value);
        }
    }
    begin.push_back(rows.size());
    answer.x.resize(program.m_columns.size());
    answer.duals.resize(integers ? 0 : program.m_limits.size());
}

void LinearProgram::Question::state(glp_prob* problem) const
{
    glp_set_obj_dir(problem, maximise ? GLP_MAX : GLP_MIN);
    glp_add_rows(problem, static_cast<int>(program.m_limits.size()));
    for (std::size_t i = 0; i < program.m_limits.size(); ++i)
        glp_set_row_bnds(problem, static_cast<int>(i) + 1, program.m_equal[i] ? GLP_FX : GLP_UP, program.m_limits[i], program.m_limits[i]);
    glp_add_cols(problem, static_cast<int>(program.m_columns.size()));
    for (std::size_t j = 0; j < program.m_columns.size(); ++j) {
        const Column& column = program.m_columns[j];
        const int number = static_cast<int>(j) + 1;
        glp_set_obj_coef(problem, number, column.cost);
        if (column.most == 0)
            glp_set_col_bnds(problem, number, GLP_FX, 0, 0);
        else
            glp_set_col_bnds(problem, number, column.most < 0 ? GLP_LO : GLP_DB, 0, column.most);
        if (column.integer)
            glp_set_col_kind(problem, number, GLP_IV);
        glp_set_mat_col(problem, number, static_cast<int>(begin[j + 1] - begin[j]) - 1, rows.data() + begin[j], values.data() + begin[j]);
    }
}

void LinearProgram::Question::solveContinuous(glp_prob* problem)
{
    answer.found = answer.optimal = true;
    answer.value = glp_get_obj_val(problem);
    for (std::size_t j = 0; j < answer.x.size(); ++j)
        answer.x[j] = glp_get_col_prim(problem, static_cast<int>(j) + 1);
    for (std::size_t i = 0; i < answer.duals.size(); ++i)
        answer.duals[i] = glp_get_row_dual(problem, static_cast<int>(i) + 1);
}

void LinearProgram::Question::solveIntegers(glp_prob* problem)
{
    glp_iocp branch;
    glp_init_iocp(&branch);
    branch.msg_lev = GLP_MSG_OFF;
    branch.cb_func = watch;
    branch.cb_info = &limit;
    glp_intopt(problem, &branch);
    const int status = glp_mip_status(problem);
    answer.found = status == GLP_OPT || status == GLP_FEAS;
    answer.optimal = status == GLP_OPT;
    if (!answer.found)
        return;
    answer.value = glp_mip_obj_val(problem);
    for (std::size_t j = 0; j < answer.x.size(); ++j)
        answer.x[j] = glp_mip_col_val(problem, static_cast<int>(j) + 1);
}

/// What withGlpk() runs. The problem goes with GLPK's environment.
void LinearProgram::Question::ask(void* self) noexcept
{
    auto& question = *static_cast<Question*>(self);
    glp_prob* const problem = glp_create_prob();
    question.state(problem);
    glp_smcp simplex;
    glp_init_smcp(&simplex);
    simplex.msg_lev = GLP_MSG_OFF;
    if (glp_simplex(problem, &simplex) != 0 || glp_get_status(problem) != GLP_OPT)
        return;
    if (question.integers)
        question.solveIntegers(problem);
    else
        question.solveContinuous(problem);
}

LinearProgram::LinearProgram(std::vector<double> limits)
    : m_limits(std::move(limits))
    , m_equal(m_limits.size(), false)
{
}

LinearProgram::Solution LinearProgram::solve(bool maximise, std::int64_t mostSteps, const std::stop_token& stop) const
{
    if (m_columns.empty() || m_limits.empty())
        return {};
    Question question{*this, maximise, {mostSteps, &stop}, false, {}, {}, {}, {}};
    question.fill();
    withGlpk(Question::ask, &question);
    if (!question.answer.found)
        return {};
    return std::move(question.answer);
}

} // namespace fabricscope
