// Recursions of the exact risk of an average, from the last step of a run to the first: O(n d), nothing of length n is
// made.
#pragma once

#include "lanes.hpp"
#include "theory/table.hpp"

namespace ridgeway {
namespace {

// One sweep over the modes: finishes the step whose <s, z> is `total`, where there is one, and begins the one before it
// with the weight p, where there is one. s_z (n_modes) holds s z. Returns <s, z> of the step begun.
template <bool finishes, bool begins, bool adds_gains>
inline double risk_sweep(const RiskModes& modes, const RiskState& state, double total, double p, double* s_z) {
    const Lanes<double> common = spread(modes.share * total), own = spread(modes.share * modes.excess_kurtosis);
    const Lanes<double> two = spread(2.0), weight = spread(p);
    Lanes<double> sum{};
    for (i64 i = 0; i < modes.n_modes; i += lane_count<double>) {
        const Lanes<double> s = load(modes.s + i), fall = load(modes.fall + i);
        Lanes<double> g = load(state.g + i), u = load(state.u + i);
        if constexpr (finishes) {
            const Lanes<double> gain = s * (common + own * load(s_z + i));
            if constexpr (adds_gains) {
                const Lanes<double> discounted = load(state.discounted_gains + i);
                store<double>(state.gains + i, load(state.gains + i) + gain);
                store<double>(state.discounted_gains + i, discounted + (gain - fall * discounted));
            }
            // Changes are added to what is there: a = 1 - fall itself would be rounded anew at every step.
            u += gain - fall * (two - fall) * u;
            g = g - fall * g;
        }
        if constexpr (begins) {
            g += weight;
            const Lanes<double> product = s * (s * g * g + u);
            store<double>(s_z + i, product);
            sum += product;
        }
        store<double>(state.g + i, g);
        store<double>(state.u + i, u);
    }
    return lane_sum(sum);
}

template <bool adds_gains>
inline double risk_recursion(const double* weights, i64 n_steps, const RiskModes& modes, const RiskState& state,
                             double* s_z) {
    if (n_steps == 0) return 0.0;
    double variance = 0.0;
    double total = risk_sweep<false, true, adds_gains>(modes, state, 0.0, weights[n_steps - 1], s_z);
    for (i64 j = n_steps - 2; j >= 0; --j) {
        variance += total;
        total = risk_sweep<true, true, adds_gains>(modes, state, total, weights[j], s_z);
    }
    variance += total;
    risk_sweep<true, false, adds_gains>(modes, state, total, 0.0, s_z);
    return modes.share * variance;
}

// Carries the risk back through n_steps steps of one size:
//
//     g_j = p_j + a_{j+1} g_{j+1},   z_j = s g_j^2 + u_j,   gain_j = share (s <s, z_j> + (kappa - 2) s^2 z_j),
//     u_{j-1} = a_j^2 u_j + gain_j,   a_j = 1 - fall
//
// weights (n_steps) are p_j of the iterates that the steps lead to, share is eta^2 / batch size, excess_kurtosis is
// kappa - 2. state.g holds a_{j+1} g_{j+1} and state.u holds u_j of the last j, both 0 at the end of the run; they become
// those of the steps before. Where state has them, sum_j gain_j is added to gains, and discounted_gains becomes
// sum_j gain_j a^{j-1} plus what it held times a^{n_steps}. scratch is (n_modes).
//
// Returns sum_j share <s, z_j>, the variance per unit of label noise that comes from these steps. With u_0 at the start,
// <u_0, v^2> is the risk that the start v brings in through the randomness of the rows.
inline double risk_backwards(const double* weights, i64 n_steps, const RiskModes& modes, const RiskState& state,
                             double* scratch) {
    return state.gains == nullptr ? risk_recursion<false>(weights, n_steps, modes, state, scratch)
                                  : risk_recursion<true>(weights, n_steps, modes, state, scratch);
}

// Adds to sums (n_modes) share times the squares of g_j over n_steps steps, with weights, fall, g and n_modes as above.
inline void add_squared_gains(const double* weights, i64 n_steps, i64 n_modes, const double* fall, double share,
                              double* g, double* sums) {
    constexpr i64 at_once = 4;  // lanes that do not wait for each other
    for (i64 first = 0; first < n_modes; first += at_once * lane_count<double>) {
        const i64 n_lanes = least(at_once, (n_modes - first) / lane_count<double>);
        Lanes<double> falls[at_once] = {}, now[at_once] = {}, squares[at_once] = {};
        for (i64 i = 0; i < n_lanes; ++i) {
            falls[i] = load(fall + first + i * lane_count<double>);
            now[i] = load(g + first + i * lane_count<double>);
        }
        for (i64 j = n_steps - 1; j >= 0; --j) {
            const Lanes<double> weight = spread(weights[j]);
            for (i64 i = 0; i < at_once; ++i) {
                now[i] += weight;
                squares[i] += now[i] * now[i];
                now[i] = now[i] - falls[i] * now[i];
            }
        }
        for (i64 i = 0; i < n_lanes; ++i) {
            double* sum = sums + first + i * lane_count<double>;
            store<double>(sum, load(sum) + spread(share) * squares[i]);
            store<double>(g + first + i * lane_count<double>, now[i]);
        }
    }
}

}  // namespace
}  // namespace ridgeway
