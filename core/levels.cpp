#include "levels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#ifndef RIDGEWAY_ONE_LEVEL
#include <cpuid.h>
#endif

namespace ridgeway {

#ifdef RIDGEWAY_ONE_LEVEL
extern const Level level_baseline;
#else
extern const Level level_v2, level_v3, level_v4;
#endif

namespace {

struct Named {
    const char* name;
    const Level* level;
    bool available;
};

const Named* chosen = nullptr;

#ifndef RIDGEWAY_ONE_LEVEL

constexpr bool has(unsigned reg, unsigned bits) { return (reg & bits) == bits; }

// The highest of 2, 3, 4 whose instructions processor and operating system have.
int highest_level() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 2;
    constexpr unsigned FMA = 1u << 12, MOVBE = 1u << 22, OSXSAVE = 1u << 27, AVX = 1u << 28, F16C = 1u << 29;
    if (!has(c, FMA | MOVBE | OSXSAVE | AVX | F16C)) return 2;
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (!has(low, 0x6)) return 2;  // the system saves 32-byte registers
    const unsigned saved = low;
    unsigned ea = 0, eb = 0, ec = 0, ed = 0;
    if (!__get_cpuid_count(7, 0, &ea, &eb, &ec, &ed)) return 2;
    constexpr unsigned BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8;
    if (!has(eb, BMI1 | AVX2 | BMI2)) return 2;
    unsigned xa = 0, xb = 0, xc = 0, xd = 0;
    constexpr unsigned LZCNT = 1u << 5;
    if (!__get_cpuid(0x80000001, &xa, &xb, &xc, &xd) || !has(xc, LZCNT)) return 2;
    constexpr unsigned F = 1u << 16, DQ = 1u << 17, CD = 1u << 28, BW = 1u << 30, VL = 1u << 31;
    return has(eb, F | DQ | CD | BW | VL) && has(saved, 0xe6) ? 4 : 3;
}

#endif

}  // namespace

void choose_level() {
#ifdef RIDGEWAY_ONE_LEVEL
    static const Named levels[] = {{"baseline", &level_baseline, true}};
#else
    const int highest = highest_level();
    static const Named levels[] = {
        {"v4", &level_v4, highest >= 4}, {"v3", &level_v3, highest >= 3}, {"v2", &level_v2, true}};
#endif
    const char* wanted = std::getenv("RIDGEWAY_CPU");
    std::string names;
    for (const Named& one : levels) {
        if (!one.available) continue;
        if (wanted == nullptr || *wanted == '\0' || std::string(wanted) == one.name) {
            chosen = &one;
            return;
        }
        names += names.empty() ? one.name : std::string(", ") + one.name;
    }
    throw std::runtime_error("RIDGEWAY_CPU=" + std::string(wanted) + ": expected one of " + names +
                             ", which this processor has; or unset it.");
}

const char* level_name() { return chosen->name; }

const Level& chosen_level() { return *chosen->level; }

}  // namespace ridgeway
