// What was said: yes, no and unsure for each class. An answer is shown once it is on disk, never before.

import { ask, attempt } from "./api.js";
import { byId, element, say } from "./element.js";

const said = new Map(); // class -> Map of id -> answer
const listeners = new Set();
let learning;
let title = "";
let things = "recordings"; // what is left out to see how good a class is

export const SIGNS = { yes: "✓", no: "✗", unsure: "~" };
export const onChange = (listener) => listeners.add(listener);
export const question = () => byId("question").value.trim();
export const who = () => byId("who").value.trim() || undefined;
export const classes = () => [...said.keys()];
export const answerTo = (id, name = question()) => said.get(name)?.get(id);

// What was said about an item: its answer for the class that is looked for first, then what else it was said to be.
export function sentence(id) {
  const first = answerTo(id);
  const parts = first ? [`${SIGNS[first]} ${question()}`] : [];
  for (const [name, ids] of said) if (name !== question() && ids.get(id) === "yes") parts.push(`${SIGNS.yes} ${name}`);
  return parts.join(" · ");
}

export async function load() {
  const found = await ask("said");
  if (!byId("who").value) byId("who").value = localStorage.getItem("hypertorus-who") ?? found.who;
  said.clear();
  for (const [name, ids] of Object.entries(found.classes)) {
    said.set(name, new Map(Object.entries(ids).map(([id, answer]) => [Number(id), answer])));
  }
  if (!question()) byId("question").value = localStorage.getItem(`hypertorus-question-${title}`) ?? classes()[0] ?? "";
  changed();
}

// Answers are written in the order in which they were given, and are taken back in it, however fast they come.
let last = Promise.resolve();
const inTurn = (work) => { last = last.then(() => attempt(work)); return last; };

export async function answer(ids, what, { name = question(), way } = {}) {
  if (!name) {
    byId("question").focus();
    say("Name what you are looking for first.");
    return false;
  }
  return (await inTurn(async () => {
    await ask("say", { ids, question: name, answer: what, who: who(), way });
    if (!said.has(name)) said.set(name, new Map());
    for (const id of ids) said.get(name).set(id, what);
    changed();
    return true;
  })) ?? false;
}

export async function undo() {
  return inTurn(async () => {
    const last = await ask("undo", { who: who() });
    await load();
    say(`Taken back: ${last.answer} for “${last.question}”.`);
    return last.id;
  });
}

function changed() {
  byId("classes").replaceChildren(...classes().map((name) => element("option", { value: name })));
  byId("chips").replaceChildren(...classes().map((name, number) => chip(name, number)));
  listeners.forEach((listener) => listener());
  clearTimeout(learning);
  learning = setTimeout(learn, 250);
}

function chip(name, number) {
  const answers = [...said.get(name).values()];
  const counts = Object.entries(SIGNS).map(([what, sign]) => [answers.filter((each) => each === what).length, sign]);
  const text = counts.filter(([many]) => many).map(([many, sign]) => `${many} ${sign}`).join(" ");
  const key = number < 9 ? [element("kbd", {}, String(number + 1)), " "] : [];
  return element("button", {
    type: "button", class: "chip", "aria-pressed": String(name === question()), title: `Look for ${name}`,
    onclick: () => look(name),
  }, ...key, name, " ", element("span", { class: "faint" }, text));
}

export function look(name) {
  byId("question").value = name;
  localStorage.setItem(`hypertorus-question-${title}`, name);
  changed();
}

async function learn() {
  const name = question();
  const place = byId("learnt");
  const answers = [...(said.get(name)?.values() ?? [])];
  if (!answers.includes("yes")) {
    place.textContent = name ? `Say yes to at least one “${name}”, and it is learnt at once.` : "";
    return;
  }
  try {
    const learnt = await ask("learn", { question: name });
    if (name !== question()) return;
    const by = learnt.method === "tables" ? "a table for each coordinate" : "prototypes";
    const good = learnt.skill
      ? `average precision ${learnt.skill.average_precision.toFixed(2)} on ${things} that were left out`
      : `answers for more ${things}, yes and no, will tell how good it is`;
    place.textContent = `“${name}” is learnt from ${learnt.yes} yes and ${learnt.no} no by ${by}: ${good}.`;
    place.title = learnt.compared.map((each) => `${each.way}: ${each.average_precision.toFixed(3)}`).join("\n");
  } catch (error) {
    place.textContent = error.message;
  }
}

export function begin(about) {
  title = about.title;
  things = about.kind === "sounds" ? "recordings" : about.kind;
  byId("question").addEventListener("change", () => look(question()));
  byId("who").addEventListener("change", () => localStorage.setItem("hypertorus-who", byId("who").value.trim()));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) attempt(load); });
  addEventListener("focus", () => attempt(load)); // another tab may have answered meanwhile
}
