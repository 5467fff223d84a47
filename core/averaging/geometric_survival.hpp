// The survival function of geometric averages, from sums of the logarithms of 1 + eta alpha.
#pragma once

#include <cmath>

#include "numbers.hpp"

namespace ridgeway {
namespace {

constexpr double LOG_VANISHED = 746.0;  // the exponential of minus this is 0

// values (n_averages, n_places) is filled with (e^-past - e^-total) / (1 - e^-total). past (n_averages, n_places) is the
// sum up to a place, left the sum from there to the end, negative beyond it, and total (n_averages) that of the run.
// Averages whose total is below `flat` are skipped.
inline void geometric_survival(const double* past, const double* left, const double* total, double flat,
                               i64 n_averages, i64 n_places, double* values) {
    for (i64 a = 0; a < n_averages; ++a, past += n_places, left += n_places, values += n_places) {
        if (total[a] < flat) continue;
        const double last = std::exp(-total[a]), whole = -std::expm1(-total[a]);
        for (i64 i = 0; i < n_places; ++i) {
            const double until = least(past[i], total[a]);
            if (until > LOG_VANISHED) {
                values[i] = 0.0;
            } else if (left[i] > 1) {
                values[i] = (std::exp(-past[i]) - last) / whole;
            } else {  // the difference of powers as a product: nothing cancels, and beyond the end nothing overflows
                const double difference = -std::exp(-until) * std::expm1(-std::abs(left[i]));
                values[i] = std::copysign(difference / whole, left[i]);
            }
        }
    }
}

}  // namespace
}  // namespace ridgeway
