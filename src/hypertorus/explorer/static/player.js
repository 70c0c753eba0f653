// Plays one sound at a time; a stretch is fetched whole, so that it may begin anywhere in it.

import { bytes } from "./api.js";

const audio = new Audio();
let address = null; // of what is loaded
let url = null;
let until = Infinity;
const listeners = new Set();

export const onPlaying = (listener) => listeners.add(listener);
export const playing = () => (audio.paused ? null : address);
export const position = () => audio.currentTime;

const tell = () => listeners.forEach((listener) => listener(playing()));
for (const kind of ["play", "pause", "ended"]) audio.addEventListener(kind, tell);
audio.addEventListener("timeupdate", () => {
  if (audio.currentTime >= until) audio.pause();
});

export async function play(wanted, { from = 0, to = Infinity } = {}) {
  if (wanted !== address) {
    const response = await bytes(wanted);
    const blob = await response.blob();
    audio.pause();
    if (url) URL.revokeObjectURL(url);
    url = URL.createObjectURL(blob);
    audio.src = url;
    address = wanted;
  }
  until = to;
  audio.currentTime = from;
  await audio.play();
}

export function stop() {
  audio.pause();
}

export async function toggle(wanted, options) {
  if (playing() === wanted) stop();
  else await play(wanted, options);
}
