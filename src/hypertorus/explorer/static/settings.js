// How sounds are shown and played; kept by the browser for the next time.

import { byId } from "./element.js";

const NAMES = ["contrast", "lowest", "highest", "slower"];
const listeners = new Set();

export const onChange = (listener) => listeners.add(listener);

const value = (name, otherwise) => {
  const text = byId(name).value;
  return text === "" || Number.isNaN(Number(text)) ? otherwise : Number(text);
};

export const look = () => ({ contrast: value("contrast", 60), low: value("lowest", 0), high: value("highest", null) });
export const slower = () => value("slower", 1);

export function begin() {
  for (const name of NAMES) {
    const kept = localStorage.getItem(`hypertorus-${name}`);
    if (kept !== null) byId(name).value = kept;
    byId(name).addEventListener("input", () => {
      localStorage.setItem(`hypertorus-${name}`, byId(name).value);
      listeners.forEach((listener) => listener());
    });
  }
}
