// How increments enter the moments of a block: accumulated over a chunk of steps, then added to the block.
//
// The increments of a chunk have local moments: T_0, T_1 and, for degree 2, T_2 at their places in the chunk. T_0 is the
// change of w over the chunk. T_1 is linear in the place, so summing by parts turns it into a plain sum of the w of the
// chunk, which takes no products. `total` sums w over the last steps only. Every 32 steps, and at the end of a chunk,
// it is converted into a sum of w - anchor and added to `excess`, so that no digits are lost. T_2 is accumulated
// directly. At the chunk's end every T_k of the block, interpolated at three Chebyshev nodes of the chunk, is a
// combination of these three; degree 1 leaves T_2 out.
#pragma once

#include "lanes.hpp"
#include "trajectory/table.hpp"

namespace ridgeway {
namespace {

constexpr i64 MAX_STEPS_IN_TOTAL = 32;
constexpr double NODE = 0.86602540378443864676;  // Chebyshev's three nodes are this, 0 and minus this

// T_2 at the place in [-1, 1] of a step of a chunk; steps count on over the chunks of a block.
inline double second_at(i64 step, i64 chunk) {
    const double v = static_cast<double>(2 * (step & (chunk - 1)) + 1) / static_cast<double>(chunk) - 1;
    return 2 * v * v - 1;
}

inline i64 steps_in_total(i64 chunk) { return least(chunk, MAX_STEPS_IN_TOTAL); }

// Adds the sum of w - anchor over the last `steps` steps to excess; total becomes 0.
template <class T>
inline void empty_total(const Chunk<T>& chunk, i64 n, i64 steps) {
    const T* __restrict anchor = chunk.anchor;
    T* __restrict total = chunk.total;
    T* __restrict excess = chunk.excess;
    const T count = static_cast<T>(steps);
    for (i64 c = 0; c < n; ++c) {
        excess[c] += total[c] - count * anchor[c];
        total[c] = 0;
    }
}

struct AtNodes {
    double low, mid, high;
};

// T_{k+1} at the three nodes of a chunk, from T_k and T_{k-1}.
inline AtNodes next_polynomial(double middle, double reach, AtNodes now, AtNodes before) {
    return {2 * (middle - reach) * now.low - before.low, 2 * middle * now.mid - before.mid,
            2 * (middle + reach) * now.high - before.high};
}

// Coefficients of T_0, T_1 and T_2 of the chunk, from values at its three nodes.
inline AtNodes coefficients(AtNodes at) {
    return {(at.low + at.mid + at.high) / 3, (at.high - at.low) * (2.0 / 3.0 * NODE), (at.low + at.high - 2 * at.mid) / 3};
}

constexpr i64 MOMENTS_AT_ONCE = 16;

inline Lanes<double> as_doubles(const double* from) { return load(from); }
inline Lanes<double> as_doubles(const float* from) { return widened(from); }

// Adds `count` mixes of the chunk's T_0 (change), T_1 (first) and T_2 (second) to as many moments, n numbers apart, in
// Groups lanes of columns from c on. The columns stay in registers while the moments pass by.
template <class T, bool Second, int Groups>
inline void add_mixes(double* moments, i64 n, i64 c, const AtNodes* mixes, i64 count, const T* change, const T* first,
                      const T* second) {
    constexpr i64 width = lane_count<double>;
    Lanes<double> zeroth[Groups], linear[Groups], square[Groups];
    for (int g = 0; g < Groups; ++g) {
        zeroth[g] = as_doubles(change + c + g * width);
        linear[g] = as_doubles(first + c + g * width);
        if constexpr (Second) square[g] = as_doubles(second + c + g * width);
    }
    for (i64 k = 0; k < count; ++k) {
        const Lanes<double> low = spread(mixes[k].low), mid = spread(mixes[k].mid), high = spread(mixes[k].high);
        for (int g = 0; g < Groups; ++g) {
            double* into = moments + k * n + c + g * width;
            Lanes<double> sum = low * zeroth[g] + mid * linear[g];
            if constexpr (Second) sum += high * square[g];
            store(into, load(into) + sum);
        }
    }
}

// Adds T_k of the block to moments (n_moments, n): sums of the chunk's T_0 (change), T_1 (first) and T_2 (second).
template <class T, bool Second>
inline void add_moments(double* moments, i64 n_moments, i64 n, const T* change, const T* first, const T* second,
                        double middle, double reach) {
    constexpr i64 width = lane_count<double>;
    AtNodes before{}, now{1, 1, 1}, mixes[MOMENTS_AT_ONCE];
    for (i64 done = 0; done < n_moments; done += MOMENTS_AT_ONCE, moments += MOMENTS_AT_ONCE * n) {
        const i64 count = least(n_moments - done, MOMENTS_AT_ONCE);
        for (i64 k = 0; k < count; ++k) {
            mixes[k] = coefficients(now);
            const AtNodes next = done + k == 0 ? AtNodes{middle - reach, middle, middle + reach}
                                               : next_polynomial(middle, reach, now, before);
            before = now;
            now = next;
        }
        i64 c = 0;
        for (; c + 2 * width <= n; c += 2 * width) {
            add_mixes<T, Second, 2>(moments, n, c, mixes, count, change, first, second);
        }
        if (c + width <= n) {
            add_mixes<T, Second, 1>(moments, n, c, mixes, count, change, first, second);
            c += width;
        }
        for (; c < n; ++c) {
            for (i64 k = 0; k < count; ++k) {
                double sum = mixes[k].low * static_cast<double>(change[c]) + mixes[k].mid * static_cast<double>(first[c]);
                if constexpr (Second) sum += mixes[k].high * static_cast<double>(second[c]);
                moments[k * n + c] += sum;
            }
        }
    }
}

// Adds the increments of the chunk to the block's moments (n_moments, n_columns), then starts the next chunk:
// anchor becomes w; total, excess and second become 0. place.offset is one beyond the last step made. A raw block keeps
// every increment as it is.
template <class T>
inline void close_chunk(const Chunk<T>& chunk, i64 n, Place place, double* moments, i64 n_moments) {
    const T* __restrict w = chunk.w;
    T* __restrict change = chunk.anchor;  // overwritten: first the change of w, then the next anchor
    T* __restrict total = chunk.total;
    T* __restrict first = chunk.excess;  // overwritten: T_1
    T* __restrict second = chunk.second;
    const i64 last = place.offset - 1;
    const i64 done = (last & (place.chunk - 1)) + 1;  // a chunk has a power of two of steps
    const double size = static_cast<double>(place.chunk), left = static_cast<double>(place.chunk - done);
    const i64 between = steps_in_total(place.chunk);
    const double waiting = static_cast<double>(done == place.chunk && done > 1 ? between : done & (between - 1));
    const double inverse = 1 / size;  // exact
    for (i64 c = 0; c < n; ++c) {
        const double anchor = static_cast<double>(change[c]);
        const double excess = static_cast<double>(first[c]) + (static_cast<double>(total[c]) - waiting * anchor);
        const double moved = static_cast<double>(w[c]) - anchor;
        change[c] = static_cast<T>(moved);
        first[c] = static_cast<T>(moved + (moved - 2 * (excess + left * moved)) * inverse);
    }
    if (n_moments == place.length) {
        for (i64 c = 0; c < n; ++c) {
            moments[last * n + c] = static_cast<double>(change[c]);
        }
    } else {
        const double span = static_cast<double>(place.length - 1);
        const double middle = static_cast<double>(2 * (last - done + 1) + place.chunk - 1) / span - 1;
        const double reach = place.chunk > 1 ? NODE * size / span : 0.0;
        if (place.degree == 2) {
            add_moments<T, true>(moments, n_moments, n, change, first, second, middle, reach);
        } else {
            add_moments<T, false>(moments, n_moments, n, change, first, second, middle, reach);
        }
    }
    for (i64 c = 0; c < n; ++c) {
        change[c] = w[c];
        total[c] = 0;
        first[c] = 0;
        second[c] = 0;
    }
}

// Empties the total, or closes the chunk, if the step before place.offset was the last one of either.
template <class T>
inline void end_step(const Chunk<T>& chunk, i64 n_padded, i64 n, Place place, double* moments, i64 n_moments) {
    const i64 between = steps_in_total(place.chunk);
    if ((place.offset & (place.chunk - 1)) == 0) {
        close_chunk(chunk, n, place, moments, n_moments);
    } else if ((place.offset & (between - 1)) == 0) {
        empty_total(chunk, n_padded, between);
    }
}

// Fills basis (n_moments) with T_0 .. T_{m-1} at step `offset` of a block, or with a raw block's unit vector.
inline void fill_step_basis(double* basis, i64 n_moments, i64 offset, i64 length) {
    if (n_moments == length) {
        for (i64 k = 0; k < n_moments; ++k) basis[k] = k == offset ? 1.0 : 0.0;
        return;
    }
    const double u = 2 * static_cast<double>(offset) / static_cast<double>(length - 1) - 1;
    double before = u, now = 1.0;
    for (i64 k = 0; k < n_moments; ++k) {
        basis[k] = now;
        const double next = 2 * u * now - before;
        before = now;
        now = next;
    }
}

}  // namespace
}  // namespace ridgeway
