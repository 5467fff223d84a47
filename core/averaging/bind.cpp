#include <algorithm>
#include <vector>

#include "array.hpp"
#include "averaging/event_counts.hpp"
#include "averaging/geometric_survival.hpp"
#include "averaging/waiting_time.hpp"

namespace ridgeway {
namespace {

void fill_geometric_survival(const In& past, const In& left, const In& total, double flat, const Out& values) {
    check(past.n_dims == 2 && past.shape(0) == total.size() && left.size() == past.size() &&
              values.size() == past.size(),
          "fill_geometric_survival: past, left and values (L, J), total (L,)");
    geometric_survival(past.as<double>(), left.as<double>(), total.as<double>(), flat, past.shape(0), past.shape(1),
                       values.as<double>());
}

struct EventStairArrays {
    In log_rates, growths;
    double log_alpha;
};

struct EventLawArrays {
    Out before, left, left_tails, past, past_tails;

    i64 order() const { return before.shape(1); }
    EventLaws laws() const {
        const i64 m = order();
        check(left.shape(0) == before.shape(0) && left.shape(1) == m && left_tails.shape(0) == before.shape(0) &&
                  left_tails.shape(1) == m + 1 && past.shape(1) == m && past_tails.shape(0) == past.shape(0) &&
                  past_tails.shape(1) == m + 1 && before.shape(0) > 1 && past.shape(0) > 0 && m > 0,
              "EventLaws: before and left (n + 1, m), left_tails (n + 1, m + 1), past (k, m), past_tails (k, m + 1)");
        return {before.shape(0) - 1, past.shape(0),       before.as<double>(),    left.as<double>(),
                left_tails.as<double>(), past.as<double>(), past_tails.as<double>()};
    }
};

EventStairs stairs_of(const EventStairArrays& stairs, const EventLawArrays& laws) {
    check(stairs.log_rates.size() == stairs.growths.size() &&
              stairs.growths.size() == laws.before.shape(0) - 1 + laws.past.shape(0),
          "EventStairs: log_rates and growths (S,)");
    return {stairs.log_rates.as<double>(), stairs.growths.as<double>(), stairs.log_alpha, laws.order()};
}

void fill_event_laws(const EventStairArrays& stairs, const In& lengths, const In& tops, const EventLawArrays& laws) {
    check(lengths.size() == stairs.growths.size() - 1 && tops.size() == lengths.size(),
          "fill_event_laws: lengths and tops (S - 1,)");
    std::vector<double> memory(EventScratch::size(laws.order()));
    event_laws(stairs_of(stairs, laws), lengths.as<double>(), tops.as<double>(),
               EventScratch(memory.data(), laws.order()), laws.laws());
}

void log_events_between(const EventStairArrays& stairs, const EventLawArrays& laws, const In& stair, const In& done,
                        const In& to_do, const In& tops, const Out& values) {
    check(stair.size() == values.size() && done.size() == values.size() && to_do.size() == values.size() &&
              tops.size() == values.size(),
          "log_events_between: stair, done, to_do, tops and values (J,)");
    std::vector<double> memory(EventScratch::size(laws.order()));
    events_between(stairs_of(stairs, laws), laws.laws(), values.size(), stair.as<i64>(), done.as<double>(),
                   to_do.as<double>(), tops.as<double>(), EventScratch(memory.data(), laws.order()),
                   values.as<double>());
}

void log_events_beyond(const EventStairArrays& stairs, const EventLawArrays& laws, const In& stair, const In& done,
                       const In& tops, const Out& values) {
    check(stair.size() == values.size() && done.size() == values.size() && tops.size() == values.size(),
          "log_events_beyond: stair, done, tops and values (J,)");
    std::vector<double> memory(EventScratch::size(laws.order()));
    events_beyond(stairs_of(stairs, laws), laws.laws(), values.size(), stair.as<i64>(), done.as<double>(),
                  tops.as<double>(), EventScratch(memory.data(), laws.order()), values.as<double>());
}

void log_waiting_probabilities(const In& lengths, const In& sizes, const In& stair, const In& done, const In& ahead,
                               double time, int kind, double floor, const Out& values) {
    const i64 n_stairs = sizes.size(), n_places = values.size();
    check(lengths.size() == n_stairs && stair.size() == n_places && done.size() == n_places &&
              ahead.size() == n_places && kind >= 0 && kind <= 2,
          "log_waiting_probabilities: lengths and sizes (S,); stair, done, ahead and values (J,)");
    std::vector<double> memory(3 * n_stairs);
    const double* steps = lengths.as<double>();
    WaitingSum sum{};
    sum.n = memory.data(), sum.gaps = sum.n + n_stairs, sum.rates = sum.gaps + n_stairs;
    sum.sizes = sizes.as<double>(), sum.time = time, sum.kind = static_cast<Waiting>(kind);
    for (i64 j = 0; j < n_places; ++j) {
        const i64 last = stair.as<i64>()[j];
        std::copy(steps, steps + last, sum.n);
        sum.n[last] = done.as<double>()[j];
        sum.count = last + 1, sum.ahead = ahead.as<double>()[j];
        values.as<double>()[j] = log_waiting(sum, floor);
    }
}

}  // namespace

void bind_averaging(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> no_gil;
    m.def("fill_geometric_survival", &fill_geometric_survival, "past"_a, "left"_a, "total"_a, "flat"_a, "values"_a,
          no_gil, "Fill values (L, J) with the survival of geometric averages whose total (L,) is not below flat.");
    nb::class_<EventStairArrays>(m, "EventStairs", "Steps of a run: of each stair log(eta / (1 + x)) and log(1 + x), (S,).")
        .def(nb::init<const In&, const In&, double>(), "log_rates"_a, "growths"_a, "log_alpha"_a);
    nb::class_<EventLawArrays>(m, "EventLaws", "Laws of counts: masses before and left (n + 1, m), past (S - n, m); tails.")
        .def(nb::init<const Out&, const Out&, const Out&, const Out&, const Out&>(), "before"_a, "left"_a,
             "left_tails"_a, "past"_a, "past_tails"_a);
    m.def("fill_event_laws", &fill_event_laws, "stairs"_a, "lengths"_a, "tops"_a, "laws"_a, no_gil,
          "Fill laws, which hold -inf, from the lengths of the stairs that end and their log tails at m, (S - 1,).");
    m.def("log_events_between", &log_events_between, "stairs"_a, "laws"_a, "stair"_a, "done"_a, "to_do"_a, "tops"_a,
          "values"_a, no_gil, "Fill values (J,) with log P(j <= G <= T) / alpha^m at places on stairs up to T + 1.");
    m.def("log_events_beyond", &log_events_beyond, "stairs"_a, "laws"_a, "stair"_a, "done"_a, "tops"_a, "values"_a,
          no_gil, "Fill values (J,) with log P(T < G < j) / alpha^m at places on stairs beyond T + 1.");
    m.def("log_waiting_probabilities", &log_waiting_probabilities, "lengths"_a, "sizes"_a, "stair"_a, "done"_a,
          "ahead"_a, "time"_a, "kind"_a, "floor"_a, "values"_a, no_gil,
          "Fill values (J,) with log P(X <= t), log P(X > t) or the log density (kind 0, 1, 2) of sums of Gamma times.");
}

}  // namespace ridgeway
