// A grid of cards that is walked with the arrow keys: one card at a time can be focused, and its buttons with it.

export class Grid {
  constructor(list) {
    this.list = list;
    list.addEventListener("focusin", (event) => {
      const card = event.target.closest(".card");
      if (card) this.makeCurrent(card);
    });
    list.addEventListener("click", (event) => {
      const card = event.target.closest(".card");
      if (card && event.target.tagName !== "BUTTON") card.focus();
    });
  }

  get cards() {
    return [...this.list.querySelectorAll(".card")];
  }

  get current() {
    return this.list.querySelector(".card.current");
  }

  show(cards) {
    this.list.replaceChildren(...cards);
    if (cards.length) this.makeCurrent(cards[0]);
  }

  add(cards) {
    this.list.append(...cards);
  }

  makeCurrent(card) {
    for (const other of this.list.querySelectorAll(".card.current")) this.#reach(other, false);
    this.#reach(card, true);
  }

  #reach(card, on) {
    card.classList.toggle("current", on);
    for (const each of [card, ...card.querySelectorAll("button")]) each.tabIndex = on ? 0 : -1;
  }

  focus(card = this.current) {
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }

  // Moves by whole cards, and up and down by as many as there are in a row.
  move(key) {
    const cards = this.cards;
    const place = Math.max(0, cards.indexOf(this.current));
    const top = cards[0]?.offsetTop;
    const beside = cards.findIndex((card) => card.offsetTop !== top);
    const columns = beside < 1 ? cards.length : beside;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
    const there = { Home: 0, End: cards.length - 1 }[key] ?? place + step;
    if (cards[there]) this.focus(cards[there]);
    else this.focus(cards[place]);
  }

  // Goes on to the next card for which this is true, or else to the next one.
  next(wanted) {
    const cards = this.cards;
    const later = cards.slice(cards.indexOf(this.current) + 1);
    const card = later.find(wanted) ?? later[0];
    if (card) this.focus(card);
  }
}
