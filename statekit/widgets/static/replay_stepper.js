// ReplayStepper: header, controls, table, changes and state, all following one position.

function renderStepper({ model, el }) {
  const move = (position) => go(model, position);
  const root = element("div", "sk-root sk-stepper");
  root.tabIndex = -1;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", `Stepper of ${model.get("_summary").thread}`);
  const controls = mountControls(model, move);
  const table = mountTable(model, move);
  const views = new Views(model);
  const changes = mountChanges(views);
  const state = mountState(model, views, move);
  const player = mountPlayer(model, views, move);
  const columns = element("div", `sk-columns${model.get("_summary").length ? "" : " sk-nothing"}`);
  const right = element("div", "sk-right");
  right.append(changes, state.root);
  views.waiting = (waits) => right.classList.toggle("sk-waiting", waits);
  columns.append(table.root, right);
  const frame = element("div", "sk-frame");
  frame.append(mountHeader(model, move), controls.root, columns);
  root.append(frame);
  listenToKeys(root, { ...moves(model), " ": () => togglePlaying(model, move) });
  el.append(root);
  return () => {
    for (const part of [controls, table, state, player, views]) part.dispose();
    root.remove();
  };
}

export default { render: renderStepper };
