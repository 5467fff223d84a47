// SGD over sparse rows, for one target: each step touches the row's own columns only.
//
// Moments are kept column by column, (n_columns, n_moments), so that the numbers a non-zero entry changes lie side by
// side. Centred rows cost one more gather per entry: a row stands for x - v c, where v is its last entry, and the run
// holds u with w = u - u_last c, so that a step of gain g is u += g x. Then
//
//     <x - v c, w> = <x, u> - u_last <x, c> - v <u, c> + v u_last |c|^2 ,
//
// and <u, c> is kept up to date beside u.
#pragma once

#include "sgd/guard.hpp"
#include "trajectory/chunk.hpp"

namespace ridgeway {
namespace {

// Products of one row: |x|^2, <x, w> and, for centred rows, <x, c>.
struct SparseProducts {
    double norm, product, cross;
};

template <class T, class Index>
inline SparseProducts sparse_products(const SparseRows<T, Index>& rows, i64 start, i64 stop, const double* w,
                                      i64 n_columns, const Centre& centre) {
    const T* data = rows.data;
    const Index* indices = rows.indices;
    // Two accumulators each hide the latency of the gathers. Squares are rounded as T, see Reader::square.
    double norm0 = 0, norm1 = 0, product0 = 0, product1 = 0;
    i64 e = start;
    for (; e + 1 < stop; e += 2) {
        product0 += static_cast<double>(data[e]) * w[indices[e]];
        product1 += static_cast<double>(data[e + 1]) * w[indices[e + 1]];
        norm0 += static_cast<double>(data[e] * data[e]);
        norm1 += static_cast<double>(data[e + 1] * data[e + 1]);
    }
    if (e < stop) {
        product0 += static_cast<double>(data[e]) * w[indices[e]];
        norm0 += static_cast<double>(data[e] * data[e]);
    }
    const double norm = norm0 + norm1, product = product0 + product1;
    if (centre.mean == nullptr) return {norm, product, 0.0};
    double cross = 0;
    for (e = start; e < stop; ++e) cross += static_cast<double>(data[e]) * centre.mean[indices[e]];
    const double v = data[stop - 1], last = w[n_columns - 1];
    const double centred = norm - 2 * v * cross + v * v * centre.square;
    return {centred < 0 ? 0.0 : centred,
            product - last * cross - v * *centre.product + v * last * centre.square, cross};
}

// The gain of a row, or how the run ended.
template <class T, class Index>
inline End sparse_gain(const SparseRows<T, Index>& rows, i64 number, const Problem& problem, const SparseProducts& found,
                       double* tally, double* gain) {
    if (!is_finite(found.norm)) return End::not_finite;
    const double y = rows.y[number], rate = admit(problem, rows.weight[number], found.norm, tally);
    const double residual = y - found.product;
    if (!acceptable(problem, residual, y, found.norm, tally)) return End::exploded;
    *gain = rate * residual;
    return End::finished;
}

// Takes one step per row within one block. w (n_columns), centre.product, moments, gains (n_steps) and tally are
// changed; n_moments = 0 keeps no moments. basis (n_moments) is scratch.
template <class T, class Index>
Ended csr_steps(const SparseRows<T, Index>& rows, const Problem& problem, double* w, i64 n_columns, Centre centre,
                double* moments, i64 n_moments, Place place, T* gains, double* tally, double* basis) {
    for (i64 i = 0; i < rows.n_steps; ++i) {
        const i64 number = rows.number(i), start = rows.indptr[number], stop = rows.indptr[number + 1];
        const SparseProducts found = sparse_products(rows, start, stop, w, n_columns, centre);
        double gain = 0;
        const End end = sparse_gain(rows, number, problem, found, tally, &gain);
        if (end != End::finished) return {end, i};
        gains[i] = static_cast<T>(gain);
        *centre.product += gain * found.cross;
        if (n_moments > 0) fill_step_basis(basis, n_moments, place.offset + i, place.length);
        for (i64 e = start; e < stop; ++e) {
            const double increment = gain * static_cast<double>(rows.data[e]);
            const Index column = rows.indices[e];
            w[column] += increment;
            double* __restrict into = moments + static_cast<i64>(column) * n_moments;
            for (i64 k = 0; k < n_moments; ++k) into[k] += basis[k] * increment;
        }
    }
    return {End::finished, rows.n_steps};
}

// Takes the step of the open mini-batch: w += gradient / rows; gradient and marks are cleared.
inline void close_csr_batch(double* w, Centre centre, OpenBatch<double> batch, Touched* touched, double* moments,
                            i64 n_moments, Place place, double* basis) {
    if (n_moments > 0) fill_step_basis(basis, n_moments, place.offset, place.length);
    const double share = 1.0 / static_cast<double>(batch.rows);
    for (i64 i = 0; i < touched->count; ++i) {
        const i64 column = touched->listed[i];
        touched->marked[column] = false;
        const double increment = share * batch.gradient[column];
        batch.gradient[column] = 0;
        w[column] += increment;
        if (centre.mean != nullptr) *centre.product += increment * centre.mean[column];
        double* __restrict into = moments + column * n_moments;
        for (i64 k = 0; k < n_moments; ++k) into[k] += basis[k] * increment;
    }
    touched->count = 0;
}

// Takes one step per mini-batch within one block: as csr_steps; the open batch and the columns it touched change, too.
// Gains lack the division by the number of rows of their mini-batch.
template <class T, class Index>
Ended csr_batches(const SparseRows<T, Index>& rows, const Problem& problem, double* w, i64 n_columns, Centre centre,
                  OpenBatch<double> batch, Touched* touched, double* moments, i64 n_moments, Place place, T* gains,
                  double* tally, double* basis) {
    for (i64 i = 0; i < rows.n_steps; ++i) {
        const i64 number = rows.number(i), start = rows.indptr[number], stop = rows.indptr[number + 1];
        const SparseProducts found = sparse_products(rows, start, stop, w, n_columns, centre);
        double gain = 0;
        const End end = sparse_gain(rows, number, problem, found, tally, &gain);
        if (end != End::finished) return {end, i};
        gains[i] = static_cast<T>(gain);
        for (i64 e = start; e < stop; ++e) {
            const i64 column = static_cast<i64>(rows.indices[e]);
            batch.gradient[column] += gain * static_cast<double>(rows.data[e]);
            if (!touched->marked[column]) {
                touched->marked[column] = true;
                touched->listed[touched->count++] = column;
            }
        }
        if (++batch.rows == batch.size) {
            close_csr_batch(w, centre, batch, touched, moments, n_moments, place, basis);
            batch.rows = 0;
            place.offset += 1;
        }
    }
    return {End::finished, rows.n_steps};
}

}  // namespace
}  // namespace ridgeway
