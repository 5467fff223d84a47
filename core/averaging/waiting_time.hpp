// The law of a sum of exponential times, X = sum_s eta_s Gamma(n_s), by integrals in the complex plane.
//
//     P(X <= t) = 1/(2 pi i) int e^{z t} M(z) / z dz,  right of 0,   M(z) = prod_s (1 + z eta_s)^{-n_s}
//     P(X > t)  = minus the same, between the first singularity -1 / max eta and 0
//     density   = the same without 1 / z, anywhere right of the first singularity
//
// Each integrand has one sign on the real axis and its least size there at a saddle point. Through it goes a hyperbola
// that bends to the left like the path of steepest descent, on which the trapezoidal rule converges geometrically. The
// size at the saddle point is kept as a logarithm, so values far out in the tails have their digits. The exponent is a
// multiple of t - E[X] plus terms of second order, so that a sum of 1e12 times does not cancel.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "numbers.hpp"

namespace ridgeway {
namespace {

enum class Waiting : int { lower = 0, upper = 1, density = 2 };  // P(X <= t), P(X > t), the density of X at t

constexpr double ANGLE = 0.6;  // of the hyperbola; below pi / 4 a Gaussian integrand decays along it
// Distance of the nodes as a share of the width of the saddle, and its largest value.
constexpr double NODE_SHARE = 0.18, MAX_NODE_DISTANCE = 0.08;
constexpr i64 MAX_NODES = 400;
// Logarithm of the size, relative to the saddle point, from which on the integrand is left out.
constexpr double LOG_NEGLIGIBLE_SIZE = -42.0;
constexpr i64 MAX_NEWTON_STEPS = 100;
// Up to these sizes of x, log(1 + x) - x is a series of 12 terms, and one of 4 terms.
constexpr double LARGEST_SERIES_ARGUMENT = 0.3, LARGEST_SHORT_ARGUMENT = 0.03;
constexpr double LARGEST_PLACE = 1e300;

// A complex number without the tests for infinities that std::complex makes at each product.
struct Complex {
    double re, im;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
inline Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
// By Smith's method: the square of b may overflow.
inline Complex operator/(Complex a, Complex b) {
    if (std::abs(b.re) >= std::abs(b.im)) {
        const double ratio = b.im / b.re, size = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
    }
    const double ratio = b.re / b.im, size = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}

// The stairs of one sum: n (steps) and sizes (eta), both of length count. Places are w = z - origin, the distance from
// the pole at 0 or from the first singularity; gaps are 1 / eta + origin, rates are eta / (1 + z eta) at the saddle.
struct WaitingSum {
    i64 count;
    double *n, *gaps, *rates;
    const double* sizes;
    double time, ahead;  // t, and t - E[X]
    Waiting kind;
    double origin;
};

struct Saddle {
    double place, width, bend;  // bend is the radius with which the path bends
};

// sum_{k >= 1} square^k / (2 k + 1), up to n_terms.
template <int n_terms>
inline Complex artanh_series(Complex square) {
    Complex series{0.0, 0.0};
    for (int k = n_terms; k > 0; --k) {
        series.re += 1.0 / (2 * k + 1);
        series = series * square;
    }
    return series;
}

// log(1 + x) - x
inline Complex log1p_rest(Complex x) {
    const double size = std::abs(x.re) + std::abs(x.im);
    if (size > LARGEST_SERIES_ARGUMENT) {
        const double re = 1.0 + x.re, norm = re * re + x.im * x.im;
        const double log_size = is_finite(norm) ? 0.5 * std::log(norm) : std::log(std::hypot(re, x.im));
        return {log_size - x.re, std::atan2(x.im, re) - x.im};
    }
    const double re = 2.0 + x.re, scale = 1 / (re * re + x.im * x.im);
    const Complex r = scale * (x * Complex{re, -x.im});  // x / (2 + x); log(1 + x) = 2 artanh(r)
    const Complex square = r * r;
    const Complex series = size > LARGEST_SHORT_ARGUMENT ? artanh_series<12>(square) : artanh_series<4>(square);
    return 2.0 * (r * series) - x * r;
}

// The root of t - sum_s n_s / (gap_s + w) - 1 / z, which increases with w, by Newton's method within a bracket.
inline Saddle saddle_of(const WaitingSum& sum, double weight) {
    double total = 0.0, at_singularity = 0.0, variance = 0.0;
    for (i64 s = 0; s < sum.count; ++s) {
        total += weight * sum.n[s];
        variance += weight * sum.n[s] * sum.sizes[s] * sum.sizes[s];
        if (sum.gaps[s] == 0) at_singularity += weight * sum.n[s];
    }
    const double time = sum.time, ahead = sum.ahead, origin = sum.origin;
    double low, high, w;  // the first w is the root for a Gaussian law
    if (sum.kind == Waiting::lower) {
        low = 1 / time, high = (total + 1) / time;
        w = 2 / (std::sqrt(ahead * ahead + 4 * variance) + ahead);
    } else if (sum.kind == Waiting::upper) {
        low = least(-origin / 2, at_singularity / (time - 2 / origin)), high = -origin;
        w = -origin - 2 / (std::sqrt(ahead * ahead + 4 * variance) - ahead);
    } else {
        low = at_singularity / time, high = total / time;
        w = -origin - ahead / variance;
    }
    low = least(low, LARGEST_PLACE), high = least(high, LARGEST_PLACE);
    double second = 0.0, bend = 0.0;
    for (i64 step = 0; step < MAX_NEWTON_STEPS; ++step) {
        if (!(low < w && w < high)) w = std::sqrt(low) * std::sqrt(high);
        double slope = time, third = 0.0;
        second = 0.0;
        for (i64 s = 0; s < sum.count; ++s) {
            const double a = 1 / (sum.gaps[s] + w);
            slope -= weight * sum.n[s] * a;
            second += weight * sum.n[s] * a * a;
            third += weight * sum.n[s] * a * a * a;
        }
        bend = second / third;
        if (sum.kind != Waiting::density) {
            const double pole = 1 / (w + origin);
            slope -= pole;
            second += pole * pole;
            if (sum.kind == Waiting::lower) bend = second / (third + pole * pole * pole);  // the path goes round it, too
        }
        (slope < 0 ? low : high) = w;
        const double change = slope / second;
        if (std::abs(change) * std::sqrt(second) < 1e-2) break;
        w -= change;
    }
    return {w, 1 / std::sqrt(second), bend};
}

// z t + log M(z) and its derivative at a real z.
inline double exponent_at(const WaitingSum& sum, double z, double* derivative) {
    double total = 0.0, slope = 0.0, rest = sum.time;
    bool apart = false;
    for (i64 s = 0; s < sum.count; ++s) {
        const double n = sum.n[s], x = z * sum.sizes[s];
        if (std::abs(x) > LARGEST_SERIES_ARGUMENT) {
            apart = true;
            total -= n * std::log(sum.sizes[s] / sum.rates[s]);
            slope -= n * sum.rates[s];
        } else {
            rest -= n * sum.sizes[s];
            total -= n * log1p_rest({x, 0.0}).re;
            slope += n * x * sum.rates[s];
        }
    }
    if (!apart) rest = sum.ahead;
    *derivative = slope + rest;
    return total + z * rest;
}

// The integral along the hyperbola through `centre`, divided by the exponential there.
inline double integral_through(const WaitingSum& sum, double centre, double slope, const Saddle& saddle) {
    const double sine = std::sin(ANGLE), cosine = std::cos(ANGLE);
    const double scale = 1.5 * sine / (cosine * cosine) * saddle.bend;
    const double distance = least(NODE_SHARE * saddle.width / (scale * cosine), MAX_NODE_DISTANCE);
    double total = 0.0;
    for (i64 k = 0; k < MAX_NODES; ++k) {
        const double u = static_cast<double>(k) * distance, sinh = std::sinh(u), half = std::sinh(u / 2);
        const double fall = 2 * half * half;  // cosh(u) - 1
        const Complex shift = scale * Complex{-sine * fall, cosine * sinh};
        Complex exponent = slope * shift;
        for (i64 s = 0; s < sum.count; ++s) exponent = exponent - sum.n[s] * log1p_rest(sum.rates[s] * shift);
        if (exponent.re < LOG_NEGLIGIBLE_SIZE) break;
        const Complex exponential = std::exp(exponent.re) * Complex{std::cos(exponent.im), std::sin(exponent.im)};
        Complex value = exponential * (scale * Complex{-sine * sinh, cosine * (1 + fall)});
        if (sum.kind != Waiting::density) value = value / Complex{centre + shift.re, shift.im};
        total += value.im * (k == 0 ? 0.5 : 1.0);
    }
    return (sum.kind == Waiting::upper ? -total : total) * distance / std::numbers::pi;
}

// The logarithm of the probability or density. n (count) and sizes are given; gaps and rates (count) are scratch.
inline double log_waiting(WaitingSum& sum, double floor) {
    double largest_size = 0.0, total = 0.0;
    for (i64 s = 0; s < sum.count; ++s) {
        largest_size = largest(largest_size, sum.sizes[s]);
        total += sum.n[s];
    }
    sum.origin = sum.kind == Waiting::lower ? 0.0 : -1 / largest_size;
    for (i64 s = 0; s < sum.count; ++s) sum.gaps[s] = 1 / sum.sizes[s] + sum.origin;
    // A fraction of a step has a weak singularity: it takes the path of a whole one.
    const Saddle saddle = saddle_of(sum, sum.kind == Waiting::upper ? largest(1.0, 1 / total) : 1.0);
    for (i64 s = 0; s < sum.count; ++s) sum.rates[s] = 1 / (sum.gaps[s] + saddle.place);
    const double centre = saddle.place + sum.origin;
    double slope;
    const double size = exponent_at(sum, centre, &slope);
    constexpr double log_of_zero = -std::numeric_limits<double>::infinity();
    if (size < floor) return log_of_zero;
    const double integral = integral_through(sum, centre, slope, saddle);
    return integral > 0 ? size + std::log(integral) : log_of_zero;
}

}  // namespace
}  // namespace ridgeway
