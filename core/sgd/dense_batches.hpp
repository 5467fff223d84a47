// Mini-batch SGD over dense rows, for one target.
#pragma once

#include "rows/ahead.hpp"
#include "sgd/guard.hpp"
#include "sgd/reader.hpp"
#include "trajectory/chunk.hpp"

namespace ridgeway {
namespace {

// Takes one step per full mini-batch by calling close(rows in it), and adds the rows after the last one to the open
// batch. Gains lack the division by the number of rows of their mini-batch. W is the precision of w (n_columns).
template <class T, class W, class Close>
Ended batch_steps(const DenseRows<T>& rows, const Problem& problem, OpenBatch<W> batch, const W* w, T* gains,
                  double* tally, const Close& close) {
    using R = Reader<T, W>;
    const i64 d = rows.n_columns;
    const R reader(rows.x, rows.n_rows, d);
    for (i64 i = 0; i < rows.n_steps; ++i) {
        const i64 number = rows.number(i);
        const T* __restrict row = rows.x + number * d;
        if (rows.order != nullptr) {
            ask_for_row(rows.x + rows.number(least(i + ROWS_AHEAD, rows.n_steps - 1)) * d, d);
        }
        Lanes<W> products{}, squares{};
        for (i64 at = 0; at < reader.whole(); at += lane_count<W>) {
            const Lanes<W> x = reader.at(row, at);
            products += x * load(w + at);
            squares += R::square(x);
        }
        W product = lane_sum(products), norm = lane_sum(squares);
        for (i64 c = reader.whole(); c < d; ++c) {
            product += static_cast<W>(row[c]) * w[c];
            norm += static_cast<W>(row[c] * row[c]);
        }
        if (!is_finite(norm)) return {End::not_finite, i};
        const double y = rows.y[number], rate = admit(problem, rows.weight[number], norm, tally);
        const W residual = static_cast<W>(rows.y[number]) - product;
        if (!acceptable(problem, residual, y, norm, tally)) return {End::exploded, i};
        const W gain = static_cast<W>(rate * static_cast<double>(residual));
        gains[i] = static_cast<T>(gain);
        W* __restrict gradient = batch.gradient;
        for (i64 c = 0; c < d; ++c) gradient[c] += gain * static_cast<W>(row[c]);
        if (++batch.rows == batch.size) {
            close(batch);
            batch.rows = 0;
        }
    }
    return {End::finished, rows.n_steps};
}

// Takes the step of the open mini-batch: w += gradient / rows; gradient becomes 0. The increment enters the chunk and,
// where that ends, the moments (n_moments, n_columns) of the block.
template <class T>
void close_sketch_batch(OpenBatch<T> batch, i64 n_columns, const Chunk<T>& chunk, double* moments, i64 n_moments,
                        Place place) {
    T* __restrict w = chunk.w;
    T* __restrict total = chunk.total;
    T* __restrict second = chunk.second;
    T* __restrict gradient = batch.gradient;
    const T share = T{1} / static_cast<T>(batch.rows);
    const T at = place.degree == 2 ? static_cast<T>(second_at(place.offset, place.chunk)) : T{0};
    for (i64 c = 0; c < n_columns; ++c) {
        const T increment = share * gradient[c];
        gradient[c] = 0;
        w[c] += increment;
        total[c] += w[c];
        second[c] += at * increment;
    }
    place.offset += 1;
    end_step(chunk, n_columns, n_columns, place, moments, n_moments);
}

// Mini-batches of a run that keeps a sketch: gradient, chunk, moments of the one block, gains and tally are changed.
template <class T>
Ended sketch_batches(const DenseRows<T>& rows, const Problem& problem, OpenBatch<T> batch, const Chunk<T>& chunk,
                     double* moments, i64 n_moments, Place place, T* gains, double* tally) {
    return batch_steps<T, T>(rows, problem, batch, chunk.w, gains, tally, [&](const OpenBatch<T>& full) {
        close_sketch_batch(full, rows.n_columns, chunk, moments, n_moments, place);
        place.offset += 1;
    });
}

// Mini-batches of a run that keeps gains alone: gradient, w, gains and tally are changed.
template <class T>
Ended replay_batches(const DenseRows<T>& rows, const Problem& problem, OpenBatch<double> batch, double* w, T* gains,
                     double* tally) {
    return batch_steps<T, double>(rows, problem, batch, w, gains, tally, [&](const OpenBatch<double>& full) {
        const double share = 1.0 / static_cast<double>(full.rows);
        for (i64 c = 0; c < rows.n_columns; ++c) {
            w[c] += share * full.gradient[c];
            full.gradient[c] = 0;
        }
    });
}

}  // namespace
}  // namespace ridgeway
