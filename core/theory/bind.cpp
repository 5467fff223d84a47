#include <nanobind/stl/optional.h>

#include <algorithm>
#include <vector>

#include "array.hpp"
#include "lanes.hpp"
#include "levels.hpp"

namespace ridgeway {
namespace {

// Some arrays of d numbers, copied into whole lanes.
class InLanes {
public:
    InLanes(i64 d, i64 n_arrays)
        : d_(d), n_modes((d + lane_count<double> - 1) / lane_count<double> * lane_count<double>),
          memory_(n_arrays * n_modes) {}

    double* array(i64 which) { return memory_.data() + which * n_modes; }
    double* copied(i64 which, const double* from) {
        std::copy(from, from + d_, array(which));
        return array(which);
    }
    void give_back(i64 which, double* to) { std::copy(array(which), array(which) + d_, to); }

private:
    i64 d_;

public:
    const i64 n_modes;

private:
    std::vector<double> memory_;
};

struct RiskStateArrays {
    Out g, u;
    MaybeOut gains, discounted_gains;
};

double risk_backwards(const In& weights, const In& s, const In& fall, double share, double excess_kurtosis,
                      const RiskStateArrays& state) {
    const i64 d = s.size();
    const bool with_gains = state.gains.has_value();
    check(fall.size() == d && state.g.size() == d && state.u.size() == d &&
              with_gains == state.discounted_gains.has_value() &&
              (!with_gains || (state.gains->size() == d && state.discounted_gains->size() == d)),
          "risk_backwards: s, fall and the arrays of the state (d,)");
    InLanes all(d, 7);
    const RiskModes modes{all.n_modes, all.copied(0, s.as<double>()), all.copied(1, fall.as<double>()), share,
                          excess_kurtosis};
    RiskState carried{all.copied(2, state.g.as<double>()), all.copied(3, state.u.as<double>()), nullptr, nullptr};
    if (with_gains) {
        carried.gains = all.copied(4, state.gains->as<double>());
        carried.discounted_gains = all.copied(5, state.discounted_gains->as<double>());
    }
    const double variance =
        chosen_level().theory.risk_backwards(weights.as<double>(), weights.size(), modes, carried, all.array(6));
    all.give_back(2, state.g.as<double>());
    all.give_back(3, state.u.as<double>());
    if (with_gains) {
        all.give_back(4, state.gains->as<double>());
        all.give_back(5, state.discounted_gains->as<double>());
    }
    return variance;
}

void add_squared_gains(const In& weights, const In& fall, double share, const Out& g, const Out& sums) {
    const i64 d = fall.size();
    check(g.size() == d && sums.size() == d, "add_squared_gains: fall, g and sums (d,)");
    InLanes all(d, 3);
    chosen_level().theory.add_squared_gains(weights.as<double>(), weights.size(), all.n_modes,
                                            all.copied(0, fall.as<double>()), share, all.copied(1, g.as<double>()),
                                            all.copied(2, sums.as<double>()));
    all.give_back(1, g.as<double>());
    all.give_back(2, sums.as<double>());
}

void squared_sums(const In& x_powers, const In& y_powers, i64 n, const Out& sums, const Out& powers) {
    const i64 levels = x_powers.shape(1), n_x = x_powers.shape(0), n_y = y_powers.shape(1);
    check(x_powers.n_dims == 2 && y_powers.n_dims == 2 && y_powers.shape(0) == levels && levels >= 1 && levels < 64 &&
              n >> (levels - 1) == 1 && sums.size() == n_x * n_y && powers.size() == n_x * n_y,
          "squared_sums: x_powers (K, levels), y_powers (levels, d), sums and powers (K, d)");
    chosen_level().theory.squared_sums(n_x, n_y, levels, n, x_powers.as<double>(), y_powers.as<double>(),
                                       sums.as<double>(), powers.as<double>());
}

void regularised_steps(const In& x, const In& y, double alpha, double step, const In& centre, const Out& iterates) {
    check(x.n_dims == 2 && y.size() == x.shape(0) && centre.size() == x.shape(1) && iterates.n_dims == 2 &&
              iterates.shape(0) == x.shape(0) + 1 && iterates.shape(1) == x.shape(1),
          "regularised_steps: X (n, d), y (n,), centre (d,), iterates (n + 1, d)");
    chosen_level().theory.regularised_steps(x.as<double>(), y.as<double>(), x.shape(0), x.shape(1), alpha, step,
                                            centre.as<double>(), iterates.as<double>());
}

}  // namespace

void bind_theory(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    nb::class_<RiskStateArrays>(m, "RiskState", "What risk_backwards carries from step to step: arrays (d,).")
        .def(nb::init<const Out&, const Out&, const MaybeOut&, const MaybeOut&>(), "g"_a, "u"_a,
             "gains"_a = nb::none(), "discounted_gains"_a = nb::none());
    m.def("risk_backwards", &risk_backwards, "weights"_a, "s"_a, "fall"_a, "share"_a, "excess_kurtosis"_a, "state"_a,
          no_gil, "Carry the risk of an average back through steps of one size, with weights (n,); s and fall (d,).");
    m.def("add_squared_gains", &add_squared_gains, "weights"_a, "fall"_a, "share"_a, "g"_a, "sums"_a, no_gil,
          "Add to sums (d,) share times the squares of g_j over steps with weights (n,); fall and g (d,).");
    m.def("squared_sums", &squared_sums, "x_powers"_a, "y_powers"_a, "n"_a, "sums"_a, "powers"_a, no_gil,
          "Fill sums and powers (K, d) with sums of squared geometric sums; x_powers (K, levels), y_powers (levels, d).");
    m.def("regularised_steps", &regularised_steps, "X"_a, "y"_a, "alpha"_a, "step"_a, "centre"_a, "iterates"_a, no_gil,
          "Fill iterates (n + 1, d) from its first row on, one step of ridge SGD for each row of X (n, d).");
}

}  // namespace ridgeway
