// Cards: what a person sees of an item, and what can be done with it.

import { clock, element, say } from "./element.js";
import * as player from "./player.js";
import * as settings from "./settings.js";
import { levels, paint } from "./spectrogram.js";

const drawn = new Map(); // canvas -> its levels, to be painted again when contrast or frequencies change

export const source = (item) => (item.upload === undefined ? `item/${item.id}` : `upload/${item.upload}`);
export const soundOf = (item) => `/sound/${source(item)}?slower=${settings.slower()}`;

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "300px" });

async function draw(canvas) {
  try {
    drawn.set(canvas, await levels(canvas.dataset.levels));
    repaint(canvas);
  } catch (error) {
    canvas.replaceWith(element("p", { class: "missing" }, error.message));
  }
}

function repaint(canvas) {
  const shown = paint(canvas, drawn.get(canvas), settings.look());
  const axis = canvas.parentElement?.querySelector(".axis");
  if (axis) axis.textContent = `${shown.low.toFixed(1)}–${shown.high.toFixed(1)} kHz`;
  canvas.classList.add("ready");
}

settings.onChange(() => {
  for (const canvas of drawn.keys()) {
    if (canvas.isConnected) repaint(canvas);
    else drawn.delete(canvas);
  }
});

function media(item, kind) {
  if (kind === "sounds") {
    const canvas = element("canvas", {
      role: "img", "aria-label": `Spectrogram of ${item.name}`, "data-levels": `/levels/${source(item)}`,
    });
    seen.observe(canvas);
    return element("div", { class: "picture" }, canvas, element("span", { class: "axis" }));
  }
  if (kind === "images") {
    return element("img", { class: "photo", loading: "lazy", alt: item.name, src: `/image/${source(item)}` });
  }
  return element("p", { class: "text" }, item.name);
}

export function where(item) {
  const time = item.start === undefined ? null : `${clock(item.start)}–${clock(item.end)}`;
  return [item.site, item.when, time].filter((part) => part).join(" · ");
}

// What happens with a card is decided by who made it: `acts` has a function for each button.
export function card(item, { kind, acts, small = false }) {
  const made = element("li", { class: "card", tabindex: "-1", "data-id": item.id ?? "" });
  made.item = item;
  const name = item.name.split("/");
  const details = [];
  if (kind !== "texts") {
    details.push(element("p", { class: "name", title: item.name }, name.pop(),
      name.length ? element("span", { class: "faint" }, ` ${name.join("/")}`) : null));
  }
  const place = where(item);
  if (place) details.push(element("p", { class: "faint" }, place));
  if (item.label) details.push(element("p", { class: "faint" }, item.label));
  if (item.at !== undefined) details.push(element("p", { class: "faint" }, `like your sound from ${clock(item.at)}`));
  if (item.distance !== undefined) {
    const far = element("div", { class: "far", role: "img", "aria-label": `distance ${item.distance.toFixed(3)}` },
      element("div"));
    far.firstChild.style.width = `${100 * item.distance}%`;
    details.push(element("p", { class: "distance" }, element("span", { "aria-hidden": "true" }, item.distance.toFixed(3)), far));
  }
  if (item.score !== undefined && item.score !== null) details.push(element("p", { class: "faint" }, `score ${item.score.toFixed(3)}`));
  const folded = [];
  if (item.more) folded.push(`${item.more} more of this recording`);
  if (item.same?.length) folded.push(`${item.same.length} with the same code`);
  if (folded.length) details.push(element("p", { class: "faint folded" }, folded.join(" · ")));
  const said = element("p", { class: "said" });
  const button = (label, sign, act, extra = {}) => element("button", {
    type: "button", tabindex: "-1", "aria-label": `${label}: ${item.name}`, title: label, ...extra,
    onclick: (event) => { event.stopPropagation(); act(item, made); },
  }, sign);
  const buttons = element("div", { class: "acts" });
  if (kind === "sounds") buttons.append(button("Play (space)", "▶", acts.play, { class: "play" }));
  if (item.id !== undefined) {
    buttons.append(
      button("Yes (y)", "✓", () => acts.say(item, "yes"), { class: "yes", "data-answer": "yes" }),
      button("No (n)", "✗", () => acts.say(item, "no"), { class: "no", "data-answer": "no" }),
      button("Unsure (u)", "~", () => acts.say(item, "unsure"), { class: "unsure", "data-answer": "unsure" }),
    );
  }
  if (item.id !== undefined && !small) buttons.append(button("More like this (Enter)", "≈", acts.like));
  if (kind === "sounds") buttons.append(button("Look closer (l)", "⌕", acts.closer));
  if (!small) buttons.append(button("Select (x)", "+", acts.select, { class: "select", "aria-pressed": "false" }));
  made.append(media(item, kind), ...details, said, buttons);
  made.setAttribute("aria-label", [item.name, place].filter((part) => part).join(", "));
  return made;
}

export async function play(item) {
  try {
    await player.toggle(soundOf(item));
  } catch (error) {
    say(error.message, { problem: true });
  }
}

player.onPlaying((address) => {
  for (const made of document.querySelectorAll(".card")) {
    const on = address !== null && soundOf(made.item) === address;
    made.classList.toggle("playing", on);
    const button = made.querySelector("button.play");
    if (button) button.textContent = on ? "■" : "▶";
  }
});
