// Small plots: the histogram of scores with its threshold, and bars of counts.

import { element, svg } from "./element.js";

const WIDTH = 720;
const HEIGHT = 180;

// Draws a histogram; `moved(threshold, ended)` is called while the line is dragged and when it is let go.
export function histogram(place, run, moved) {
  const { edges } = run;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const x = (score) => (WIDTH * (score - low)) / (high - low || 1);
  const most = Math.sqrt(Math.max(1, ...run.items));
  const y = (many) => HEIGHT - (HEIGHT - 6) * (Math.sqrt(many) / most);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const bars = (numbers, name, share = 1) => numbers.forEach((many, bin) => {
    if (!many) return;
    const left = x(edges[bin]);
    picture.append(svg("rect", {
      class: name, x: left, y: y(many), width: Math.max(1, (x(edges[bin + 1]) - left) * share - 1), height: HEIGHT - y(many),
    }));
  });
  bars(run.items, "bar-items");
  bars(run.no, "bar-no", 0.5);
  bars(run.yes, "bar-yes", 0.5);
  const line = element("div", {
    class: "threshold", role: "slider", tabindex: "0", "aria-label": "Threshold", "aria-valuemin": Math.floor(low), "aria-valuemax": Math.ceil(high),
  });
  const frame = element("div", { class: "frame" }, picture, line);
  place.replaceChildren(frame, scale(run, (score) => x(score) / WIDTH));
  let threshold = run.threshold;

  const share = (score) => { // shares are known at the edges, and nearly straight in between
    const at = ((score - low) / (high - low || 1)) * (edges.length - 1);
    const bin = Math.min(edges.length - 2, Math.max(0, Math.floor(at)));
    return run.shares[bin] + (run.shares[bin + 1] - run.shares[bin]) * Math.min(1, Math.max(0, at - bin));
  };
  const set = (score, ended) => {
    threshold = Math.round(Math.min(high, Math.max(low, score)));
    line.style.left = `${(100 * x(threshold)) / WIDTH}%`;
    line.setAttribute("aria-valuenow", threshold);
    line.setAttribute("aria-valuetext", `score ${share(threshold).toFixed(2)}`);
    moved(threshold, ended);
  };
  const drag = (event) => {
    const box = frame.getBoundingClientRect();
    set(low + ((event.clientX - box.left) / box.width) * (high - low), false);
  };
  frame.addEventListener("pointerdown", (event) => { frame.setPointerCapture(event.pointerId); line.focus(); drag(event); });
  frame.addEventListener("pointermove", (event) => { if (frame.hasPointerCapture(event.pointerId)) drag(event); });
  frame.addEventListener("pointerup", () => set(threshold, true));
  line.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -0.5, ArrowRight: 0.5, ArrowDown: -0.5, ArrowUp: 0.5, PageDown: -5, PageUp: 5 }[event.key];
    if (step === undefined && !["Home", "End"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const bin = (high - low) / (edges.length - 1);
    set({ Home: low, End: high }[event.key] ?? threshold + step * bin, true);
  });
  set(threshold, true);
}

// The scores at both ends and where yes begins, below the histogram.
function scale({ shares, threshold }, place) {
  const middle = place(threshold);
  const marks = [[0, shares[0]], ...(middle > 0.1 && middle < 0.9 ? [[middle, 0.5]] : []), [1, shares[shares.length - 1]]];
  return element("div", { class: "scale faint", "aria-hidden": "true" }, ...marks.map(([share, score]) => {
    const mark = element("span", {}, score.toFixed(2));
    mark.style.left = `${100 * share}%`;
    mark.style.transform = `translateX(${-100 * (share === middle ? 0.5 : share)}%)`;
    return mark;
  }));
}

// Draws bars of `found` of `items` for each name, at most so many, the most found first where there are more.
export function bars(place, heading, counts, most = 40) {
  place.replaceChildren();
  if (!counts.length) return;
  const shown = counts.length > most ? [...counts].sort((a, b) => b.found - a.found).slice(0, most) : counts;
  const highest = Math.max(1, ...shown.map((each) => each.found));
  const total = counts.reduce((sum, each) => sum + each.found, 0);
  const list = element("ol", { class: "columns" }, ...shown.map((each) => {
    const bar = element("span", { class: "column" });
    bar.style.height = `calc((100% - 1.2rem) * ${each.found / highest})`;
    const many = shown.length <= 24 ? element("span", { class: "many", "aria-hidden": "true" }, each.found.toLocaleString("en")) : null;
    const text = `${each.name}: ${each.found} of ${each.items}`;
    return element("li", { title: text }, element("span", { class: "unseen" }, text), many, bar);
  }));
  const [first, last] = [shown[0].name, shown[shown.length - 1].name];
  const ends = element("p", { class: "faint ends", "aria-hidden": "true" }, element("span", {}, first), element("span", {}, first === last ? "" : last));
  ends.style.setProperty("--many", shown.length);
  place.append(
    element("h3", {}, `${heading} `, element("span", { class: "faint" }, `${total.toLocaleString("en")} found`)),
    list,
    ends,
  );
}
