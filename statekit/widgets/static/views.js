// What is shown at each position: the transition and the head of the state. Positions next to the present one, in the
// direction of the last step, are asked for ahead, so that a step need not wait for the kernel.

const AHEAD = 6;
const REMEMBERED = 200;
const VIEW_TRAITS = ["position", "run"];

class Views {
  constructor(model) {
    this.model = model;
    this.known = new Map();
    this.asked = new Set();
    this.watchers = [];
    this.waiting = () => {};
    this.direction = 1;
    this.shown = model.get("_shown");
    this.moved = () => this.update();
    this.arrived = () => {
      this.learn([model.get("_shown")]);
      // While the position runs ahead of the kernel, an earlier answer is better than none.
      if (!this.settled) this.show(model.get("_shown"));
      this.update();
    };
    this.received = (message) => {
      if (message.kind !== "views") return;
      this.learn(message.views);
      this.update();
    };
    for (const name of VIEW_TRAITS) model.on(`change:${name}`, this.moved);
    model.on("change:_shown", this.arrived);
    model.on("msg:custom", this.received);
    this.learn([this.shown]);
    this.update();
  }

  // Call show(view) now, and whenever another view is to be shown.
  watch(show) {
    this.watchers.push(show);
    show(this.shown);
  }

  // Whether what is shown is what the position and the run say.
  get settled() {
    return viewName(this.shown.position, this.shown.run) === this.name(this.model.get("position"));
  }

  name(position) {
    return viewName(position, this.model.get("run"));
  }

  learn(views) {
    for (const view of views) {
      const name = viewName(view.position, view.run);
      this.asked.delete(name);
      this.known.delete(name);
      this.known.set(name, view);
    }
    for (const name of this.known.keys()) {
      if (this.known.size <= REMEMBERED) break;
      this.known.delete(name);
    }
  }

  update() {
    const view = this.known.get(this.name(this.model.get("position")));
    if (view !== undefined && !this.settled) this.show(view);
    this.waiting(!this.settled);
    if (this.settled) this.lookAhead();
  }

  show(view) {
    this.direction = view.position < this.shown.position ? -1 : 1;
    this.shown = view;
    for (const watcher of this.watchers) watcher(view);
  }

  // Positions are asked for in batches: only when half of those ahead are used up.
  lookAhead() {
    const position = this.model.get("position");
    const wanted = [];
    for (let step = 1; step <= AHEAD; step += 1) wanted.push(position + this.direction * step);
    wanted.push(position - this.direction);
    const length = this.model.get("_summary").length;
    const unknown = wanted.filter((at) => at >= 0 && at <= length && !this.has(this.name(at)));
    if (unknown.length < AHEAD / 2 && !unknown.includes(position + this.direction)) return;
    for (const at of unknown) this.asked.add(this.name(at));
    this.model.send({ kind: "views", run: this.model.get("run"), positions: unknown });
  }

  has(name) {
    return this.known.has(name) || this.asked.has(name);
  }

  dispose() {
    for (const name of VIEW_TRAITS) this.model.off(`change:${name}`, this.moved);
    this.model.off("change:_shown", this.arrived);
    this.model.off("msg:custom", this.received);
  }
}

function viewName(position, run) {
  return JSON.stringify([position, run]);
}
