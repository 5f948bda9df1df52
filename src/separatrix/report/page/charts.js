// Charts by the vendored Vega, expressions interpreted; every figure can be saved.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const OPTIONS = { ast: true, actions: false, renderer: "svg", mode: "vega-lite", defaultStyle: false, tooltip: { disableDefaultStyle: true } };

  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // An SVG outside the page has no style sheet: the colours that it has here are written into it.
  function alone(svg) {
    const copy = svg.cloneNode(true), own = [svg, ...svg.querySelectorAll("*")], made = [copy, ...copy.querySelectorAll("*")];
    own.forEach((element, i) => {
      const style = getComputedStyle(element);
      for (const name of ["fill", "stroke", "stroke-width", "opacity", "font"]) {
        if (style.getPropertyValue(name)) made[i].style.setProperty(name, style.getPropertyValue(name));
      }
    });
    const box = svg.viewBox.baseVal;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    if (box && box.width) { copy.setAttribute("width", 3 * box.width); copy.setAttribute("height", 3 * box.height); }
    return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  }

  // Outside the page a chart has a title, a width of its own, and colours in place of currentColor.
  async function picture(figure, format) {
    const chart = charts[figure.dataset.chart];
    if (!chart) return alone(figure.querySelector("svg"));
    const style = getComputedStyle(figure), text = JSON.stringify(chart.spec).replaceAll("currentColor", style.color);
    const spec = { ...JSON.parse(text), title: { text: chart.title, subtitle: chart.notes, anchor: "start" } };
    if (spec.width === "container") Object.assign(spec, { width: 480, autosize: "pad" });
    spec.config.background = style.backgroundColor;
    const drawn = await vegaEmbed(document.createElement("div"), spec, { ...OPTIONS, renderer: "none" });
    if (format === "svg") return new Blob([await drawn.view.toSVG()], { type: "image/svg+xml" });
    const canvas = await drawn.view.toCanvas(2);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  async function draw(figure) {
    await vegaEmbed(figure.querySelector(".canvas"), charts[figure.dataset.chart].spec, OPTIONS);
    figure.dataset.drawn = "";
  }

  const drawing = [...document.querySelectorAll("figure[data-chart]")].map(draw);
  Promise.all(drawing).then(() => { document.documentElement.dataset.ready = ""; });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-format]");
    if (!button) return;
    const figure = button.closest("figure"), name = figure.dataset.chart || "picture";
    save(`${name}.${button.dataset.format}`, await picture(figure, button.dataset.format));
  });

  const facts = document.getElementById("save-facts");
  facts.hidden = false;
  facts.addEventListener("click", () => save("facts.json", new Blob([document.getElementById("facts").textContent], { type: "application/json" })));
})();
