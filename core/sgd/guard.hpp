// What a loop watches while it runs: rows that are too large for the step, and the signs of divergence.
//
// q = weight * |x|^2 of a row, r its residual, t^2 = y^2 + |w_0|^2 |x|^2 the size of what has to be explained at a row.
#pragma once

#include "sgd/table.hpp"

namespace ridgeway {
namespace {

// Places in the tally of a run (8 doubles); src/ridgeway/sgd/guard.py names them for Python.
enum Tally { CLIPPED, SUM_Q, SUM_Q2, LARGEST_Q, LARGEST_T2, RECENT_R2, RECENT_T2, LARGEST_RECENT_T2 };

constexpr double RECENT_SHARE = 1.0 / 256;  // recent means are over about the last 256 rows

// A step with step * q <= 2 cannot take w further from any solution, so a run of such steps never diverges, however
// large the residual of an outlying row is. After the first larger one, residuals are compared with what the rows so far
// had to explain: one residual with the largest, and the recent ones with the largest recent mean.
constexpr double SAFE = 2.0;
constexpr double EXPLOSION = 1e3;
constexpr double RECENT_EXPLOSION = 10.0;
constexpr double LARGEST_RESIDUAL = 1e300;  // beyond, its square overflows

// Sums over the rows so far; a loop keeps them in registers.
struct RowSizes {
    double sum_q, sum_q2, largest_q;

    explicit RowSizes(const double* tally) : sum_q(tally[SUM_Q]), sum_q2(tally[SUM_Q2]), largest_q(tally[LARGEST_Q]) {}

    void add(double weight, double norm) {
        const double q = weight * norm;
        sum_q += q;
        sum_q2 += q * q;
        largest_q = largest(largest_q, q);
    }

    void put_into(double* tally) const {
        tally[SUM_Q] = sum_q;
        tally[SUM_Q2] = sum_q2;
        tally[LARGEST_Q] = largest_q;
    }
};

// Records a row and returns its own step: step * weight, or less, so that it times |x|^2 is at most the limit.
inline double admit(const Problem& problem, double weight, double norm, double* tally) {
    RowSizes sizes(tally);
    sizes.add(weight, norm);
    sizes.put_into(tally);
    const double rate = problem.step * weight;
    if (rate * norm > problem.limit) {
        tally[CLIPPED] += 1;
        return problem.limit / norm;
    }
    return rate;
}

// Whether a residual is finite and, after an unsafe step, shows no divergence; records it where that is possible.
inline bool acceptable(const Problem& problem, double residual, double y, double norm, double* tally) {
    if (problem.limit > SAFE) {
        const double r2 = residual * residual, t2 = y * y + problem.start_square * norm;
        tally[LARGEST_T2] = largest(tally[LARGEST_T2], t2);
        tally[RECENT_R2] += RECENT_SHARE * (r2 - tally[RECENT_R2]);
        tally[RECENT_T2] += RECENT_SHARE * (t2 - tally[RECENT_T2]);
        tally[LARGEST_RECENT_T2] = largest(tally[LARGEST_RECENT_T2], tally[RECENT_T2]);
        if (least(problem.step * tally[LARGEST_Q], problem.limit) > SAFE) {
            return r2 <= EXPLOSION * EXPLOSION * tally[LARGEST_T2] &&
                   tally[RECENT_R2] <= RECENT_EXPLOSION * RECENT_EXPLOSION * tally[LARGEST_RECENT_T2];
        }
    }
    return absolute(residual) <= LARGEST_RESIDUAL;
}

}  // namespace
}  // namespace ridgeway
