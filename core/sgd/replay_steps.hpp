// SGD over dense rows, for one target, that keeps one number per step: the gain, which multiplies the row.
#pragma once

#include "rows/ahead.hpp"
#include "sgd/guard.hpp"
#include "sgd/reader.hpp"

namespace ridgeway {
namespace {

// Takes one step per row: w += gain x. The sweep that applies the step of one row also takes the products of the next,
// so each row is read from memory once. w (n_columns), gains (n_steps) and tally are changed; scratch holds
// n_columns + 4 doubles. After an end other than finished the state is half changed.
template <class T>
Ended replay_steps(const DenseRows<T>& rows, const Problem& problem, double* w, T* gains, double* tally,
                   double* scratch) {
    using R = Reader<T, double>;
    constexpr i64 count = lane_count<double>;
    const i64 d = rows.n_columns;
    const R reader(rows.x, rows.n_rows, d);
    for (i64 c = 0; c < d; ++c) scratch[c] = w[c];
    for (i64 c = d; c < d + count; ++c) scratch[c] = 0;
    double gain = 0;
    const T* done = rows.n_steps > 0 ? rows.x + rows.number(0) * d : nullptr;
    for (i64 i = 0; i <= rows.n_steps; ++i) {
        const i64 number = rows.number(least(i, rows.n_steps - 1));
        const T* row = rows.x + number * d;
        if (rows.order != nullptr) {
            ask_for_row(rows.x + rows.number(least(i + ROWS_AHEAD, rows.n_steps - 1)) * d, d);
        }
        const Lanes<double> step = spread(gain);
        Lanes<double> products{}, squares{};
        for (i64 at = 0; at < reader.whole(); at += count) {
            const Lanes<double> x = reader.at(row, at), now = load(scratch + at) + step * reader.at(done, at);
            store(scratch + at, now);
            products += x * now;
            squares += R::square(x);
        }
        if (reader.rest() > 0) {
            const i64 at = reader.whole();
            const Lanes<double> x = reader.last(row), now = load(scratch + at) + step * reader.last(done);
            store(scratch + at, now);
            products += x * now;
            squares += R::square(x);
        }
        if (i == rows.n_steps) break;
        const double norm = lane_sum(squares), y = rows.y[number];
        if (!is_finite(norm)) return {End::not_finite, i};
        const double residual = y - lane_sum(products);
        const double rate = admit(problem, rows.weight[number], norm, tally);
        if (!acceptable(problem, residual, y, norm, tally)) return {End::exploded, i};
        gain = rate * residual;
        gains[i] = static_cast<T>(gain);
        done = row;
    }
    for (i64 c = 0; c < d; ++c) w[c] = scratch[c];
    return {End::finished, rows.n_steps};
}

}  // namespace
}  // namespace ridgeway
