// The bar that names the history, and the list of what is wrong with it.

function mountHeader(model, go) {
  const summary = model.get("_summary");
  const root = element("div", "sk-header");
  const bar = element("div", "sk-bar");
  const thread = element("b", "sk-thread", summary.thread);
  thread.title = summary.thread;
  bar.append(thread, element("span", "sk-muted", summary.facts));
  root.append(bar);
  if (summary.problem_count) {
    const list = problemList(summary, go);
    const noun = summary.problem_count === 1 ? "problem" : "problems";
    const chip = button("sk-chip", `✕ ${grouped(summary.problem_count)} ${noun}`, "Show what is wrong", () => {
      list.hidden = !list.hidden;
      chip.setAttribute("aria-expanded", !list.hidden);
    });
    chip.setAttribute("aria-expanded", false);
    chip.removeAttribute("aria-label");
    bar.append(element("span", "sk-space"), chip);
    root.append(list);
  }
  return root;
}

function problemList(summary, go) {
  const list = element("ul", "sk-problems");
  list.hidden = true;
  for (const { position, sentence } of summary.problems) {
    const item = element("li");
    item.append(`${sentence} `, jump(`go to ${grouped(position)}`, position, go));
    list.append(item);
  }
  const left = summary.problem_count - summary.problems.length;
  if (left > 0) list.append(element("li", "sk-muted", `… ${grouped(left)} more`));
  return list;
}

function jump(text, position, go) {
  return button("sk-link", text, `Go to position ${position}`, () => go(position));
}
