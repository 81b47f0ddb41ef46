// The table of transitions. Row 0 is the start, so the index of a row is its position.

const ROW_HEIGHT = 24;
let tables = 0;

function tableColumns(summary) {
  const columns = [
    { name: "#", kind: "number-cell", width: `${String(grouped(summary.length)).length + 1}ch` },
    { name: "run", kind: "run", width: `${within(summary.run_width, 4, 14) + 1}ch` },
    { name: "state", kind: "phase", width: `min(${within(summary.state_width, 8, 30) * 0.56 + 0.5}em, 26cqi)` },
    { name: "cmds", kind: "number-cell", width: "5.2ch" },
    { name: "cells", kind: "cells", width: "minmax(0, 1fr)" },
  ];
  if (summary.days) columns.push({ name: "time", kind: "time", ...timeColumn(summary) });
  if (summary.problem_count) columns.push({ name: "flags", kind: "flags", width: "min(11em, 17cqi)" });
  return columns;
}

// Within one day the time of day says it all; the title has the whole.
function timeColumn(summary) {
  return summary.days > 1 ? { from: 0, width: "20ch" } : { from: 11, width: "9ch" };
}

function within(number, least, most) {
  return Math.min(Math.max(number, least), most);
}

function mountTable(model, select) {
  const summary = model.get("_summary");
  const columns = tableColumns(summary);
  const prefix = `sk-table-${(tables += 1)}`;
  const root = makeGrid(columns, summary.length);
  const rows = new RowWindow({
    scroller: root,
    height: ROW_HEIGHT,
    headHeight: 28,
    make: () => makeRow(columns),
    fill: (node, index, row) => fillRow(node, index, row, columns, index === model.get("position"), prefix),
    ask: (start, stop) => model.send({ kind: "rows", start, stop }),
    resized: () => rows.reveal(model.get("position")),
  });
  rows.canvas.addEventListener("click", (event) => {
    const row = event.target.closest(".sk-row");
    if (row) select(Number(row.dataset.position));
  });
  const follow = () => {
    rows.reveal(model.get("position"));
    rows.refresh();
    root.setAttribute("aria-activedescendant", `${prefix}-${model.get("position")}`);
  };
  const receive = (message) => {
    if (message.kind === "rows" && message.rows.length) rows.put(message.rows[0].position, message.rows);
  };
  model.on("change:position", follow);
  model.on("msg:custom", receive);
  rows.reset(summary.length + 1, 0, model.get("_first_rows"));
  follow();
  return {
    root,
    dispose() {
      model.off("change:position", follow);
      model.off("msg:custom", receive);
      rows.dispose();
    },
  };
}

function makeGrid(columns, length) {
  const root = element("div", "sk-table");
  root.style.setProperty("--sk-columns", columns.map((column) => column.width).join(" "));
  root.tabIndex = 0;
  root.setAttribute("role", "grid");
  root.setAttribute("aria-label", "Transitions");
  root.setAttribute("aria-rowcount", length + 2);
  const head = element("div", "sk-head");
  head.setAttribute("role", "row");
  for (const { name, kind } of columns) {
    const cell = element("span", `sk-${kind}`, name);
    cell.setAttribute("role", "columnheader");
    head.append(cell);
  }
  root.append(head);
  return root;
}

function makeRow(columns) {
  const node = element("div", "sk-row");
  node.setAttribute("role", "row");
  for (const { kind } of columns) {
    const cell = element("span", `sk-${kind}`);
    cell.setAttribute("role", "gridcell");
    node.append(cell);
  }
  return node;
}

function fillRow(node, index, row, columns, selected, prefix) {
  node.id = `${prefix}-${index}`;
  node.dataset.position = index;
  node.setAttribute("aria-rowindex", index + 2);
  node.setAttribute("aria-selected", selected);
  node.className = `sk-row${selected ? " sk-at" : ""}${row?.starts_run ? " sk-newrun" : ""}${row ? "" : " sk-unknown"}`;
  columns.forEach((column, place) => fillCell(node.children[place], column, index, row));
}

function fillCell(cell, { name, from }, index, row) {
  const [text, title] = row ? cellText(name, row, from) : [name === "#" ? grouped(index) : "", ""];
  setText(cell, text);
  setTitle(cell, title);
  if (name === "state") cell.className = `sk-phase sk-phase-${(row?.phase || "start").toLowerCase()}`;
}

function cellText(name, row, from) {
  switch (name) {
    case "#":
      return [grouped(row.position), ""];
    case "run":
      return [row.run, row.run];
    case "state":
      return [row.state, row.state];
    case "cmds":
      return [row.commands ? grouped(row.commands) : "", ""];
    case "cells":
      return [row.cells || (row.position ? "–" : ""), row.cells];
    case "time":
      return [row.time.slice(from, 19), row.time];
    default:
      return [
        row.flags.map((flag) => `✕ ${flag.word}`).join(" "),
        row.flags.map((flag) => flag.sentence).join("\n"),
      ];
  }
}
