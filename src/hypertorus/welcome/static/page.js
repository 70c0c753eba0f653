// Another example of an exhibit.
for (const button of document.querySelectorAll("button.more")) {
  const examples = [...button.closest(".exhibit").querySelectorAll(".example")];
  let shown = 0;
  button.hidden = examples.length < 2;
  button.addEventListener("click", () => {
    examples[shown].hidden = true;
    shown = (shown + 1) % examples.length;
    examples[shown].hidden = false;
  });
}

// A picture of a sound plays it, and stops the one before.
let playing = null;
for (const button of document.querySelectorAll("button.play")) {
  const audio = button.querySelector("audio");
  const show = () => button.classList.toggle("playing", !audio.paused && !audio.ended);
  for (const event of ["play", "pause", "ended"]) audio.addEventListener(event, show);
  button.addEventListener("click", () => {
    if (!audio.paused) return audio.pause();
    if (playing) playing.pause();
    playing = audio;
    audio.currentTime = 0;
    audio.play();
  });
}

// A command is copied, also where the browser gives no clipboard to a file.
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const command = button.closest(".command").querySelector("pre");
    try {
      await navigator.clipboard.writeText(command.textContent);
    } catch {
      getSelection().selectAllChildren(command);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    document.getElementById("said").textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1600);
  });
}
