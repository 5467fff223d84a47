"use strict";
// Shared by the scripts of all pages: plots are embedded by name, and follow the reader's light or dark colours.
async function embedPlots(figures) {
  const plots = {};
  for (const [name, item] of Object.entries(figures)) {
    const manager = await Bokeh.embed.embed_item(item, `plot-${name}`);
    plots[name] = [...manager.roots][0].model;
  }
  return plots;
}
function paint(plots) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#e6e9ef" : "#1d2430", soft = dark ? "#a3adbd" : "#5b6575", line = dark ? "#343c49" : "#dde2ea";
  for (const plot of Object.values(plots)) {
    for (const axis of [...plot.below, ...plot.left]) {
      axis.axis_label_text_color = ink;
      axis.major_label_text_color = soft;
      axis.axis_line_color = soft;
      axis.major_tick_line_color = soft;
    }
    for (const grid_ of plot.center) if (grid_.type === "Grid") grid_.grid_line_color = grid_.dimension === 1 ? line : null;
  }
  document.documentElement.dataset.scheme = dark ? "dark" : "light";
}
function followColorScheme(plots) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paint(plots));
  paint(plots);
}
