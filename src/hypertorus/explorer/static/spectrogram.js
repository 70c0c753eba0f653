// Draws levels of a sound: time to the right, frequency upwards, louder is brighter.

import { bytes } from "./api.js";

const FLOOR = -110; // as levels.py says: a level is half a decibel above this
const STOPS = [
  [0, 0, 4], [20, 14, 54], [59, 15, 112], [100, 26, 128], [140, 41, 129], [183, 55, 121],
  [222, 73, 104], [247, 112, 92], [254, 159, 109], [254, 207, 146], [252, 253, 191],
]; // magma, as in the pages of hypertorus sounds search --report
const COLOURS = colours();

const kept = new Map(); // levels by address, the latest last
const MOST_KEPT = 300;

export async function levels(address) {
  if (!kept.has(address)) kept.set(address, fetchLevels(address));
  const found = kept.get(address);
  kept.delete(address);
  kept.set(address, found);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  try {
    return await found;
  } catch (error) {
    kept.delete(address);
    throw error;
  }
}

async function fetchLevels(address) {
  const response = await bytes(address);
  const fact = (name) => Number(response.headers.get(`Levels-${name}`));
  const steps = new Uint8Array(await response.arrayBuffer());
  const picture = {
    steps, rows: fact("Rows"), columns: fact("Columns"), highest: fact("Highest"), start: fact("Start"), end: fact("End"),
  };
  return picture;
}

// Paints the frequencies between `low` and `high` kHz, `contrast` decibels deep from the loudest of them; returns those
// that are really shown.
export function paint(canvas, picture, { contrast, low, high }) {
  const perRow = picture.highest / picture.rows;
  let first = Math.max(0, Math.floor((1000 * low) / perRow));
  let last = Math.min(picture.rows, Math.ceil((1000 * (high ?? Infinity)) / perRow));
  if (last - first < 2) [first, last] = [0, picture.rows];
  const height = last - first;
  canvas.width = picture.columns;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(picture.columns, height);
  const pixels = new Uint32Array(image.data.buffer);
  const steps = picture.steps.subarray(first * picture.columns, last * picture.columns);
  const quietest = steps.reduce((most, step) => Math.max(most, step), 0) / 2 + FLOOR - contrast;
  const table = Uint32Array.from({ length: 256 }, (_, step) => {
    const share = (step / 2 + FLOOR - quietest) / contrast;
    return COLOURS[Math.round(255 * Math.min(1, Math.max(0, share)))];
  });
  for (let row = 0; row < height; row++) {
    const from = (last - 1 - row) * picture.columns;
    for (let column = 0; column < picture.columns; column++) {
      pixels[row * picture.columns + column] = table[picture.steps[from + column]];
    }
  }
  context.putImageData(image, 0, 0);
  return { low: (first * perRow) / 1000, high: (last * perRow) / 1000 };
}

function colours() {
  return Uint32Array.from({ length: 256 }, (_, level) => {
    const place = (level / 255) * (STOPS.length - 1);
    const stop = Math.min(STOPS.length - 2, Math.floor(place));
    const [red, green, blue] = STOPS[stop].map((from, part) =>
      Math.round(from + (STOPS[stop + 1][part] - from) * (place - stop)));
    return (255 << 24) | (blue << 16) | (green << 8) | red;
  });
}
