// Questions to the program behind the page. What it refuses, it refuses in a sentence, which is shown.

import { say } from "./element.js";

export async function ask(path, question) {
  const options = question === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
  };
  return read(await fetched(`/api/${path}`, options));
}

export async function send(path, file) {
  const name = encodeURIComponent(file.name);
  const mark = path.includes("?") ? "&" : "?";
  const options = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
  return read(await fetched(`/api/${path}${mark}name=${name}`, options));
}

export async function bytes(address) {
  const response = await fetched(address);
  if (!response.ok) await read(response);
  return response;
}

async function fetched(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Error("The program behind this page does not answer; start it again, and open the address it prints.");
  }
}

async function read(response) {
  if (response.ok) return response.json();
  const text = await response.text();
  let sentence = text;
  try {
    sentence = JSON.parse(text).error;
  } catch { /* a refusal at the door is plain text */ }
  throw new Error(sentence);
}

// Runs what a person asked for; what goes wrong is said on the page instead of in a console that nobody reads.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message, { problem: true });
    return undefined;
  }
}
