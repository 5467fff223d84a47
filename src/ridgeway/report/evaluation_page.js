(async () => {
  const { figures } = JSON.parse(document.getElementById("report-data").textContent);
  followColorScheme(await embedPlots(figures));
  document.documentElement.dataset.ready = "true";
})();
