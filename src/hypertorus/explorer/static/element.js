// Elements of the page. Text becomes text nodes, never markup: a file may be named <script>.

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

let fading;

export function say(sentence, { problem = false } = {}) {
  const status = byId("status");
  status.textContent = sentence;
  status.classList.toggle("problem", problem);
  status.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => status.classList.remove("shown"), problem ? 12000 : 4000);
}

export function clock(seconds) {
  const tenths = Math.round(10 * seconds);
  const [whole, tenth] = [Math.floor(tenths / 10), tenths % 10];
  const [hours, minutes, left] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(left)}.${tenth}` : `${minutes}:${two(left)}.${tenth}`;
}

export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
