// SGD over dense rows two by two: the steps of one row after the other, in two thirds of the time.
//
// The second row of a pair does not wait for the first one's step. Its prediction is taken before both steps, together
// with the first one's, and then corrected by what the first step changes:
//
//     <x_2, w_1> = <x_2, w_0> + gain_1 <x_2, x_1>
//
// So one sweep over the columns serves two rows: it applies the steps of one pair and takes all products of the next.
// Coefficients and moments are read and written half as often, and a step waits for its sums half as often. Wide rows
// are swept forth and back in turn, as the first-level cache still holds the columns where the last sweep ended.
//
// Which rows make a pair depends on the number of their step alone. Where a batch ends between the two, the first row,
// its rate and its residual wait in the state; the same loop takes such rows, so that the same rows in other batches
// give the same bits.
#pragma once

#include "lanes.hpp"
#include "rows/ahead.hpp"
#include "rows/products.hpp"
#include "sgd/guard.hpp"
#include "trajectory/chunk.hpp"

namespace ridgeway {
namespace {

constexpr i64 PAIR_BYTES_AHEAD = 1 << 16;  // rows in sequence are prefetched so far ahead
constexpr i64 WIDE_ROW_BYTES = 1 << 12;  // four wider rows, w and its moments do not fit the first-level cache together
constexpr i64 LANES_AHEAD = 16;  // of wide rows, from the second level to the first
constexpr double UNREMARKABLE = 1e30;  // while every step is safe, a smaller sum of two squares needs no check

// Which rows of a pair a call takes: both, the first alone (its step is computed, not applied), or the second one.
enum class Turn { both, opens, completes };

template <class T>
struct PairSums {
    Lanes<T> product1{}, product2{}, norm1{}, norm2{}, cross{};
};

template <class T>
struct PairGains {
    Lanes<T> gain1, gain2, second1, second2;  // the latter times T_2 at the place of the step
};

// Applies the steps of the old pair (u, v) to the lanes at `at`, and adds the products of the new pair (a, b) to sums.
template <class T, bool Apply, bool Take, bool Second>
inline void sweep_lanes(const Chunk<T>& chunk, i64 at, Lanes<T> u, Lanes<T> v, Lanes<T> a, Lanes<T> b,
                        const PairGains<T>& gains, PairSums<T>& sums) {
    Lanes<T> w = load(chunk.w + at);
    if constexpr (Apply) {
        const Lanes<T> middle = w + gains.gain1 * u;
        w = middle + gains.gain2 * v;
        store(chunk.w + at, w);
        store(chunk.total + at, load(chunk.total + at) + middle + w);
        if constexpr (Second) {
            store(chunk.second + at, load(chunk.second + at) + gains.second1 * u + gains.second2 * v);
        }
    }
    if constexpr (Take) {
        sums.product1 += a * w;
        sums.product2 += b * w;
        sums.norm1 += a * a;
        sums.norm2 += b * b;
        sums.cross += a * b;
    }
}

// The same over all columns. Ask: cache lines from `asked` on are prefetched, one for each lane. Wide rows are swept
// forth or back, and their next lanes are prefetched from the second-level cache to the first.
template <class T, bool Apply, bool Take, bool Second, bool Ask, bool Wide>
inline PairSums<T> sweep(const Chunk<T>& chunk, const Columns<T>& columns, const T* old1, const T* old2, const T* new1,
                         const T* new2, const PairGains<T>& gains, const char* asked, bool backward) {
    constexpr i64 count = lane_count<T>;
    PairSums<T> sums;
    const Lanes<T> none{};
    if (columns.rest > 0) {
        if constexpr (Ask) {
            ask_second_level(asked);
            asked += CACHE_LINE_BYTES;
        }
        sweep_lanes<T, Apply, Take, Second>(
            chunk, columns.whole, Apply ? columns.last(old1) : none, Apply ? columns.last(old2) : none,
            Take ? columns.last(new1) : none, Take ? columns.last(new2) : none, gains, sums);
    }
    i64 at = Wide && backward ? columns.whole - count : 0;
    const i64 onward = Wide && backward ? -count : count;
    for (i64 left = columns.whole; left > 0; left -= count, at += onward) {
        if constexpr (Ask) {
            ask_second_level(asked);
            asked += CACHE_LINE_BYTES;
        }
        if constexpr (Wide) {
            ask_first_level(new1 + at + LANES_AHEAD * onward);
            ask_first_level(new2 + at + LANES_AHEAD * onward);
        }
        sweep_lanes<T, Apply, Take, Second>(chunk, at, Apply ? load(old1 + at) : none, Apply ? load(old2 + at) : none,
                                            Take ? load(new1 + at) : none, Take ? load(new2 + at) : none, gains, sums);
    }
    return sums;
}

template <class T>
inline void take_row_products(const RowProducts<T>& wanted, const Columns<T>& columns, const T* row1, const T* row2, T y1,
                              T y2, i64 number1, i64 number2) {
    T* out1 = wanted.products + number1 * (2 + wanted.n_directions);
    T* out2 = wanted.products + number2 * (2 + wanted.n_directions);
    out1[0] = out2[0] = 1;
    out1[1] = y1, out2[1] = y2;
    for (i64 k = 0; k < wanted.n_directions; k += DIRECTIONS_AT_ONCE) {
        products_of_few<2, T>(least<i64>(wanted.n_directions - k, DIRECTIONS_AT_ONCE), {row1, row2}, columns, 0,
                              wanted.directions + k * wanted.stride, wanted.stride, {out1 + 2 + k, out2 + 2 + k});
    }
}

// Takes an even number of steps, from `first` to `last`, that are pairs of one block; or half of a pair. The arrays of
// the chunk are padded to whole lanes. opened (2) holds rate and residual of the first row of a pair.
template <class T, bool Second, bool Products, bool InSequence>
Ended pair_steps(const DenseRows<T>& rows, i64 first, i64 last, const Problem& problem, const Chunk<T>& chunk,
                 Place place, double* moments, i64 n_moments, Turn turn, T* opened, const RowProducts<T>* products,
                 double* tally) {
    const i64 d = rows.n_columns, row_bytes = d * static_cast<i64>(sizeof(T));
    const Columns<T> columns(rows.x, rows.n_rows, d);
    const i64 padded = columns.whole + (columns.rest > 0 ? lane_count<T> : 0);
    const bool wide = row_bytes > WIDE_ROW_BYTES;
    const T step = static_cast<T>(problem.step), limit = static_cast<T>(problem.limit);
    const T unremarkable = static_cast<T>(problem.limit <= SAFE ? UNREMARKABLE : -1.0);
    const char* asked_next = reinterpret_cast<const char*>(rows.x) + row_bytes * first + PAIR_BYTES_AHEAD;
    const char* asked_last = reinterpret_cast<const char*>(rows.x) + row_bytes * (rows.n_rows - 2);
    RowSizes sizes(tally);
    PairGains<T> gains{};
    const T *old1 = nullptr, *old2 = nullptr;
    const auto begin_sweep = [&](i64 at_step) {
        if constexpr (Second) {
            gains.second1 = gains.gain1 * spread(static_cast<T>(second_at(at_step, place.chunk)));
            gains.second2 = gains.gain2 * spread(static_cast<T>(second_at(at_step + 1, place.chunk)));
        }
        const char* asked = nullptr;
        if constexpr (InSequence) {
            asked = least(asked_next, asked_last);
            asked_next += 2 * row_bytes;
        }
        return asked;
    };
    const auto after_pair = [&] {
        place.offset += 2;
        end_step(chunk, padded, d, place, moments, n_moments);
    };
    for (i64 i = first; i < last; i += 2) {
        const i64 number1 = InSequence ? i : rows.order[i], number2 = InSequence ? i + 1 : rows.order[i + 1];
        const T *row1 = rows.x + number1 * d, *row2 = rows.x + number2 * d;
        if constexpr (!InSequence) {  // rows in another order are prefetched some steps ahead
            for (i64 next = i + ROWS_AHEAD; next < i + ROWS_AHEAD + 2; ++next) {
                const i64 number = rows.order[least(next, last - 1)];
                ask_for_row(rows.x + number * d, d);
                ask_second_level(rows.y + number);
                ask_second_level(rows.weight + number);
            }
        }
        const bool backward = wide && ((place.offset + (i == first ? 0 : 2)) & 2) != 0;  // by the number of the pair
        const char* asked = begin_sweep(place.offset);
        PairSums<T> sums;
        if (i == first) {
            sums = sweep<T, false, true, false, InSequence, true>(chunk, columns, row1, row2, row1, row2, gains, asked,
                                                                  backward);
        } else if (wide) {
            sums = sweep<T, true, true, Second, InSequence, true>(chunk, columns, old1, old2, row1, row2, gains, asked,
                                                                  backward);
            after_pair();
        } else {
            sums = sweep<T, true, true, Second, InSequence, false>(chunk, columns, old1, old2, row1, row2, gains, asked,
                                                                   false);
            after_pair();
        }
        T four[4];
        lane_sums(sums.product1, sums.product2, sums.norm1, sums.cross, four);
        const T product1 = four[0], product2 = four[1], norm1 = four[2], cross = four[3];
        const T norm2 = lane_sum(sums.norm2);
        const T y1 = rows.y[number1], y2 = rows.y[number2];
        const T weight1 = rows.weight[number1], weight2 = rows.weight[number2];
        T rate1 = step * weight1, rate2 = step * weight2, residual1 = 0, residual2 = 0, gain2 = 0;
        if (turn == Turn::completes) {
            rate1 = opened[0];
            residual1 = opened[1];
        } else {
            if (!(rate1 * norm1 <= limit)) {
                if (!is_finite(norm1)) return {End::not_finite, i};
                tally[CLIPPED] += 1;
                rate1 = limit / norm1;
            }
            sizes.add(weight1, norm1);
            residual1 = y1 - product1;
        }
        const T gain1 = rate1 * residual1;
        if (turn != Turn::opens) {
            if (!(rate2 * norm2 <= limit)) {
                if (!is_finite(norm2)) return {End::not_finite, i + 1};
                tally[CLIPPED] += 1;
                rate2 = limit / norm2;
            }
            sizes.add(weight2, norm2);
            residual2 = (y2 - product2) - rate1 * cross * residual1;  // the residual is the last to be known
            gain2 = rate2 * residual2;
        }
        if (!(residual1 * residual1 + residual2 * residual2 <= unremarkable)) {
            if (!is_finite(norm1)) return {End::not_finite, i};
            if (!is_finite(norm2)) return {End::not_finite, i + 1};
            sizes.put_into(tally);
            if (turn != Turn::completes && !acceptable(problem, residual1, y1, norm1, tally)) return {End::exploded, i};
            if (turn != Turn::opens && !acceptable(problem, residual2, y2, norm2, tally)) return {End::exploded, i + 1};
        }
        if constexpr (Products) {  // there is time while the next step waits for its sums
            take_row_products(*products, columns, row1, row2, y1, y2, number1, number2);
        }
        if (turn == Turn::opens) {
            opened[0] = rate1;
            opened[1] = residual1;
            sizes.put_into(tally);
            return {End::finished, last};
        }
        gains.gain1 = spread(gain1);
        gains.gain2 = spread(gain2);
        old1 = row1;
        old2 = row2;
    }
    begin_sweep(place.offset);
    sweep<T, true, false, Second, false, false>(chunk, columns, old1, old2, old1, old2, gains, nullptr, false);
    after_pair();
    sizes.put_into(tally);
    return {End::finished, last};
}

}  // namespace
}  // namespace ridgeway
