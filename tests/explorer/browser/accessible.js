// What axe-core would say first: names of controls, alternatives of pictures, contrast of text, ids, headings.
() => {
  const problems = [];
  const visible = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const describe = (element) => `<${element.tagName.toLowerCase()} id="${element.id}" class="${element.className}">`;
  const name = (element) => {
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "");
    return [element.getAttribute("aria-label"), ...by, element.getAttribute("alt"), element.title, element.placeholder,
      ...[...(element.labels ?? [])].map((label) => label.textContent), element.tagName === "INPUT" || element.tagName === "SELECT" ? "" : element.textContent]
      .join("").trim();
  };
  for (const element of document.querySelectorAll("button, a, input, select, textarea, [role=tab], [role=slider], [tabindex], dialog[open], canvas, img, [role=img]")) {
    if (visible(element) && !name(element)) problems.push(`no name: ${describe(element)}`);
  }
  for (const element of document.querySelectorAll("canvas")) {
    if (visible(element) && element.getAttribute("role") !== "img") problems.push(`no role: ${describe(element)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((each, place) => ids.indexOf(each) !== place))) problems.push(`id twice: ${id}`);
  for (const element of document.querySelectorAll("[aria-controls], [aria-labelledby]")) {
    for (const id of `${element.getAttribute("aria-controls") ?? ""} ${element.getAttribute("aria-labelledby") ?? ""}`.trim().split(/\s+/)) {
      if (!document.getElementById(id)) problems.push(`no element ${id} for ${describe(element)}`);
    }
  }
  if (document.querySelectorAll("h1").length !== 1) problems.push("not one h1");
  if (!document.documentElement.lang) problems.push("no language");
  const parse = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const over = (top, below) => ({ rgb: top.rgb.map((part, at) => part * top.alpha + below.rgb[at] * (1 - top.alpha)), alpha: 1 });
  const background = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((below, top) => over(top, below), { rgb: [255, 255, 255], alpha: 1 });
  };
  const luminance = ({ rgb }) => {
    const [red, green, blue] = rgb.map((part) => { const share = part / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !visible(element) || element.closest(":disabled, .unseen, option, datalist, .skip, #status")) continue;
    const style = getComputedStyle(element);
    const below = background(element);
    const [one, other] = [luminance(over(parse(style.color), below)), luminance(below)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 600);
    if (ratio < (large ? 3 : 4.5)) problems.push(`contrast ${ratio.toFixed(2)}: ${describe(element)} ${node.textContent.trim().slice(0, 30)}`);
  }
  return [...new Set(problems)];
}
