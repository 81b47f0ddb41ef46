// The bar that moves the position: buttons, play, the number box, the track and the choice of the run.

function mountControls(model, go) {
  const summary = model.get("_summary");
  const length = summary.length;
  const bar = element("div", "sk-bar sk-controls");
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Stepping");
  const at = () => model.get("position");
  const first = button("sk-icon", "|◀", "First: before any transition (Home)", () => go(0));
  const back = button("sk-icon", "◀", "Back (Left)", () => go(at() - 1));
  const forward = button("sk-icon", "▶", "Forward (Right)", () => go(at() + 1));
  const last = button("sk-icon", "▶|", "Last (End)", () => go(length));
  const play = button("sk-play", "Play", "Play (Space)", () => togglePlaying(model, go));
  const speed = choice(
    "Speed, in transitions a second",
    model.get("_speeds").map((value) => ({ value, text: `${value}×` })),
    (value) => save(model, "speed", Number(value)),
  );
  const box = numberBox(model, go);
  const track = mountTrack(model, go);
  const run = choice("View of a run", runOptions(summary), (value) => save(model, "run", value.slice(1) || null));
  const total = element("span", "sk-total", `/ ${grouped(length)}`);
  bar.append(group(first, back, forward, last), group(play, speed), group(box.root, total), track.root, run);
  const show = () => {
    for (const node of [first, back]) setDisabled(node, at() === 0);
    for (const node of [forward, last]) setDisabled(node, at() === length);
    setDisabled(play, length === 0);
    setText(play, model.get("playing") ? "Pause" : "Play");
    named(play, model.get("playing") ? "Pause (Space)" : "Play (Space)");
    speed.value = model.get("speed");
    run.value = `=${model.get("run") ?? ""}`;
  };
  const names = ["position", "playing", "speed", "run"];
  for (const name of names) model.on(`change:${name}`, show);
  show();
  return {
    root: bar,
    dispose() {
      for (const name of names) model.off(`change:${name}`, show);
      box.dispose();
      track.dispose();
    },
  };
}

function group(...nodes) {
  const root = element("span", "sk-group");
  root.append(...nodes);
  return root;
}

function save(model, name, value) {
  model.set(name, value);
  model.save_changes();
}

// The run's id follows a sign, so that no id can be taken for the whole history.
function runOptions(summary) {
  const options = [{ value: "=", text: "whole history" }];
  for (const { id, label } of summary.runs) options.push({ value: `=${id}`, text: `view of ${label}` });
  const left = summary.run_count - summary.runs.length;
  if (left > 0) options.push({ value: "", text: `… ${grouped(left)} more`, disabled: true });
  return options;
}

function numberBox(model, go) {
  const root = named(element("input", "sk-number"), "Position: type a number, then Enter");
  Object.assign(root, { type: "text", inputMode: "numeric", autocomplete: "off", spellcheck: false });
  root.style.width = `${Math.max(3, String(model.get("_summary").length).length) + 1}ch`;
  const show = () => {
    root.value = model.get("position");
  };
  const commit = () => {
    const typed = root.value.replaceAll(",", "").trim();
    if (/^[0-9]+$/.test(typed)) go(Number(typed));
    show();
    root.select();
  };
  root.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") {
      show();
      root.select();
    }
  });
  root.addEventListener("focus", () => root.select());
  root.addEventListener("blur", show);
  model.on("change:position", show);
  show();
  return { root, dispose: () => model.off("change:position", show) };
}

function togglePlaying(model, go) {
  if (!model.get("_summary").length) return;
  const starts = !model.get("playing");
  if (starts && model.get("position") === model.get("_summary").length) go(0);
  save(model, "playing", starts);
}

// Every view plays: the first to move the position makes the others wait again, so two views are no faster than one.
function mountPlayer(model, views, go) {
  let timer = 0;
  const step = () => {
    if (views.settled) go(model.get("position") + 1);
    else timer = setTimeout(step, 20);
  };
  const arm = () => {
    clearTimeout(timer);
    if (!model.get("playing")) return;
    if (model.get("position") >= model.get("_summary").length) save(model, "playing", false);
    else timer = setTimeout(step, 1000 / model.get("speed"));
  };
  const names = ["position", "playing", "speed"];
  for (const name of names) model.on(`change:${name}`, arm);
  arm();
  return {
    dispose() {
      clearTimeout(timer);
      for (const name of names) model.off(`change:${name}`, arm);
    },
  };
}
