// Recursions of the exact risk, of one level; all numbers are double. What each does is said where it is defined.
#pragma once

#include "numbers.hpp"

namespace ridgeway {

// Modes of the recursion, in whole lanes: n_modes is a multiple of lane_count<double>, and what is beyond d holds 0.
struct RiskModes {
    i64 n_modes;
    const double *s, *fall;  // (n_modes), eigenvalues, and 1 - a
    double share, excess_kurtosis;
};

// What risk_backwards carries from step to step, (n_modes) each; the last two may be null.
struct RiskState {
    double *g, *u, *gains, *discounted_gains;
};

struct TheoryLoops {
    double (*risk_backwards)(const double* weights, i64 n_steps, const RiskModes& modes, const RiskState& state,
                             double* scratch);
    void (*add_squared_gains)(const double* weights, i64 n_steps, i64 n_modes, const double* fall, double share,
                              double* g, double* sums);
    void (*squared_sums)(i64 n_x, i64 n_y, i64 n_levels, i64 n, const double* x_powers, const double* y_powers,
                         double* sums, double* powers);
    void (*regularised_steps)(const double* x, const double* y, i64 n_rows, i64 n_columns, double alpha, double step,
                              const double* centre, double* iterates);
};

}  // namespace ridgeway
