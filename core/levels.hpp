// The loops over rows, compiled once per instruction set; one set is chosen when the module is imported.
#pragma once

#include "rows/table.hpp"
#include "sgd/table.hpp"
#include "theory/table.hpp"
#include "trajectory/table.hpp"

namespace ridgeway {

// Every loop of one level, for rows in float or double.
template <class T>
struct Loops {
    RowLoops<T> rows;
    SgdLoops<T> sgd;
    TrajectoryLoops<T> trajectory;
};

struct Level {
    Loops<float> f32;
    Loops<double> f64;
    TheoryLoops theory;
    SeriesLoops series;
};

// Chooses the best level that the processor has, or the one that the environment variable RIDGEWAY_CPU names.
void choose_level();
const char* level_name();
const Level& chosen_level();

template <class T>
const Loops<T>& loops();
template <>
inline const Loops<float>& loops<float>() {
    return chosen_level().f32;
}
template <>
inline const Loops<double>& loops<double>() {
    return chosen_level().f64;
}

}  // namespace ridgeway
