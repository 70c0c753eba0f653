// Three views, one at a time.

import { byId } from "./element.js";

const NAMES = ["find", "everything", "map"];
const listeners = new Map();

export const onOpen = (name, listener) => listeners.set(name, listener);
export const current = () => NAMES.find((name) => !byId(name).hidden);

export function open(name, { focus = false } = {}) {
  for (const each of NAMES) {
    const tab = byId(`tab-${each}`);
    byId(each).hidden = each !== name;
    tab.setAttribute("aria-selected", String(each === name));
    tab.tabIndex = each === name ? 0 : -1;
    if (each === name && focus) tab.focus();
  }
  listeners.get(name)?.();
}

export function begin() {
  for (const [number, name] of NAMES.entries()) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => open(name));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) open(NAMES[(number + step + NAMES.length) % NAMES.length], { focus: true });
    });
  }
}
