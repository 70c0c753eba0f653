// A class run on everything: scores, a threshold with its estimates, counts, and what is taken away and brought in.

import { ask, attempt, bytes, send } from "./api.js";
import * as answers from "./answers.js";
import { byId, count, element, say } from "./element.js";
import { bars, histogram } from "./plots.js";

const FORMS = {
  sounds: { raven: "Raven tables", audacity: "Audacity labels", birdnet: "BirdNET CSV", parquet: "Parquet", clips: "Clips", model: "Model" },
  images: { names: "Table of names", images: "Images", model: "Model" },
  texts: { names: "Table", model: "Model" },
};
let threshold = null;
let shown = null; // what was run last
let pending = null;
let askAbout = null;

const percent = (share) => `${Math.round(100 * share)} %`;
const score = (share) => (share === 1 ? "1" : share.toFixed(share > 0.01 && share < 0.99 ? 2 : 4));
const between = ({ value, low, high }) => `${percent(value)} (${percent(low)} to ${percent(high)})`;

async function run() {
  await attempt(async () => {
    const name = answers.question();
    if (!name) throw new Error("Name what you are looking for first, and say yes to some.");
    shown = await ask("run", { question: name });
    byId("scores").hidden = false;
    byId("scores-title").textContent = `“${name}” in ${count(shown.count, "item")}`;
    byId("run-note").textContent = `Learnt and scored in ${shown.seconds < 0.1 ? "less than 0.1" : shown.seconds.toFixed(1)} s.`;
    byId("sampled").textContent = shown.to_ask
      ? `${count(shown.to_ask, "answer")} to go for an estimate with a sample of each band.`
      : "Every band is sampled. Ask for more, and the estimate gets narrower.";
    bands();
    histogram(byId("histogram"), shown, (score, ended) => {
      threshold = score;
      clearTimeout(pending);
      pending = setTimeout(estimate, ended ? 0 : 120);
    });
  });
}

function bands() {
  const head = element("tr", {}, ...["Scores", "Items", "Sampled", "Of these yes", ""].map((name) => element("th", { scope: "col" }, name)));
  const rows = shown.bands.map((band, number) => element("tr", {},
    element("td", {}, `${score(band.share)} to ${score(shown.bands[number + 1]?.share ?? 1)}`),
    element("td", {}, band.items.toLocaleString("en")),
    element("td", {}, String(band.sampled)),
    element("td", {}, String(band.sampled_yes)),
    element("td", {}, element("button", {
      type: "button", "aria-label": `Ask about scores from ${score(band.share)}`,
      onclick: () => askAbout({ way: "band", low: band.low, high: band.high }),
    }, "Ask")),
  ));
  byId("bands").replaceChildren(head, ...rows.reverse());
}

async function estimate() {
  await attempt(async () => {
    const found = await ask("threshold", { question: shown.question, threshold });
    const answered = found.found === found.above ? "" : `; with your answers, ${found.found.toLocaleString("en")} are taken`;
    const base = `From a score of ${found.share.toFixed(2)} on: ${count(found.above, "item")}${answered}.`;
    byId("found").textContent = found.sampled && found.precision
      ? `${base} Of those above, about ${between(found.precision)} are “${shown.question}”, and about ${between(found.recall)} of all are among them, by ${count(found.sampled, "random answer")}.`
      : `${base} How many of them are “${shown.question}” is not known before some of a random sample are answered.`;
    bars(byId("sites"), "By site", found.sites);
    bars(byId("days"), "By day", found.days, 366);
    bars(byId("hours"), "By hour", found.hours);
  });
}

async function take(form) {
  await attempt(async () => {
    const what = byId("what").value;
    if (what === "found" && threshold === null) throw new Error("Run on everything first, and set the threshold.");
    const windows = byId("single").checked ? "single" : "events";
    const values = new URLSearchParams({ question: answers.question(), form, what, windows, ...(threshold === null ? {} : { threshold }) });
    say("Writing …");
    const response = await bytes(`/api/take?${values}`);
    const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition"))?.[1] ?? form;
    const url = URL.createObjectURL(await response.blob());
    element("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    say(`${name} is in your downloads.`);
  });
}

async function bring(file) {
  await attempt(async () => {
    const found = await send(`bring?who=${encodeURIComponent(answers.who() ?? "")}`, file);
    await answers.load();
    const unknown = found.unknown ? ` ${count(found.unknown, "name")} of the table are not in this index, such as ${found.example}.` : "";
    say(`${count(found.annotations, "label")} brought in: ${count(found.answered, "new answer")} for ${found.classes.join(", ") || "nothing"}.${unknown}`);
  });
}

export function begin(kind, onAsk) {
  askAbout = onAsk;
  byId("run").addEventListener("click", run);
  byId("sample").addEventListener("click", () => askAbout({ way: "sample" }));
  byId("single-label").hidden = kind !== "sounds";
  if (kind !== "sounds") {
    byId("table").accept = ".csv";
    byId("table-note").textContent = "A .csv with the columns name and label. What it names becomes a yes.";
  }
  byId("forms").replaceChildren(...Object.entries(FORMS[kind]).map(([form, name]) =>
    element("button", { type: "button", id: `take-${form}`, onclick: () => take(form) }, name)));
  byId("table").addEventListener("change", () => {
    const file = byId("table").files[0];
    if (file) bring(file);
    byId("table").value = "";
  });
}

export function reopened() {
  const name = answers.question();
  byId("taking").textContent = name ? `“${name}”` : "Name what you are looking for under Find first.";
  if (shown && shown.question === name) run();
}
