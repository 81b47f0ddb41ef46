// The slider over all positions, with the runs below it and the positions with a problem above it.

const MOST_RUN_MARKS = 80;

function mountTrack(model, go) {
  const summary = model.get("_summary");
  const last = Math.max(summary.length, 1);
  const root = element("div", "sk-track");
  const inner = element("div", "sk-track-inner");
  const fill = element("i", "sk-track-fill");
  inner.append(element("i", "sk-track-line"), fill);
  inner.append(...runMarks(summary, last), ...problemMarks(summary, last));
  const slider = named(element("input", "sk-slider"), "Position");
  Object.assign(slider, { type: "range", min: 0, max: summary.length, step: 1, disabled: !summary.length });
  slider.removeAttribute("title");
  slider.addEventListener("input", () => go(Number(slider.value)));
  root.append(inner, slider);
  const show = () => {
    const position = model.get("position");
    slider.value = position;
    slider.setAttribute("aria-valuetext", position ? `transition ${position} of ${summary.length}` : "start");
    fill.style.width = `${(position / last) * 100}%`;
  };
  model.on("change:position", show);
  show();
  return { root, dispose: () => model.off("change:position", show) };
}

function runMarks(summary, last) {
  // A name needs room: of runs that start close together only the first is named, and of very many only those marked.
  const marks = [];
  let named = -Infinity;
  for (const { position, label } of summary.boundaries) {
    const share = (position - 1) / last;
    const room = share - named > 0.12 && share < 0.94;
    if (!room && summary.boundaries.length > MOST_RUN_MARKS) continue;
    const mark = element("i", "sk-track-run");
    mark.style.left = `${share * 100}%`;
    if (room) {
      named = share;
      mark.append(element("span", "", label));
    }
    marks.push(mark);
  }
  return marks;
}

function problemMarks(summary, last) {
  return summary.marks.map((position) => {
    const mark = element("i", "sk-track-problem");
    mark.style.left = `${(position / last) * 100}%`;
    return mark;
  });
}
