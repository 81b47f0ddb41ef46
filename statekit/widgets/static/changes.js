// What the transition at the position did, cell by cell.

const SIGN_NAMES = { "+": "added", "−": "removed", "~": "changed" };

function mountChanges(views) {
  const root = element("div", "sk-changes");
  root.tabIndex = 0;
  root.setAttribute("role", "region");
  root.setAttribute("aria-label", "Changes of the transition");
  const heading = element("div", "sk-title");
  heading.setAttribute("aria-live", "polite");
  const title = element("b");
  const facts = element("span", "sk-muted");
  heading.append(title, facts);
  const body = element("div");
  root.append(heading, body);
  views.watch(({ transition: view }) => {
    setText(title, view.title);
    setText(facts, view.facts ? ` · ${view.facts}` : "");
    setTitle(heading, view.facts);
    body.replaceChildren(...view.problems.map((sentence) => element("div", "sk-problem", `✕ ${sentence}`)));
    body.append(...view.cells.map(changedCell));
    if (view.empty) body.append(element("div", "sk-empty", view.empty));
    if (view.more) body.append(element("div", "sk-empty", view.more));
    root.scrollTop = 0;
  });
  return root;
}

function changedCell(cell) {
  const root = element("div", "sk-cell");
  const head = element("div", "sk-cell-head");
  head.append(signed(cell.sign), element("span", "sk-key", cell.key));
  head.append(element("span", "sk-tag", `${cell.scope} · ${cell.policy}`));
  if (cell.note) head.append(element("span", "sk-tag sk-note", cell.note));
  const lines = element("div", "sk-lines");
  for (const write of cell.writes) lines.append(...writeLine(write));
  for (const difference of cell.differences) lines.append(...differenceLine(difference));
  root.append(head, lines);
  if (cell.more) root.append(element("div", "sk-tag sk-more", cell.more));
  return root;
}

function signed(sign) {
  const node = element("span", `sk-sign${sign ? ` sk-${SIGN_NAMES[sign]}` : ""}`, sign);
  if (sign) node.title = SIGN_NAMES[sign];
  return node;
}

function writeLine({ number, verb, value, overwritten }) {
  const kind = overwritten ? "s" : "span";
  const shown = element(kind, "sk-value", value);
  const said = element("span", "sk-path sk-muted", verb);
  if (overwritten) shown.title = "overwritten by a later write of this transition";
  return [element("span", "sk-sign sk-muted", String(number)), said, shown];
}

function differenceLine({ sign, path, before, after }) {
  const values = element("span", "sk-value");
  if (before !== "") values.append(element("span", "sk-before", before));
  if (before !== "" && after !== "") values.append(element("span", "sk-arrow", " → "));
  if (after !== "") values.append(element("span", "sk-after", after));
  if (path === "") values.classList.add("sk-whole");
  return path === "" ? [signed(sign), values] : [signed(sign), element("span", "sk-path", path), values];
}
