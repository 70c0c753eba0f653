// Everything that can be done without a mouse, and the list of it that ? shows.

import { byId, element } from "./element.js";

const KEYS = [
  ["← → ↑ ↓", "Go from result to result"],
  ["Space", "Play from the start of the window, or stop", "sounds"],
  ["y  n  u", "Say yes, no, unsure", "answers"],
  ["1 … 9", "Say yes to the class of this number", "answers"],
  ["c", "Write the name of a class; Enter goes back", "answers"],
  ["z", "Take back the last answer", "answers"],
  ["Enter", "Search for more like this result"],
  ["x", "Select a result, or not"],
  ["m", "Search for the mean of the selected results"],
  ["l", "Look closer, and draw a stretch to search for", "sounds"],
  ["a", "Ask about the next ones", "answers"],
  ["/", "Write into the search box"],
  ["r", "A handful at random"],
  ["?", "Show these keys"],
];

export function list(has) {
  byId("keys").replaceChildren(...KEYS.filter(([, , needs]) => !needs || has(needs)).flatMap(([keys, what]) => [
    element("dt", {}, ...keys.split("  ").flatMap((key) => [element("kbd", {}, key), " "])),
    element("dd", {}, what),
  ]));
}

// `acts` has a function for each key; keys that are typed into a field stay there.
export function begin(acts) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const target = event.target;
    const typing = target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");
    if (typing) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const pressing = target.matches("button, a, summary, input") && (event.key === "Enter" || event.key === " ");
    const sliding = target.matches("input[type=range], [role=tab], [role=slider]") && event.key.startsWith("Arrow");
    if (pressing || sliding) return;
    const act = acts[event.key] ?? (/^[1-9]$/.test(event.key) ? acts.digit : undefined);
    if (!act) return;
    event.preventDefault();
    act(event.key);
  });
}
