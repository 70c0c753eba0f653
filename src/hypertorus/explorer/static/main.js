// The page: what is searched for, what is shown, and what happens on a click or a key.

import { ask, attempt, send } from "./api.js";
import { card, play } from "./cards.js";
import * as closer from "./closer.js";
import { byId, count, say } from "./element.js";
import { Grid } from "./grid.js";
import * as keys from "./keys.js";
import * as settings from "./settings.js";

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
  select,
};

// Shows the answer to a question; it stays in the address, so that a reload and the way back lead to it.
async function show(wanted, { keep = true, k = PAGE } = {}) {
  await attempt(async () => {
    const browsing = "seed" in wanted || "named" in wanted;
    const path = browsing ? "browse" : "search";
    byId("results").setAttribute("aria-busy", "true");
    const found = await ask(path, { ...wanted, k, ...(browsing ? {} : { one_each: byId("one-each").checked }) });
    question = { wanted, k };
    const hash = `#${encodeURIComponent(JSON.stringify(wanted))}`;
    if (keep && location.hash !== hash) history.pushState(null, "", hash);
    draw(found, browsing);
  });
  byId("results").removeAttribute("aria-busy");
}

function draw(found, browsing) {
  byId("sentence").textContent = browsing ? found.sentence : `Nearest to ${found.sentence}`;
  const asked = [...found.query];
  const { wanted } = question;
  const upload = wanted.upload ?? wanted.stretch?.upload;
  if (upload !== undefined) asked.push({ upload, name: uploads.get(upload) ?? "your file" });
  queries.show(asked.slice(0, 12).map((item) => card(item, { kind: about.kind, acts, small: true })));
  const before = results.cards.length;
  const made = found.results.map((item) => card(item, { kind: about.kind, acts }));
  results.show(made);
  for (const each of made) mark(each);
  byId("more").hidden = "seed" in wanted || found.results.length < question.k;
  if (!found.results.length) byId("sentence").textContent += ": nothing found";
  if (question.k > PAGE) results.focus(made[Math.min(before, made.length - 1)]);
  else if (document.activeElement === document.body || !document.activeElement?.closest("form")) results.focus();
}

function mark(made) {
  const on = selected.has(made.item.id);
  made.classList.toggle("selected", on);
  made.querySelector("button.select")?.setAttribute("aria-pressed", String(on));
}

function select(item) {
  if (!selected.delete(item.id)) selected.set(item.id, item);
  for (const made of results.cards) mark(made);
  const button = byId("mean");
  button.hidden = !selected.size;
  button.textContent = `Search for the mean of ${count(selected.size, "selected result")}`;
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
    say(`Listening to ${file.name} …`);
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
  byId("more").addEventListener("click", () => show(question.wanted, { keep: false, k: question.k + PAGE }));
  byId("one-each").addEventListener("change", () => question && show(question.wanted, { keep: false }));
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
  byId("choose").hidden = !about.drop.length;
  byId("file").accept = about.drop.join(",");
  byId("chance").textContent = `Random codes have ${about.chance.toFixed(2)}.`;
  keys.list((what) => (what === "sounds" ? kind === "sounds" : false));
}

function fromAddress() {
  try {
    return location.hash.length > 1 ? JSON.parse(decodeURIComponent(location.hash.slice(1))) : null;
  } catch {
    return null;
  }
}

const onCurrent = (act) => () => { if (results.current) act(results.current.item, results.current); };

async function begin() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash); // the token is in the cookie now
  about = await ask("about");
  introduce();
  settings.begin();
  closer.begin();
  searching();
  dropping();
  const arrow = (key) => results.move(key);
  keys.begin({
    ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow, Home: arrow, End: arrow,
    " ": onCurrent((item) => about.kind === "sounds" && play(item)),
    Enter: onCurrent(acts.like),
    x: onCurrent(select),
    l: onCurrent((item) => about.kind === "sounds" && acts.closer(item)),
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
