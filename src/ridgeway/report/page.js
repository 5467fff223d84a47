(async () => {
  const { summary, figures, rises, words, curve, unexplained } = JSON.parse(document.getElementById("report-data").textContent);
  const { grid, stops, comparison, targets, run } = summary;
  const $ = (id) => document.getElementById(id);
  const single = summary.n_targets === 1;
  const MAX_FIRST_BARS = 15; // before "show all"
  const N_COLORED_LINES = 10;
  const INSIDE_COLOR = "#2f7ed8", OUTSIDE_COLOR = "#e08a1e"; // of rows within the prediction interval, and outside
  const COLORS = ["#2f7ed8", "#e08a1e", "#2ca02c", "#d6336c", "#8a63d2", "#17a2b8", "#b5892b", "#e4572e", "#5c7cfa", "#12b886"];

  // ---- numbers -------------------------------------------------------------------------------------------------
  const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const power = (exponent) => [...String(exponent)].map((c) => SUPERSCRIPT[c]).join("");
  function format(value, digits = 3) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "unknown";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e-4 && size < 1e9) {
      return value.toLocaleString("en", { maximumSignificantDigits: Math.max(digits, Math.min(9, Math.ceil(Math.log10(size)))) });
    }
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)} × 10${power(Number(exponent))}`;
  }
  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + format(Math.abs(value));

  // ---- any strength, from the grid -----------------------------------------------------------------------------
  const toPlace = (alpha) => (Math.log10(alpha) - grid.low) * grid.per_decade;
  const toAlpha = (place) => 10 ** (grid.low + place / grid.per_decade);
  // Cubic interpolation between four neighbours on the grid; exact on the grid itself.
  function neighbours(place) {
    const first = Math.min(Math.max(Math.floor(place) - 1, 0), Math.max(grid.n - 4, 0));
    const used = Math.min(4, grid.n);
    const weights = [];
    for (let i = 0; i < used; i++) {
      let weight = 1;
      for (let j = 0; j < used; j++) if (j !== i) weight *= (place - first - j) / (i - j);
      weights.push(weight);
    }
    return { first, weights };
  }
  function interpolate(values, place) {
    const { first, weights } = neighbours(place);
    return weights.reduce((sum, weight, i) => sum + weight * values[first + i], 0);
  }
  function effectsAt(path, place) {
    const { first, weights } = neighbours(place);
    const point = path.basis[0].map((_, r) => weights.reduce((sum, weight, i) => sum + weight * path.coordinates[first + i][r], 0));
    return path.basis.map((row) => row.reduce((sum, value, r) => sum + value * point[r], 0));
  }

  // ---- state: an average of the table (stop), or any strength (place) ---------------------------------------------
  let target = 0;
  let state = { stop: 0 };
  const alphaNow = () => (state.stop === undefined ? toAlpha(state.place) : stops[state.stop].alpha);
  // What is shown as an error: root mean squared for one target, the unexplained share for several.
  const shownError = (error) => (single ? Math.sqrt(Math.max(error, 0)) : error);
  const shownSpread = (error, spread) => (single ? spread / (2 * Math.sqrt(Math.max(error, 1e-300))) : spread);
  const hasErrors = comparison !== null && comparison.errors.length > 0;
  function errorNow() {
    if (state.stop !== undefined && stops[state.stop].error !== null) {
      return { error: stops[state.stop].error, spread: stops[state.stop].standard_error };
    }
    const alpha = alphaNow();
    if (!hasErrors || !alpha) return null;
    const place = Math.min(Math.max(toPlace(alpha), 0), grid.n - 1);
    return { error: interpolate(comparison.errors, place), spread: interpolate(comparison.standard_errors, place) };
  }
  function effectsNow(path) {
    return state.stop === undefined ? effectsAt(path, state.place) : path.stops[state.stop];
  }

  // ---- figures -------------------------------------------------------------------------------------------------
  const plots = await embedPlots(figures);
  const part = (plot, name) => plots[plot].document.get_model_by_name(name);
  const fill = (plot, name, data) => { part(plot, name).data = data; };

  function frame(plot, xs, ys, share = 0.05) {
    const ends = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    for (const [range, values, log] of [[plots[plot].x_range, xs, plots[plot].x_scale.type === "LogScale"], [plots[plot].y_range, ys, false]]) {
      const [low, high] = ends(values);
      const edge = share * (high - low) || Math.abs(high) || 1;
      range.setv(log ? { start: low, end: high } : { start: low - edge, end: high + edge });
    }
  }

  // ---- error curve ---------------------------------------------------------------------------------------------
  function moveErrors(now) {
    if (!plots.errors) return;
    const alpha = alphaNow();
    const x = state.stop === undefined || alpha ? Math.log10(alpha) : curve.places[state.stop];
    part("errors", "errors-now-line").location = x;
    fill("errors", "errors-now", { x: now ? [x] : [], y: now ? [shownError(now.error)] : [] });
  }
  function zoom(closer) {
    const [start, end] = curve.heights[closer ? "closer" : "whole"];
    plots.errors.y_range.setv({ start, end });
    $("zoom").setAttribute("aria-pressed", String(closer));
  }

  // ---- effects of the columns ------------------------------------------------------------------------------------
  let bars = [], showAll = false, reach = 1;
  function element(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function drawEffects() {
    const { path } = targets[target];
    const table = $("effects"), shown = showAll ? path.features.length : Math.min(MAX_FIRST_BARS, path.features.length);
    table.replaceChildren();
    const head = element("div", "effect head");
    head.setAttribute("role", "row");
    for (const text of ["column", "", "effect", "coefficient"]) {
      const cell = element("span", "", text);
      cell.setAttribute("role", "columnheader");
      head.append(cell);
    }
    table.append(head);
    reach = Math.max(1e-300, ...path.features.slice(0, shown).flatMap((_, k) => [
      ...path.stops.map((row) => Math.abs(row[k])),
      Math.abs(effectsAt(path, 0)[k]),
      ...(path.intervals[k] ?? []).map(Math.abs),
    ]));
    bars = path.features.slice(0, shown).map((name, k) => {
      const row = element("div", "effect");
      row.setAttribute("role", "row");
      const cells = [element("span", "name", name), element("span", "track"), element("span", "n value"), element("span", "n own")];
      cells[0].title = name;
      for (const cell of cells) cell.setAttribute("role", "cell");
      const bar = element("span", "bar"), mark = element("span", "mark");
      mark.style.left = `${50 + (50 * path.stops[0][k]) / reach}%`;
      cells[1].append(bar, mark);
      if (path.intervals.length) {
        const [low, high] = path.intervals[k], whisker = element("span", "whisker");
        whisker.style.left = `${50 + (50 * low) / reach}%`;
        whisker.style.width = `${(50 * (high - low)) / reach}%`;
        cells[1].append(whisker);
      }
      row.append(...cells);
      table.append(row);
      return { row, bar, value: cells[2], own: cells[3] };
    });
    $("more").hidden = path.features.length <= MAX_FIRST_BARS;
    $("more").textContent = showAll ? "Show fewer" : `Show all ${path.features.length}`;
    $("more").setAttribute("aria-expanded", String(showAll));
    const others = summary.n_features - path.features.length;
    $("effects-note").textContent = others > 0
      ? `${others.toLocaleString("en")} more columns are not listed; the listed ones make up ${(100 * path.share).toFixed(path.share > 0.99 ? 1 : 0)}% of the sum of squared effects.`
      : "";
  }
  function moveEffects(effects) {
    const { scales } = targets[target].path;
    bars.forEach(({ row, bar, value, own }, k) => {
      const effect = effects[k], length = Math.min(50, (50 * Math.abs(effect)) / reach);
      bar.style.left = `${effect < 0 ? 50 - length : 50}%`;
      bar.style.width = `${length}%`;
      bar.classList.toggle("minus", effect < 0);
      value.textContent = signed(effect);
      own.textContent = signed(effect / scales[k]);
      row.dataset.effect = effect;
    });
  }

  // ---- paths ---------------------------------------------------------------------------------------------------
  const alphas = Array.from({ length: grid.n }, (_, i) => toAlpha(i));
  function drawPaths() {
    const { path } = targets[target];
    const k = path.features.length;
    const table = alphas.map((_, i) => path.basis.map((row) => row.reduce((sum, value, r) => sum + value * path.coordinates[i][r], 0)));
    const color = path.features.map((_, i) => (i < N_COLORED_LINES ? COLORS[i] : "#8a8f98"));
    // Draw the largest last, on top of the others.
    const order = Array.from({ length: k }, (_, i) => k - 1 - i);
    fill("paths", "paths-lines", {
      xs: order.map(() => alphas),
      ys: order.map((i) => table.map((row) => row[i])),
      name: order.map((i) => path.features[i]),
      color: order.map((i) => color[i]),
      width: order.map((i) => (i < N_COLORED_LINES ? 2.2 : 1)),
      strength: order.map((i) => (i < N_COLORED_LINES ? 0.95 : 0.4)),
      now: order.map(() => ""),
    });
    frame("paths", alphas, [0, ...table.flat()]);
    part("paths", "paths-zero").location = 0;
    $("paths-legend").replaceChildren(...path.features.slice(0, N_COLORED_LINES).map((name, i) => {
      const key = element("span", "key", name.length > 32 ? `${name.slice(0, 31)}…` : name);
      key.style.setProperty("--key", COLORS[i]);
      key.title = name;
      return key;
    }));
  }
  function movePaths(effects) {
    const alpha = alphaNow();
    part("paths", "paths-now-line").location = alpha || null;
    const lines = part("paths", "paths-lines");
    const k = effects.length;
    lines.data = { ...lines.data, now: lines.data.name.map((_, i) => signed(effects[k - 1 - i])) };
    const shown = alpha ? effects.slice(0, N_COLORED_LINES) : [];
    fill("paths", "paths-now", { x: shown.map(() => alpha), y: shown, name: targets[target].path.features.slice(0, shown.length), color: COLORS.slice(0, shown.length) });
  }

  // ---- rows ----------------------------------------------------------------------------------------------------
  function drawRows() {
    const { rows, interval } = targets[target];
    if (!rows || !plots.predicted) return;
    const { numbers, actual, predicted } = rows;
    const half = interval ? interval.half_width : Infinity;
    const color = actual.map((value, i) => (Math.abs(value - predicted[i]) <= half ? INSIDE_COLOR : OUTSIDE_COLOR));
    fill("predicted", "predicted-rows", { x: predicted, y: actual, number: numbers, color });
    const ends = [Math.min(...predicted), Math.max(...predicted)];
    fill("predicted", "predicted-band", interval
      ? { x: ends, low: ends.map((end) => end - half), high: ends.map((end) => end + half) }
      : { x: [], low: [], high: [] });
    if (interval) $("half-width").textContent = format(half);
    fill("predicted", "predicted-diagonal", { x: ends, y: ends });
    frame("predicted", predicted, [...actual, ...ends]);
    const residuals = actual.map((value, i) => value - predicted[i]);
    fill("residuals", "residuals-rows", { x: numbers, y: residuals, predicted, actual });
    const parts = Math.max(1, Math.min(30, Math.floor(numbers.length / 10)));
    const means = { x: [], y: [], low: [], high: [] };
    for (let p = 0; p < parts; p++) {
      const first = Math.round((p * numbers.length) / parts), last = Math.round(((p + 1) * numbers.length) / parts);
      const some = residuals.slice(first, last), n = some.length;
      const mean = some.reduce((sum, value) => sum + value, 0) / n;
      const spread = Math.sqrt(some.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(n - 1, 1) / n);
      means.x.push(numbers[Math.floor((first + last) / 2)] ?? numbers[first]);
      means.y.push(mean);
      means.low.push(mean - 2 * spread);
      means.high.push(mean + 2 * spread);
    }
    fill("residuals", "residuals-means", means);
    frame("residuals", numbers, residuals, 0.03);
    part("residuals", "residuals-zero").location = 0;
    const all = Number($("shown-rows").dataset.all);
    $("shown-rows").textContent =
      (numbers.length < all ? numbers.length.toLocaleString("en") + " of " : "all ") + all.toLocaleString("en");
    $("drift").textContent = document.querySelector(`[data-drift="${target}"]`).textContent;
  }

  // ---- residual filter -------------------------------------------------------------------------------------------
  // Sums over the first n steps, stair by stair: of -log(1 + eta alpha), of log(1 - eta s), of eta.
  function over(n, term) {
    let sum = 0, left = n;
    for (const [size, count] of run.stairs) {
      const here = Math.min(count, left);
      if (here > 0) sum += here * term(size);
      left -= here;
    }
    return sum;
  }
  // With P(n) the product of 1 - eta s, Pi that of 1 / (1 + eta alpha) and tau the sum of eta over all T + 1 steps,
  // q(s) is alpha / (s + alpha) (1 - P Pi) / (1 - Pi) for a geometric average, and (P(k) - P) / (s (tau - tau(k))) for a
  // tail that starts at iterate k; for the last iterate it is P(T).
  function learned(kind, alpha, start, s) {
    const steps = run.length;
    const fall = (n) => over(n, (size) => (size * s < 1 ? Math.log1p(-size * s) : -Infinity));
    if (kind === "last") return -Math.expm1(fall(steps));
    if (!alpha) {
      const first = kind === "tail" ? Math.round(start * steps) : 0;
      const time = over(steps + 1, (size) => size) - over(first, (size) => size);
      return 1 - (Math.exp(fall(first)) * -Math.expm1(fall(steps + 1) - fall(first))) / (time * s);
    }
    const growth = over(steps + 1, (size) => Math.log1p(size * alpha));
    return 1 - ((alpha / (alpha + s)) * Math.expm1(fall(steps + 1) - growth)) / Math.expm1(-growth);
  }
  function moveFilter() {
    if (!plots.filter) return;
    const low = Math.log10(0.01 / over(run.length, (size) => size)), high = Math.log10(1 / run.step);
    const places = Array.from({ length: 200 }, (_, i) => 10 ** (low + ((high - low) * i) / 199));
    const alpha = alphaNow();
    const stop = state.stop === undefined ? { kind: "geometric" } : stops[state.stop];
    const known = ["geometric", "tail", "uniform", "last"].includes(stop.kind);
    fill("filter", "filter-average", { x: known ? places : [], y: known ? places.map((s) => learned(stop.kind, alpha, stop.start, s)) : [] });
    // Without an alpha: the ridge that learns half of the direction of which the average learns half.
    const ridge = alpha || places.find((s) => learned(stop.kind, alpha, stop.start, s) >= 0.5) || toAlpha(grid.n / 2);
    fill("filter", "filter-ridge", { x: places, y: places.map((s) => s / (s + ridge)) });
    frame("filter", places, [0, 1], 0.04);
    $("filter-alpha").textContent = `alpha = ${format(ridge)}${alpha ? "" : ", the nearest to it,"}`;
  }

  // ---- updates when the slider moves -----------------------------------------------------------------------------
  function printReadout(now) {
    const alpha = alphaNow(), stop = state.stop === undefined ? null : stops[state.stop];
    const texts = [stop && !alpha ? words[state.stop] : `alpha = ${format(alpha)}`];
    if (stop && stop.selected) texts[0] += " (the model)";
    if (now) {
      const error = shownError(now.error), spread = shownSpread(now.error, now.spread);
      texts.push(`${single ? "typical error" : "unexplained share"} ${format(error, 4)} ± ${format(spread, 2)}`);
      if (unexplained) texts.push(`explains ${(100 * (1 - now.error * unexplained)).toFixed(1)}%`);
    }
    $("readout").textContent = texts.join(" · ");
    const { dataset } = $("readout");
    dataset.alpha = alpha ?? "";
    dataset.error = now ? now.error : "";
    dataset.spread = now ? now.spread : "";
    $("alpha-slider").setAttribute("aria-valuetext", texts.join(", "));
    $("back").disabled = state.stop === 0;
    for (const button of document.querySelectorAll("[data-stop]")) {
      button.setAttribute("aria-pressed", String(state.stop === Number(button.dataset.stop)));
    }
  }
  function move(next, typed = false) {
    state = next;
    const alpha = alphaNow();
    if (state.stop === undefined || alpha) $("alpha-slider").value = Math.round(toPlace(alpha));
    if (!typed) $("alpha-number").value = alpha ? Number(alpha.toPrecision(4)) : "";
    $("alpha-number").removeAttribute("aria-invalid");
    const now = errorNow(), effects = effectsNow(targets[target].path);
    moveErrors(now);
    moveEffects(effects);
    movePaths(effects);
    moveFilter();
    printReadout(now);
  }
  function draw() {
    drawEffects();
    drawPaths();
    drawRows();
    move(state);
  }

  $("alpha-slider").addEventListener("input", (event) => move({ place: Number(event.target.value) }));
  $("alpha-number").addEventListener("input", (event) => {
    const alpha = Number(event.target.value.trim().replace(",", "."));
    const place = alpha > 0 ? toPlace(alpha) : NaN;
    if (place >= 0 && place <= grid.n - 1) move({ place }, true);
    else event.target.setAttribute("aria-invalid", "true");
  });
  $("back").addEventListener("click", () => move({ stop: 0 }));
  $("more").addEventListener("click", () => { showAll = !showAll; drawEffects(); move(state); });
  $("zoom")?.addEventListener("click", (event) => zoom(event.currentTarget.getAttribute("aria-pressed") !== "true"));
  $("target")?.addEventListener("change", (event) => { target = Number(event.target.value); draw(); });
  for (const button of document.querySelectorAll("[data-stop]")) {
    const number = Number(button.dataset.stop), stop = stops[number];
    button.addEventListener("click", () => move({ stop: number }));
    button.setAttribute("aria-label", `Show ${stop.name}`);
    const cell = (kind) => document.querySelector(`[data-${kind}="${number}"]`);
    cell("error").textContent = stop.error === null ? "" : format(shownError(stop.error), 4);
    cell("spread").textContent = stop.error === null ? "" : format(shownSpread(stop.error, stop.standard_error), 2);
  }
  $("rises").textContent = rises;
  if (plots.errors && $("baseline-key")) $("baseline-key").hidden = part("errors", "errors-baseline").location === null;
  // If the model's average has no alpha, the slider begins at the best strength, or in the middle.
  const best = hasErrors ? comparison.errors.indexOf(Math.min(...comparison.errors)) : Math.round(grid.n / 2);
  $("alpha-slider").value = best;
  followColorScheme(plots);
  draw();
  document.documentElement.dataset.ready = "true";
})();
