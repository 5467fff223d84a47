// Laws of the number of random events in the steps of a run: convolutions of negative binomial counts, in logarithms.
//
// A law is the masses log P(K = k) / alpha^k at k < m and the tails log P(K >= k) / alpha^k at k <= m; the tail at 0 is
// stored as 0. All terms are positive, so nothing cancels.
#pragma once

#include <cmath>
#include <limits>

#include "numbers.hpp"

namespace ridgeway {
namespace {

constexpr double LOG_OF_ZERO = -std::numeric_limits<double>::infinity();

// A term of a sum of up to a thousand is lost in rounding where its logarithm is this far below that of the largest.
constexpr double LOG_NEGLIGIBLE_TERM = -50.0;

// The stairs of a run: log_rates and growths (one for each stair) hold log(eta / (1 + eta alpha)) and log(1 + eta alpha).
struct EventStairs {
    const double* log_rates;
    const double* growths;
    double log_alpha;
    i64 order;  // m
};

// Laws of longer stretches, filled by event_laws. n_within stairs are up to T + 1, n_beyond - 1 stairs have an end later.
struct EventLaws {
    i64 n_within, n_beyond;
    double* before;      // (n_within + 1, m), masses of the steps before each stair
    double* left;        // (n_within + 1, m), masses of the steps from each stair to T + 1
    double* left_tails;  // (n_within + 1, m + 1)
    double* past;        // (n_beyond, m), masses of the steps from T + 1 to each stair beyond
    double* past_tails;  // (n_beyond, m + 1)
};

// Scratch memory of two laws.
struct EventScratch {
    double *masses, *tails, *sums, *sum_tails;
    EventScratch(double* memory, i64 order)
        : masses(memory), tails(masses + order), sums(tails + order + 1), sum_tails(sums + order) {}
    static constexpr i64 size(i64 order) { return 4 * order + 2; }
};

// log(exp a + exp b)
inline double log_plus(double a, double b) {
    const double high = largest(a, b), low = least(a, b);
    return low == LOG_OF_ZERO ? high : high + std::log1p(std::exp(low - high));
}

// The logarithm of the sum over i = 0..stop-1 of exp(x_i + y_{k-i}).
inline double log_convolved(const double* x, const double* y, i64 stop, i64 k) {
    double high = LOG_OF_ZERO;
    for (i64 i = 0; i < stop; ++i) high = largest(high, x[i] + y[k - i]);
    if (high == LOG_OF_ZERO) return high;
    double total = 0.0;
    for (i64 i = 0; i < stop; ++i) {
        const double below = x[i] + y[k - i] - high;
        if (below > LOG_NEGLIGIBLE_TERM) total += std::exp(below);
    }
    return high + std::log(total);
}

// masses (m) of the count of n steps on one stair.
inline void stair_masses(const EventStairs& stairs, i64 stair, double n, double* masses) {
    masses[0] = -stairs.growths[stair] * n;
    for (i64 k = 1; k < stairs.order; ++k) {
        const double ratio = (n - 1 + static_cast<double>(k)) / static_cast<double>(k);  // 0 without steps
        masses[k] = masses[k - 1] + (ratio > 0 ? std::log(ratio) : LOG_OF_ZERO) + stairs.log_rates[stair];
    }
}

// tails (m + 1) downwards from `top`, the one at m, by P(K >= k) = P(K = k) + P(K >= k + 1).
inline void tails_of(const EventStairs& stairs, const double* masses, double top, double* tails) {
    tails[stairs.order] = top;
    for (i64 k = stairs.order - 1; k > 0; --k) tails[k] = log_plus(masses[k], stairs.log_alpha + tails[k + 1]);
    tails[0] = 0.0;
}

// masses (m) of the sum of two counts.
inline void convolve_masses(const double* x, const double* y, i64 order, double* masses) {
    for (i64 k = 0; k < order; ++k) masses[k] = log_convolved(x, y, k + 1, k);
}

// tails (m + 1) of the sum of two counts: P(X + Y >= k) = P(X >= k) + the sum over i < k of P(X = i) P(Y >= k - i).
inline void convolve_tails(const double* x, const double* x_tails, const double* y_tails, i64 order, double* tails) {
    tails[0] = 0.0;
    for (i64 k = 1; k <= order; ++k) tails[k] = log_plus(log_convolved(x, y_tails, k, k), x_tails[k]);
}

// Fills the arrays of laws, which are minus infinity on entry. lengths and tops (n_within + n_beyond - 1): the number
// of steps of each stair that has an end (T + 1 counts as one), and log P(K >= m) / alpha^m over these steps.
inline void event_laws(const EventStairs& stairs, const double* lengths, const double* tops, const EventScratch& scratch,
                       const EventLaws& laws) {
    const i64 m = stairs.order, n_within = laws.n_within;
    laws.before[0] = laws.left[n_within * m] = laws.left_tails[n_within * (m + 1)] = 0.0;
    laws.past[0] = laws.past_tails[0] = 0.0;
    for (i64 s = 0; s < n_within; ++s) {
        stair_masses(stairs, s, lengths[s], scratch.masses);
        convolve_masses(laws.before + s * m, scratch.masses, m, laws.before + (s + 1) * m);
    }
    for (i64 s = n_within - 1; s >= 0; --s) {
        const double* next_tails = laws.left_tails + (s + 1) * (m + 1);
        stair_masses(stairs, s, lengths[s], scratch.masses);
        tails_of(stairs, scratch.masses, tops[s], scratch.tails);
        convolve_masses(scratch.masses, laws.left + (s + 1) * m, m, laws.left + s * m);
        convolve_tails(scratch.masses, scratch.tails, next_tails, m, laws.left_tails + s * (m + 1));
    }
    for (i64 i = 0; i + 1 < laws.n_beyond; ++i) {
        const double* past = laws.past + i * m;
        const double* past_tails = laws.past_tails + i * (m + 1);
        stair_masses(stairs, n_within + i, lengths[n_within + i], scratch.masses);
        tails_of(stairs, scratch.masses, tops[n_within + i], scratch.tails);
        convolve_masses(past, scratch.masses, m, laws.past + (i + 1) * m);
        convolve_tails(past, past_tails, scratch.tails, m, laws.past_tails + (i + 1) * (m + 1));
    }
}

// values (n_places): i < m events up to a place on a stair, and m - i or more from there to T + 1. done and to_do
// (n_places) are the steps of its stair before and after it, tops (n_places) log P(K >= m) / alpha^m of the latter.
inline void events_between(const EventStairs& stairs, const EventLaws& laws, i64 n_places, const i64* stair,
                           const double* done, const double* to_do, const double* tops, const EventScratch& scratch,
                           double* values) {
    const i64 m = stairs.order;
    for (i64 p = 0; p < n_places; ++p) {
        const i64 s = stair[p];
        stair_masses(stairs, s, done[p], scratch.masses);
        convolve_masses(laws.before + s * m, scratch.masses, m, scratch.sums);
        stair_masses(stairs, s, to_do[p], scratch.masses);
        tails_of(stairs, scratch.masses, tops[p], scratch.tails);
        convolve_tails(scratch.masses, scratch.tails, laws.left_tails + (s + 1) * (m + 1), m, scratch.sum_tails);
        values[p] = log_convolved(scratch.sums, scratch.sum_tails, m, m);
    }
}

// values (n_places): i < m events up to T + 1, and m - i or more from there to a place on a stair beyond. done
// (n_places) are the steps of its stair before it, tops (n_places) log P(K >= m) / alpha^m of them.
inline void events_beyond(const EventStairs& stairs, const EventLaws& laws, i64 n_places, const i64* stair,
                          const double* done, const double* tops, const EventScratch& scratch, double* values) {
    const i64 m = stairs.order;
    for (i64 p = 0; p < n_places; ++p) {
        const i64 i = stair[p] - laws.n_within;
        stair_masses(stairs, stair[p], done[p], scratch.masses);
        tails_of(stairs, scratch.masses, tops[p], scratch.tails);
        convolve_tails(laws.past + i * m, laws.past_tails + i * (m + 1), scratch.tails, m, scratch.sum_tails);
        values[p] = log_convolved(laws.before + laws.n_within * m, scratch.sum_tails, m, m);
    }
}

}  // namespace
}  // namespace ridgeway
