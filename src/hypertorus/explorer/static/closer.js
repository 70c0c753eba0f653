// A closer look at a recording around a result: a long picture on which a stretch is drawn and searched for.

import { attempt } from "./api.js";
import { source, where } from "./cards.js";
import { byId, clock } from "./element.js";
import * as player from "./player.js";
import * as settings from "./settings.js";
import { levels, paint } from "./spectrogram.js";

const AROUND = 10; // seconds before and after the window
let item = null;
let picture = null;
let shown = null; // frequencies in kHz
let search = null;
let from = null; // where drawing began, as shares of the picture

const field = (name) => byId(`region-${name}`);
const sound = () => {
  const around = item.upload === undefined ? `before=${AROUND}&after=${AROUND}&` : "";
  return `/sound/${source(item)}?${around}slower=${settings.slower()}`;
};

export async function open(wanted, onSearch) {
  item = wanted;
  search = onSearch;
  byId("closer-title").textContent = [item.name, where(item)].filter((part) => part).join(" · ");
  byId("closer-note").textContent = "";
  for (const name of ["start", "end", "low", "high"]) field(name).value = "";
  field("band").checked = false;
  region();
  byId("closer").showModal();
  const around = item.upload === undefined ? `?before=${AROUND}&after=${AROUND}` : "";
  picture = await levels(`/levels/${source(item)}${around}`);
  repaint();
}

function repaint() {
  if (!picture || !byId("closer").open) return;
  shown = paint(byId("closer-picture"), picture, settings.look());
  byId("closer-axis").textContent = `${shown.low.toFixed(1)}–${shown.high.toFixed(1)} kHz · ${clock(picture.start)}–${clock(picture.end)}`;
  const box = byId("closer-window");
  const length = picture.end - picture.start;
  box.hidden = byId("closer-box").hidden = item.start === undefined;
  if (!box.hidden) {
    box.style.left = `${(100 * (item.start - picture.start)) / length}%`;
    box.style.width = `${(100 * (item.end - item.start)) / length}%`;
  }
  region();
}

function values() {
  const number = (name) => (field(name).value === "" ? null : Number(field(name).value));
  return { start: number("start"), end: number("end"), low: number("low"), high: number("high") };
}

function region() {
  const { start, end, low, high } = values();
  const whole = start !== null && end !== null && end > start;
  byId("closer-search").disabled = byId("closer-play-region").disabled = !whole;
  const box = byId("closer-region");
  box.hidden = !whole || !picture;
  const band = field("band").checked && low !== null && high !== null;
  byId("closer-note").textContent = !whole ? ""
    : band ? "Only these frequencies are kept, and everything else is silenced, before the model listens. It was trained on whole sounds, so a narrow band may mislead it."
      : "The model listens to all frequencies of this stretch.";
  if (box.hidden) return;
  const length = picture.end - picture.start;
  box.style.left = `${(100 * (start - picture.start)) / length}%`;
  box.style.width = `${(100 * (end - start)) / length}%`;
  const height = shown.high - shown.low;
  box.style.top = band ? `${Math.max(0, (100 * (shown.high - high)) / height)}%` : "0";
  box.style.height = band ? `${Math.min(100, (100 * (high - low)) / height)}%` : "100%";
}

function place(event) {
  const box = byId("closer-picture").getBoundingClientRect();
  const share = (at, size) => Math.min(1, Math.max(0, at / size));
  return [share(event.clientX - box.left, box.width), share(event.clientY - box.top, box.height)];
}

export function begin() {
  const stage = byId("closer-picture");
  stage.addEventListener("pointerdown", (event) => {
    from = place(event);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!from || !picture) return;
    const to = place(event);
    const second = (share) => (picture.start + share * (picture.end - picture.start)).toFixed(2);
    const kilohertz = (share) => (shown.high - share * (shown.high - shown.low)).toFixed(2);
    field("start").value = second(Math.min(from[0], to[0]));
    field("end").value = second(Math.max(from[0], to[0]));
    field("high").value = kilohertz(Math.min(from[1], to[1]));
    field("low").value = kilohertz(Math.max(from[1], to[1]));
    region();
  });
  stage.addEventListener("pointerup", () => { from = null; });
  for (const name of ["start", "end", "low", "high", "band"]) field(name).addEventListener("input", region);
  settings.onChange(repaint);
  byId("closer").addEventListener("close", () => { player.stop(); picture = null; });
  byId("closer-play").addEventListener("click", () => attempt(() => {
    const start = ((item.start ?? picture.start) - picture.start) * settings.slower();
    return player.toggle(sound(), { from: start });
  }));
  byId("closer-play-region").addEventListener("click", () => attempt(() => {
    const { start, end } = values();
    const [begin, stop] = [start, end].map((second) => (second - picture.start) * settings.slower());
    return player.toggle(sound(), { from: begin, to: stop });
  }));
  byId("closer-search").addEventListener("click", () => {
    const { start, end, low, high } = values();
    const which = item.upload === undefined ? { id: item.id } : { upload: item.upload };
    const band = field("band").checked && low !== null && high !== null;
    byId("closer").close();
    search({ stretch: { ...which, start, end, ...(band ? { low: 1000 * low, high: 1000 * high } : {}) } });
  });
  const now = byId("closer-now");
  const move = () => {
    now.hidden = !picture || player.playing() !== sound();
    if (!now.hidden) {
      const second = player.position() / settings.slower();
      now.style.left = `${(100 * second) / (picture.end - picture.start)}%`;
      requestAnimationFrame(move);
    }
  };
  player.onPlaying(move);
}
