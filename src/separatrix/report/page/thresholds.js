// The slider: counts at a threshold, and what they cost.
"use strict";
(() => {
  const panel = document.getElementById("slider");
  if (!panel) return;
  const counts = JSON.parse(document.getElementById("facts").textContent).thresholds;
  const at = (name) => document.getElementById(`slider-${name}`);
  const whole = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });
  const share = (part, all) => (all > 0 ? `${((100 * part) / all).toFixed(1)} %` : "–");

  function costs(own, alarm, miss) {
    const n = own.positives + own.negatives;
    return own.true.map((tp, i) => (miss * (own.positives - tp) + alarm * own.false[i]) / n);
  }

  const price = (name) => Math.max(0, Number(at(name).value) || 0);
  const chosen = () => counts.classes[Number(at("class").value)];

  function draw(found, i) {
    const most = Math.max(...found, 1e-300), x = (j) => 44 + (j * 420) / counts.steps, y = (cost) => 150 - (cost / most) * 132;
    const make = (name, attributes, text) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      Object.entries(attributes).forEach(([key, given]) => made.setAttribute(key, given));
      if (text !== undefined) made.textContent = text;
      return made;
    };
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((t) => make("text", { x: x(t * counts.steps), y: 170, "text-anchor": "middle" }, t));
    at("curve").replaceChildren(
      make("line", { class: "axis", x1: 44, x2: 464, y1: 150, y2: 150 }), ...ticks,
      make("text", { x: 254, y: 186, "text-anchor": "middle" }, "threshold"),
      make("text", { x: 38, y: 24, "text-anchor": "end" }, most.toPrecision(2)), make("text", { x: 38, y: 154, "text-anchor": "end" }, "0"),
      make("text", { x: 44, y: 10 }, "mean cost of a row"),
      make("path", { class: "line", d: found.map((cost, j) => `${j ? "L" : "M"}${x(j).toFixed(1)} ${y(cost).toFixed(1)}`).join("") }),
      make("line", { class: "here", x1: x(i), x2: x(i), y1: 16, y2: 150 }), make("circle", { class: "spot", cx: x(i), cy: y(found[i]), r: 4.5 }),
    );
  }

  function update() {
    const own = chosen(), i = Number(at("threshold").value), threshold = i / counts.steps;
    const tp = own.true[i], fp = own.false[i], found = costs(own, price("alarm"), price("miss"));
    const write = { shown: threshold.toFixed(3), name: own.label, cost: found[i].toFixed(4), recall: share(tp, own.positives),
      precision: share(tp, tp + fp), called: share(tp + fp, own.positives + own.negatives), tp: whole(tp), fn: whole(own.positives - tp),
      fp: whole(fp), tn: whole(own.negatives - fp) };
    Object.entries(write).forEach(([name, text]) => { at(name).textContent = text; });
    at("threshold").setAttribute("aria-valuetext", threshold.toFixed(3));
    at("code").textContent = code(own, threshold);
    panel.dataset.cost = found[i];
    draw(found, i);
  }

  function code(own, threshold) {
    if (counts.classes.length > 2) return "Decision.tune(estimate, y, recall=…, positive=…)";
    // The posterior of the second class is what a decision cuts at.
    const cut = own === counts.classes[0] ? threshold : 1 - threshold;
    return `model.with_decision(Decision.threshold(${Number(cut.toFixed(6))}))`;
  }

  at("best").addEventListener("click", () => {
    const found = costs(chosen(), price("alarm"), price("miss")), least = Math.min(...found);
    const best = found.map((cost, j) => j).filter((j) => found[j] <= least * (1 + 1e-12));
    at("threshold").value = best[Math.floor(best.length / 2)];
    update();
  });
  panel.addEventListener("input", update);
  update();
})();
