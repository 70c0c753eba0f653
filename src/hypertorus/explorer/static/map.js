// A map of all items: neighbours lie together. A rectangle that is drawn on it chooses items to show or search for.

import { ask, attempt, bytes } from "./api.js";
import * as answers from "./answers.js";
import { byId, count } from "./element.js";

const MOST = 500; // ids in one question
let points = null; // x, y, ids
let begun = false;
let box = null; // the rectangle, as shares of the map
let from = null;
let chosen = [];

export async function open() {
  if (points) return draw();
  if (begun) return undefined;
  begun = true;
  return attempt(async () => {
    try {
      for (;;) {
        const state = await ask("map");
        if (state.ready) return await load(state.count);
        byId("map-note").textContent = `Laying out ${count(state.count, "item")}: ${Math.round(100 * state.done)} %`;
        await new Promise((resolve) => { setTimeout(resolve, 400); });
      }
    } finally {
      begun = false;
    }
  });
}

async function load(many) {
  const content = await (await bytes("/map")).arrayBuffer();
  points = {
    x: new Uint16Array(content, 0, many),
    y: new Uint16Array(content, 2 * many, many),
    ids: new Float64Array(content.slice(4 * many)),
  };
  byId("map-note").textContent = `${count(many, "item")}. Draw a rectangle to choose some. Answers are coloured by the class that you look for.`;
  draw();
}

const colour = (name) => {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(value.slice(at, at + 2), 16));
  return (255 << 24) | (blue << 16) | (green << 8) | red;
};

export function draw() {
  const canvas = byId("map-picture");
  if (!points || !canvas.offsetWidth) return;
  const scale = Math.min(2, devicePixelRatio || 1);
  const size = Math.round(canvas.clientWidth * scale);
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  const image = context.createImageData(size, size);
  const pixels = new Uint32Array(image.data.buffer);
  const dot = (number, radius, paint) => {
    const x = Math.round((points.x[number] / 65535) * (size - 1));
    const y = Math.round((points.y[number] / 65535) * (size - 1));
    for (let row = Math.max(0, y - radius); row <= Math.min(size - 1, y + radius); row++) {
      for (let column = Math.max(0, x - radius); column <= Math.min(size - 1, x + radius); column++) pixels[row * size + column] = paint;
    }
  };
  const [faint, accent, yes, no] = ["--faint", "--accent", "--yes", "--no"].map(colour);
  const small = points.ids.length > 20000 ? 0 : Math.round(scale * (points.ids.length > 2000 ? 1 : 2));
  for (let number = 0; number < points.ids.length; number++) dot(number, small, faint);
  for (const number of chosen) dot(number, small, accent);
  for (let number = 0; number < points.ids.length; number++) {
    const said = answers.answerTo(points.ids[number]);
    if (said === "yes" || said === "no") dot(number, small + Math.round(1.5 * scale), said === "yes" ? yes : no);
  }
  context.putImageData(image, 0, 0);
  if (box) {
    context.strokeStyle = getComputedStyle(canvas).color;
    context.strokeRect(box[0] * size, box[1] * size, (box[2] - box[0]) * size, (box[3] - box[1]) * size);
  }
}

function choose() {
  const [left, top, right, bottom] = box.map((share) => 65535 * share);
  chosen = [];
  for (let number = 0; number < points.ids.length; number++) {
    const [x, y] = [points.x[number], points.y[number]];
    if (x >= left && x <= right && y >= top && y <= bottom) chosen.push(number);
  }
  byId("map-acts").hidden = !chosen.length;
  const some = chosen.length > MOST ? `, of which ${MOST} are taken` : "";
  byId("map-count").textContent = `${count(chosen.length, "item")} chosen${some}`;
  draw();
}

// At most so many of the chosen ones, evenly from all of them.
const some = () => {
  const step = Math.max(1, chosen.length / MOST);
  return Array.from({ length: Math.min(MOST, chosen.length) }, (_, number) => points.ids[chosen[Math.floor(number * step)]]);
};

export function begin(show) {
  const canvas = byId("map-picture");
  const place = (event) => {
    const frame = canvas.getBoundingClientRect();
    return [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
  };
  canvas.addEventListener("pointerdown", (event) => { from = place(event); canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!from || !points) return;
    const to = place(event);
    box = [Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.max(from[0], to[0]), Math.max(from[1], to[1])];
    requestAnimationFrame(draw);
  });
  canvas.addEventListener("pointerup", () => { from = null; if (box && points) choose(); });
  canvas.addEventListener("keydown", (event) => { // without a mouse: a box in the middle, moved and sized by the arrows
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || !points) return;
    event.preventDefault();
    event.stopPropagation();
    box ??= [0.4, 0.4, 0.6, 0.6];
    const [x, y] = step.map((each) => each * 0.02);
    box = event.shiftKey ? [box[0], box[1], box[2] + x, box[3] + y] : [box[0] + x, box[1] + y, box[2] + x, box[3] + y];
    choose();
  });
  byId("map-like").addEventListener("click", () => show({ like: some() }));
  byId("map-show").addEventListener("click", () => show({ ids: some() }));
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  answers.onChange(draw);
}
