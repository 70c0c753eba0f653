// The page: what is searched for, what is shown, and what happens on a click or a key.

import * as answers from "./answers.js";
import { ask, attempt, send } from "./api.js";
import { card, play } from "./cards.js";
import * as closer from "./closer.js";
import { byId, count, say } from "./element.js";
import * as everything from "./everything.js";
import { Grid } from "./grid.js";
import * as keys from "./keys.js";
import * as map from "./map.js";
import * as settings from "./settings.js";
import * as tabs from "./tabs.js";

const PAGE = 24; // results at first, and further ones each time
const results = new Grid(byId("results"));
const queries = new Grid(byId("query"));
const selected = new Map(); // id -> item
let about = null;
let question = null; // what is shown now

const acts = {
  play,
  like: (item) => show({ like: [item.id] }),
  closer: (item) => attempt(() => closer.open(item, show)),
  say: (item, what) => answer(item, what),
  select,
};

// Shows the answer to a question; it stays in the address, so that a reload and the way back lead to it.
async function show(wanted, { keep = true, k = PAGE } = {}) {
  await attempt(async () => {
    const path = ["seed", "named", "ids"].some((name) => name in wanted) ? "browse" : "way" in wanted ? "ask" : "search";
    tabs.open("find");
    byId("results").setAttribute("aria-busy", "true");
    const found = await ask(path, { ...wanted, k, ...(path === "browse" ? {} : { one_each: byId("one-each").checked }) });
    question = { wanted, k };
    const hash = `#${encodeURIComponent(JSON.stringify(wanted))}`;
    if (keep && location.hash !== hash) history.pushState(null, "", hash);
    draw(found, path);
  });
  byId("results").removeAttribute("aria-busy");
}

function draw(found, path) {
  byId("sentence").textContent = path === "search" ? `Nearest to ${found.sentence}` : found.sentence;
  const asked = [...found.query];
  const { wanted } = question;
  const upload = wanted.upload ?? wanted.stretch?.upload;
  if (upload !== undefined) asked.push({ upload, name: uploads.get(upload) ?? "your file" });
  queries.show(asked.slice(0, 12).map((item) => card(item, { kind: about.kind, acts, small: true })));
  for (const each of queries.cards) mark(each);
  const before = results.cards.length;
  const made = found.results.map((item) => card(item, { kind: about.kind, acts }));
  results.show(made);
  for (const each of made) mark(each);
  byId("more").hidden = "seed" in wanted || "ids" in wanted || found.results.length < question.k;
  if (!found.results.length && path !== "ask") byId("sentence").textContent += ": nothing found";
  if (question.k > PAGE) return results.focus(made[Math.min(before, made.length - 1)]);
  byId("asked").scrollIntoView({ block: "nearest" });
  if (document.activeElement === document.body || !document.activeElement?.closest("form")) results.focus();
  return undefined;
}

function mark(made) {
  const said = answers.answerTo(made.item.id);
  made.querySelector(".said").textContent = answers.sentence(made.item.id);
  for (const what of Object.keys(answers.SIGNS)) made.classList.toggle(`said-${what}`, said === what);
  for (const button of made.querySelectorAll("[data-answer]")) {
    button.setAttribute("aria-pressed", String(button.dataset.answer === said));
  }
  const on = selected.has(made.item.id);
  made.classList.toggle("selected", on);
  made.querySelector("button.select")?.setAttribute("aria-pressed", String(on));
}

function select(item) {
  if (!selected.delete(item.id)) selected.set(item.id, item);
  for (const made of results.cards) mark(made);
  byId("selection").hidden = !selected.size;
  byId("mean").textContent = `Search for the mean of ${count(selected.size, "selected result")}`;
}

function selectNone() {
  selected.clear();
  byId("selection").hidden = true;
  for (const made of results.cards) mark(made);
  results.focus();
}

const unwritten = new Set(); // ids whose answers are on their way to the disk

// Goes on to the next result that has no answer, and writes this one; the card shows it once it is on disk.
async function answer(item, what, name = answers.question()) {
  const way = question?.wanted.way ?? "search";
  const made = results.current?.item.id === item.id && name ? results.current : null;
  unwritten.add(item.id);
  if (made) results.next((each) => !unwritten.has(each.item.id) && !answers.answerTo(each.item.id, name));
  const done = await answers.answer([item.id], what, { name, way });
  unwritten.delete(item.id);
  if (!done) {
    if (made?.isConnected) results.focus(made);
    return;
  }
  say(`${answers.SIGNS[what]} ${name}`);
  if (results.cards.every((each) => answers.answerTo(each.item.id))) say("All of these are answered; press a to be asked about more.");
}

async function undo() {
  const id = await answers.undo();
  const made = results.cards.find((each) => each.item.id === id);
  if (made) results.focus(made);
}

// Asks in the way that is chosen; a sample and a band of scores that are being answered go on.
function askOn() {
  return question?.wanted.way === "band" ? show({ ...question.wanted, question: answers.question() }) : askMe();
}

function askMe({ way = byId("way").value, ...more } = {}) {
  const name = answers.question();
  if (!name) {
    byId("question").focus();
    return say("Name what you are looking for first.");
  }
  if (way !== "band") byId("way").value = way;
  return show({ way, question: name, ...more });
}

function searchMean() {
  if (!selected.size) return say("Select results with x first.");
  return show({ like: [...selected.keys()] });
}

const handful = () => show({ seed: Math.floor(Math.random() * 2 ** 31) });
const uploads = new Map(); // number -> name

async function searchFile(file) {
  await attempt(async () => {
    if (!about.drop.some((suffix) => file.name.toLowerCase().endsWith(suffix))) {
      const kinds = about.drop.length ? `Drop one of ${about.drop.join(", ")}.` : "This index is not searched by files.";
      throw new Error(`${file.name} is not a file that this index is searched by. ${kinds}`);
    }
    if (file.size > about.largest) throw new Error(`${file.name} is larger than ${Math.round(about.largest / 2 ** 20)} MB; cut it.`);
    say(`${about.kind === "sounds" ? "Listening to" : "Looking at"} ${file.name} …`);
    const { upload, name } = await send("upload", file);
    uploads.set(upload, name);
    await show({ upload });
    say(`These are nearest to ${name}.`);
  });
}

function dropping() {
  let depth = 0;
  const cover = byId("drop");
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => { if (hasFiles(event)) { depth += 1; cover.hidden = false; } });
  addEventListener("dragleave", (event) => { if (hasFiles(event)) { depth -= 1; cover.hidden = depth <= 0; } });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    cover.hidden = true;
    const file = event.dataTransfer.files[0];
    if (file) searchFile(file);
  });
  byId("file").addEventListener("change", () => {
    const file = byId("file").files[0];
    if (file) searchFile(file);
    byId("file").value = "";
  });
}

function searching() {
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("search-text").value.trim();
    if (text) show(about.texts ? { text } : { named: text });
  });
  byId("handful").addEventListener("click", handful);
  byId("mean").addEventListener("click", searchMean);
  byId("none").addEventListener("click", selectNone);
  byId("more").addEventListener("click", () => show(question.wanted, { keep: false, k: question.k + PAGE }));
  byId("one-each").addEventListener("change", () => question && show(question.wanted, { keep: false }));
  byId("ask").addEventListener("click", () => askMe());
  byId("undo").addEventListener("click", undo);
  byId("question").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    answers.look(answers.question());
    results.focus();
  });
  byId("help-button").addEventListener("click", () => byId("help").showModal());
}

function introduce() {
  const { kind } = about;
  document.title = `${about.title} · hypertorus`;
  byId("title").textContent = about.title;
  const of = kind === "sounds" ? `windows of ${count(about.recordings, "recording")}, ${about.hours.toFixed(1)} hours` : kind;
  byId("about").textContent = `${about.count.toLocaleString("en")} ${of}`;
  byId("search-text").placeholder = about.texts ? "Describe what you are looking for" : "Part of a name";
  byId("sound-settings").hidden = kind !== "sounds";
  byId("one-each-label").hidden = kind !== "sounds" && !about.grouped;
  if (kind !== "sounds") byId("one-each-label").querySelector("span").textContent = "One per group";
  byId("choose").hidden = !about.drop.length;
  byId("file").accept = about.drop.join(",");
  byId("chance").textContent = `Random codes have ${about.chance.toFixed(2)}.`;
  keys.list((what) => what !== "sounds" || kind === "sounds");
}

function fromAddress() {
  try {
    return location.hash.length > 1 ? JSON.parse(decodeURIComponent(location.hash.slice(1))) : null;
  } catch {
    return null;
  }
}

// Keys act on the card of the query that has the focus, and else on the current result.
const focused = () => document.activeElement?.closest("#query .card") ?? results.current;
const onCurrent = (act) => () => {
  const made = tabs.current() === "find" ? focused() : null;
  if (made) act(made.item, made);
};
const onKnown = (act) => onCurrent((item) => { if (item.id !== undefined) act(item); }); // a dropped file has no id

async function begin() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash); // the token is in the cookie now
  about = await ask("about");
  introduce();
  settings.begin();
  closer.begin();
  searching();
  dropping();
  tabs.begin();
  answers.begin(about);
  everything.begin(about.kind, askMe);
  map.begin(show);
  tabs.onOpen("everything", everything.reopened);
  tabs.onOpen("map", map.open);
  answers.onChange(() => [...queries.cards, ...results.cards].forEach(mark));
  await answers.load();
  const arrow = (key) => results.move(key);
  const onFind = (act) => (key) => { if (tabs.current() === "find") act(key); };
  const says = (what) => onKnown((item) => answer(item, what));
  keys.begin({
    ...Object.fromEntries(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].map((key) => [key, onFind(arrow)])),
    " ": onCurrent((item) => about.kind === "sounds" && play(item)),
    Enter: onKnown(acts.like),
    x: onKnown(select),
    l: onCurrent((item) => about.kind === "sounds" && acts.closer(item)),
    y: says("yes"),
    n: says("no"),
    u: says("unsure"),
    digit: (key) => onKnown((item) => {
      const name = answers.classes()[Number(key) - 1];
      if (name) answer(item, "yes", name);
    })(),
    z: undo,
    a: askOn,
    c: () => byId("question").select(),
    m: searchMean,
    r: handful,
    "/": () => byId("search-text").focus(),
    "?": () => byId("help").showModal(),
  });
  addEventListener("popstate", () => { const wanted = fromAddress(); if (wanted) show(wanted, { keep: false }); });
  await show(fromAddress() ?? { seed: 0 }, { keep: false });
  document.documentElement.dataset.ready = "true";
}

attempt(begin);
