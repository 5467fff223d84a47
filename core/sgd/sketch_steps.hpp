// SGD over dense rows, for one target, that adds the increments to the moments of a sketch.
//
// Every row goes through the same arithmetic wherever a batch begins, so the same rows in other batches give the same
// bits. The first steps of a run, whose increments are kept one by one, are taken one by one, the others two by two.
#pragma once

#include "sgd/paired_steps.hpp"

namespace ridgeway {
namespace {

// The loops of a call: rows, problem and state, with the arrays of the chunk padded to whole lanes.
template <class T, bool Products, bool InSequence>
class SketchSteps {
public:
    SketchSteps(const DenseRows<T>& rows, const Problem& problem, const DenseSketch<T>& sketch,
                const RowProducts<T>* products, const Chunk<T>& chunk)
        : rows_(rows), problem_(problem), sketch_(sketch), products_(products), chunk_(chunk), moments_(sketch.moments) {}

    // Takes the steps of all rows, block by block, until a step ends otherwise than finished. Chunks of one step go
    // through `single`, row by row. Longer ones go through `paired`, which calls `pair_steps`; <true> also adds up the
    // second moments of the chunk, for polynomials of degree 2. The chunk, the moments and the tally are changed.
    Ended run(const BlockPlace* blocks, i64 n_blocks) {
        i64 first = 0;
        for (i64 b = 0; b < n_blocks; ++b) {
            n_moments_ = blocks[b].n_moments;
            const Place place{blocks[b].offset, blocks[b].length, blocks[b].chunk, blocks[b].degree};
            const i64 last = least(first + place.length - place.offset, rows_.n_steps);
            const Ended ended = place.chunk == 1    ? single(first, last, place)
                                : place.degree == 1 ? paired<false>(first, last, place)
                                                    : paired<true>(first, last, place);
            if (ended.end != End::finished) return ended;
            first = last;
            moments_ += n_moments_ * rows_.n_columns;
        }
        return {End::finished, first};
    }

private:
    // Steps of a block whose chunks are single steps.
    Ended single(i64 first, i64 last, Place place) {
        const i64 d = rows_.n_columns;
        const Columns<T> columns(rows_.x, rows_.n_rows, d);
        for (i64 i = first; i < last; ++i) {
            const i64 number = rows_.number(i);
            const T* row = rows_.x + number * d;
            Lanes<T> products{}, squares{};
            for (i64 at = 0; at < columns.whole; at += lane_count<T>) {
                const Lanes<T> x = load(row + at);
                products += x * load(chunk_.w + at);
                squares += x * x;
            }
            const Lanes<T> rest = columns.rest > 0 ? columns.last(row) : Lanes<T>{};
            if (columns.rest > 0) {
                products += rest * load(chunk_.w + columns.whole);
                squares += rest * rest;
            }
            const T norm = lane_sum(squares), y = rows_.y[number];
            if (!is_finite(norm)) return {End::not_finite, i};
            const double rate = admit(problem_, rows_.weight[number], norm, sketch_.tally);
            const T residual = y - lane_sum(products);
            if (!acceptable(problem_, residual, y, norm, sketch_.tally)) return {End::exploded, i};
            if constexpr (Products) {
                take_row_products(*products_, columns, row, row, y, y, number, number);
            }
            const Lanes<T> gain = spread(static_cast<T>(rate * static_cast<double>(residual)));
            for (i64 at = 0; at < columns.whole; at += lane_count<T>) {
                store(chunk_.w + at, load(chunk_.w + at) + gain * load(row + at));
            }
            if (columns.rest > 0) {
                store(chunk_.w + columns.whole, load(chunk_.w + columns.whole) + gain * rest);
            }
            place.offset += 1;
            close_chunk(chunk_, d, place, moments_, n_moments_);
        }
        return {End::finished, last};
    }

    // Steps of a block of longer chunks: the pairs are those of the block, whatever the batches are.
    template <bool Second>
    Ended paired(i64 first, i64 last, Place place) {
        i64 step = first;
        if (step < last && (place.offset & 1) != 0) {
            const End end = half_pair<Second>(step, place);
            if (end != End::finished) return {end, step};
            ++place.offset;
            ++step;
        }
        const i64 until = last - (last - step) % 2;
        if (until > step) {
            const Ended ended = pair_steps<T, Second, Products, InSequence>(
                rows_, step, until, problem_, chunk_, place, moments_, n_moments_, Turn::both, sketch_.pair_opened,
                products_, sketch_.tally);
            if (ended.end != End::finished) return ended;
            place.offset += until - step;
            step = until;
        }
        if (last > step) {
            const End end = half_pair<Second>(step, place);
            if (end != End::finished) return {end, step};
        }
        return {End::finished, last};
    }

    // The step of one row: opens a pair with it, or completes the one that is open.
    template <bool Second>
    End half_pair(i64 step, Place place) {
        const i64 d = rows_.n_columns, number = rows_.number(step), of_pair = place.offset & 1;
        const T* row = rows_.x + number * d;
        for (i64 place_in_pair = of_pair; place_in_pair < 2; ++place_in_pair) {
            T* to = sketch_.pair_rows + place_in_pair * d;
            for (i64 c = 0; c < d; ++c) to[c] = row[c];
        }
        const T y[2] = {rows_.y[number], rows_.y[number]}, weight[2] = {rows_.weight[number], rows_.weight[number]};
        const DenseRows<T> both{sketch_.pair_rows, 2, d, nullptr, 2, y, weight};
        place.offset -= of_pair;
        const Turn turn = of_pair != 0 ? Turn::completes : Turn::opens;
        if constexpr (Products) {
            const Columns<T> columns(rows_.x, rows_.n_rows, d);
            take_row_products(*products_, columns, row, row, y[0], y[0], number, number);
        }
        return pair_steps<T, Second, false, true>(both, 0, 2, problem_, chunk_, place, moments_, n_moments_, turn,
                                                  sketch_.pair_opened, nullptr, sketch_.tally)
            .end;
    }

    const DenseRows<T>& rows_;
    const Problem& problem_;
    const DenseSketch<T>& sketch_;
    const RowProducts<T>* products_;
    const Chunk<T> chunk_;
    double* moments_;
    i64 n_moments_ = 0;
};

// Takes one step per row through one or more blocks and adds the increments to their moments. The arrays of the state
// are changed; scratch (5, n_columns padded to whole lanes) holds the chunk during the call. After an end other than
// finished the state is half changed.
template <class T>
Ended sketch_steps(const DenseRows<T>& rows, const Problem& problem, const DenseSketch<T>& sketch,
                   const BlockPlace* blocks, i64 n_blocks, const RowProducts<T>* products, T* scratch) {
    const i64 d = rows.n_columns, padded = (d + lane_count<T> - 1) / lane_count<T> * lane_count<T>;
    const Chunk<T>& own = sketch.chunk;
    const Chunk<T> chunk{scratch, scratch + padded, scratch + 2 * padded, scratch + 3 * padded, scratch + 4 * padded};
    const auto copy = [d, padded](const T* from, T* to, bool fill) {
        for (i64 c = 0; c < d; ++c) to[c] = from[c];
        for (i64 c = d; fill && c < padded; ++c) to[c] = 0;
    };
    copy(own.w, chunk.w, true);
    copy(own.anchor, chunk.anchor, true);
    copy(own.total, chunk.total, true);
    copy(own.excess, chunk.excess, true);
    copy(own.second, chunk.second, true);
    Ended ended;
    const bool in_sequence = rows.order == nullptr;
    if (products != nullptr && in_sequence) {
        ended = SketchSteps<T, true, true>(rows, problem, sketch, products, chunk).run(blocks, n_blocks);
    } else if (products != nullptr) {
        ended = SketchSteps<T, true, false>(rows, problem, sketch, products, chunk).run(blocks, n_blocks);
    } else if (in_sequence) {
        ended = SketchSteps<T, false, true>(rows, problem, sketch, products, chunk).run(blocks, n_blocks);
    } else {
        ended = SketchSteps<T, false, false>(rows, problem, sketch, products, chunk).run(blocks, n_blocks);
    }
    copy(chunk.w, own.w, false);
    copy(chunk.anchor, own.anchor, false);
    copy(chunk.total, own.total, false);
    copy(chunk.excess, own.excess, false);
    copy(chunk.second, own.second, false);
    return ended;
}

// Makes the step of an open pair, then adds the open chunk to moments (n_moments, n_columns): the state as if the run
// ended here. place.offset counts the step of the open pair. The arrays of the state are changed.
template <class T>
void close_chunk(const DenseSketch<T>& sketch, i64 n_columns, Place place, i64 n_moments, bool open_pair) {
    const Chunk<T>& chunk = sketch.chunk;
    if (open_pair) {
        const T gain = sketch.pair_opened[0] * sketch.pair_opened[1];
        const T second = gain * static_cast<T>(second_at(place.offset - 1, place.chunk));
        for (i64 c = 0; c < n_columns; ++c) {
            const T x = sketch.pair_rows[c];
            chunk.w[c] += gain * x;
            chunk.total[c] += chunk.w[c];
            if (place.degree == 2) chunk.second[c] += second * x;
        }
    }
    close_chunk(chunk, n_columns, place, sketch.moments, n_moments);
}

}  // namespace
}  // namespace ridgeway
