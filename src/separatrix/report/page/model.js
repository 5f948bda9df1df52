// The model in the page: what a recipe does with each column, and linear scores of the numbers that come of it. The same steps
// as prepare/steps/*.py; tests hold both against each other.
"use strict";
const PageModel = (() => {
  const DAY = 86400000;

  function transformed(step, x) {
    if (step.transform === "log") return Math.log1p(Math.max(x, 0));
    if (step.transform === "root") return Math.cbrt(x);
    if (step.transform === "squash") {
      const z = (x - step.centre) / step.scale;
      return z / Math.sqrt(1 + (z * z) / 9);
    }
    return x;
  }

  // The curved part of a natural cubic spline, in units of the range of its knots.
  function spline(z, knots) {
    const low = knots[0], reach = knots[knots.length - 1] - low, last = knots.length - 1;
    const at = knots.map((knot) => (knot - low) / reach), place = (z - low) / reach;
    const cubes = at.map((knot) => Math.max(place - knot, 0) ** 3);
    const slopes = at.slice(0, last).map((knot, k) => (cubes[k] - cubes[last]) / (at[last] - knot));
    return slopes.slice(0, -1).map((slope) => slope - slopes[slopes.length - 1]);
  }

  function number(step, value) {
    const gap = value === null || !Number.isFinite(value), x = gap ? step.fill : value, made = [];
    if (!step.flat) {
      const z = transformed(step, x);
      if (step.shape === "bins") {
        const bin = step.knots.filter((knot) => knot < z).length;
        step.knots.forEach((_, i) => made.push(bin === i + 1 ? 1 : 0));
      } else if (step.shape !== "values") made.push(z / step.per);
      if (step.shape === "spline") made.push(...spline(z, step.knots));
    }
    step.spikes.forEach((spike) => made.push(x === spike ? 1 : 0));
    if (step.indicator) made.push(gap ? 1 : 0);
    return made;
  }

  function category(step, level) {
    const width = step.levels.length + (step.grouped ? 1 : 0) + (step.missing ? 1 : 0), made = new Array(width).fill(0);
    let place = -1;
    if (level === null) place = step.missing ? width - 1 : -1;
    else if (step.levels.includes(level)) place = step.levels.indexOf(level);
    else if (level !== step.reference && !step.shared.includes(level) && step.grouped) place = step.levels.length;
    if (place >= 0) made[place] = 1;
    return made;
  }

  function ordered(step, level) {
    const place = level === null ? -1 : step.levels.indexOf(level), value = place < 0 ? step.fill : place;
    return step.indicator ? [value, level === null ? 1 : 0] : [value];
  }

  // A date is a number of milliseconds since 1970, in UTC.
  function date(step, value) {
    const gap = value === null || !Number.isFinite(value), time = gap ? step.fill * DAY : value, moment = new Date(time);
    const days = Math.floor(time / DAY), hours = (time - days * DAY) / 3600000;
    const cycles = { month: [moment.getUTCMonth(), 12], weekday: [(((days + 3) % 7) + 7) % 7, 7], hour: [hours, 24] };
    const made = [];
    for (const part of step.parts) {
      if (part in cycles) {
        const angle = (2 * Math.PI * cycles[part][0]) / cycles[part][1];
        made.push(Math.sin(angle), Math.cos(angle));
      } else made.push(part === "days" ? time / DAY - step.origin : moment.getUTCFullYear());
    }
    return step.indicator ? [...made, gap ? 1 : 0] : made;
  }

  function terms(text) {
    const found = text.toLowerCase().match(/[\p{L}\p{N}_]+(?:['’][\p{L}\p{N}_]+)?|[!?£$€%]/gu) || [];
    const words = found.map((word) => {
      const letters = Array.from(word);
      return letters.length > 1 && /^\p{Nd}+$/u.test(word) ? `<${letters.length} digits>` : word;
    });
    return [...words, ...words.slice(1).map((word, i) => `${words[i]} ${word}`)];
  }

  function words(step, text) {
    const counts = new Map(), made = new Array(step.vocabulary.length).fill(0);
    if (!step.places) step.places = new Map(step.vocabulary.map((word, i) => [word, i]));
    for (const term of terms(text === null ? "" : text)) {
      const place = step.places.get(term);
      if (place !== undefined) counts.set(place, (counts.get(place) || 0) + 1);
    }
    let square = 0;
    for (const [place, count] of counts) {
      made[place] = (1 + Math.log(count)) * step.idf[place];
      square += made[place] ** 2;
    }
    return square > 0 ? made.map((weight) => weight / Math.sqrt(square)) : made;
  }

  function levels(step, level) {
    return level !== null && Object.hasOwn(step.shares, level) ? step.shares[level] : step.prior;
  }

  const ENCODE = { number, category, ordered, date, text: words, levels, fixed: (step) => step.outputs };

  // The numbers that each field becomes, then the products of fields that interact.
  function pieces(model, values) {
    const own = model.fields.map((field, i) => ENCODE[field.kind](field.step, values[i]));
    const crossed = model.interactions.map(([a, b]) => own[a].flatMap((x) => own[b].map((y) => x * y)));
    return [...own, ...crossed];
  }

  function scores(model, outputs) {
    return model.weights.map((row, k) => row.reduce((sum, weight, i) => sum + weight * outputs[i], model.offsets[k]));
  }

  function softmax(values) {
    const most = Math.max(...values), parts = values.map((value) => Math.exp(value - most));
    const total = parts.reduce((sum, part) => sum + part, 0);
    return parts.map((part) => part / total);
  }

  return { pieces, scores, softmax };
})();
