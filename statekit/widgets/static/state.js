// The cells of the state after the position, only those in view in the page.

const STATE_HEIGHT = 26;

function mountState(model, views, go) {
  const root = element("div", "sk-state");
  const heading = element("div", "sk-title sk-state-title");
  const title = element("b");
  const count = element("span", "sk-muted");
  heading.append(title, count);
  const scroller = element("div", "sk-cells-list");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "list");
  scroller.setAttribute("aria-label", "Cells of the state");
  scroller.style.setProperty("--sk-by", `${grouped(model.get("_summary").length).length + 3}ch`);
  root.append(heading, scroller);
  const rows = new RowWindow({
    scroller,
    height: STATE_HEIGHT,
    make: () => makeStateRow(go),
    fill: fillStateRow,
    ask(start, stop) {
      const { position, run } = views.shown;
      model.send({ kind: "state", position, run, start, stop });
    },
  });
  views.watch(({ position, run_label: run, state }) => {
    setText(title, position ? `State after ${grouped(position)}` : "State at the start");
    const cells = `${grouped(state.total)} ${state.total === 1 ? "cell" : "cells"}`;
    setText(count, ` · ${state.total ? cells : "empty"}${run && ` · view of ${run}`}`);
    rows.reset(state.total, state.start, state.rows);
  });
  const receive = (message) => {
    if (message.kind !== "state") return;
    if (message.position === views.shown.position && message.run === views.shown.run) {
      rows.put(message.start, message.rows);
    }
  };
  model.on("msg:custom", receive);
  return {
    root,
    dispose() {
      model.off("msg:custom", receive);
      rows.dispose();
    },
  };
}

function makeStateRow(go) {
  const node = element("div", "sk-state-row");
  node.setAttribute("role", "listitem");
  const name = element("span", "sk-name");
  name.append(element("span", "sk-key"), element("span", "sk-tag"));
  const link = jump("", 0, () => go(Number(link.dataset.position)));
  node.append(element("span", "sk-sign"), name, element("span", "sk-value"), link);
  return node;
}

function fillStateRow(node, index, row) {
  const [sign, name, value, link] = node.children;
  const { key = "", scope = "", value: shown = "", sign: mark = "", by = 0 } = row ?? {};
  node.className = `sk-state-row${mark ? " sk-touched" : ""}`;
  sign.className = `sk-sign${mark ? ` sk-${SIGN_NAMES[mark]}` : ""}`;
  setText(sign, mark);
  setTitle(sign, mark && SIGN_NAMES[mark]);
  setText(name.firstChild, key);
  setText(name.lastChild, scope === "Thread" ? "" : scope);
  setTitle(name, row ? `${key} (${scope})` : "");
  setText(value, shown);
  setTitle(value, shown);
  link.hidden = !by;
  link.dataset.position = by;
  setText(link, `by ${grouped(by)}`);
  named(link, `Written by transition ${by}: go there`);
}
