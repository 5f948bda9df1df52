// The what-if form: reads the fields, asks the model of the page, and writes what it says.
"use strict";
(() => {
  const form = document.getElementById("form");
  if (!form) return;
  const facts = JSON.parse(document.getElementById("facts").textContent), model = facts.what_if;
  const inputs = model.fields.map((_, i) => document.getElementById(`field-${i}`));
  const typical = PageModel.pieces(model, model.fields.map((field, i) => value(field, inputs[i])));

  function value(field, input) {
    const text = input.value;
    if (field.kind === "text") return text;
    if (text === "" || field.kind === "fixed") return null;
    if (field.kind === "number") return Number(text);
    if (field.kind === "date") return Date.parse(text.includes("T") ? `${text}Z` : `${text}T00:00Z`);
    // A level that nothing is called: it is treated as any that the model has not seen.
    return text === "0" ? "\u0000" : field.options[Number(text) - 1];
  }

  function said(scores) {
    const shares = PageModel.softmax(scores), first = scores.indexOf(Math.max(...scores));
    for (const line of document.querySelectorAll("#said li")) {
      const k = Number(line.dataset.class);
      line.classList.toggle("first", k === first);
      line.querySelector("progress").value = shares[k];
      line.querySelector("output").textContent = model.has_probabilities ? `${(100 * shares[k]).toFixed(2)} %` : scores[k].toFixed(4);
      line.dataset.value = model.has_probabilities ? shares[k] : scores[k];
    }
    return first;
  }

  function pushes(made, scores, first) {
    const others = scores.map((score, k) => (k === first ? -Infinity : score)), second = others.indexOf(Math.max(...others));
    const list = document.getElementById("pushes"), found = [];
    let at = 0;
    made.forEach((piece, f) => {
      let push = 0;
      piece.forEach((z, i) => { push += (model.weights[first][at + i] - model.weights[second][at + i]) * (z - typical[f][i]); });
      at += piece.length;
      if (f < model.fields.length && Math.abs(push) > 1e-9) found.push([model.fields[f].name, push]);
    });
    found.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    list.replaceChildren(...found.slice(0, 5).map(([name, push]) => {
      const line = document.createElement("li"), own = document.createElement("bdi");
      own.textContent = name;
      line.append(own, `: ${push > 0 ? "for" : "against"} ${model.classes[first]}, ${Math.abs(push).toFixed(2)}`);
      return line;
    }));
    if (!found.length) list.replaceChildren(Object.assign(document.createElement("li"), { textContent: "nothing yet: this is the typical row" }));
  }

  function update() {
    const made = PageModel.pieces(model, model.fields.map((field, i) => value(field, inputs[i])));
    const scores = PageModel.scores(model, made.flat());
    pushes(made, scores, said(scores));
  }

  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(update));
  update();
})();
