// A scrolling list of rows of one height, of which only those in view are in the page and only those looked at are known.

const OVERSCAN = 8;
const BATCH = 60;
const MARGIN = 2;
const KEPT = 4000;
const PATIENCE = 3000;

class RowWindow {
  // make() gives an empty row, fill(node, index, row) shows a row, undefined while it is not known, and
  // ask(start, stop) requests rows that put() will bring.
  constructor({ scroller, height, headHeight = 0, make, fill, ask, resized = () => {} }) {
    Object.assign(this, { scroller, height, headHeight, make, fill, ask });
    this.canvas = element("div", "sk-canvas");
    this.canvas.setAttribute("role", "presentation");
    scroller.append(this.canvas);
    this.count = 0;
    this.known = new Map();
    this.before = new Map();
    this.nodes = new Map();
    this.spare = [];
    this.askedAt = 0;
    this.frame = 0;
    this.later = () => {
      if (!this.frame) this.frame = requestAnimationFrame(() => this.refresh());
    };
    scroller.addEventListener("scroll", this.later, { passive: true });
    this.sizes = new ResizeObserver(() => {
      resized();
      this.later();
    });
    this.sizes.observe(scroller);
  }

  // Rows of an earlier state stay in sight until the new ones are known, so that nothing flickers.
  reset(count, start, rows) {
    this.before = this.known;
    this.known = new Map();
    this.askedAt = 0;
    this.resize(count);
    this.put(start, rows);
  }

  resize(count) {
    this.count = count;
    this.canvas.style.height = `${count * this.height}px`;
  }

  put(start, rows) {
    this.askedAt = 0;
    if (this.known.size > KEPT) {
      this.before = this.known;
      this.known = new Map();
    }
    rows.forEach((row, place) => this.known.set(start + place, row));
    this.refresh();
  }

  refresh() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const room = this.scroller.clientHeight || 480;
    const top = this.scroller.scrollTop;
    const first = Math.max(0, Math.floor(top / this.height) - OVERSCAN);
    const last = Math.min(this.count, Math.ceil((top + room) / this.height) + OVERSCAN);
    for (const [index, node] of this.nodes) {
      if (index < first || index >= last) this.release(index, node);
    }
    let missing = -1;
    for (let index = first; index < last; index += 1) {
      if (missing < 0 && !this.known.has(index)) missing = index;
      this.fill(this.nodeAt(index), index, this.known.get(index) ?? this.before.get(index));
    }
    if (missing >= 0) this.request(missing);
  }

  // One question at a time: the answer refreshes, and what is then in view and unknown is asked for.
  request(start) {
    const now = performance.now();
    if (this.askedAt && now - this.askedAt < PATIENCE) return;
    this.askedAt = now;
    this.ask(start, Math.min(start + BATCH, this.count));
  }

  nodeAt(index) {
    let node = this.nodes.get(index);
    if (node === undefined) {
      node = this.spare.pop() ?? this.make();
      node.style.transform = `translateY(${index * this.height}px)`;
      this.nodes.set(index, node);
      this.canvas.append(node);
    }
    return node;
  }

  release(index, node) {
    this.nodes.delete(index);
    this.spare.push(node);
    if (node.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
    node.remove();
  }

  reveal(index) {
    const { scroller, height } = this;
    const room = scroller.clientHeight - this.headHeight;
    const top = index * height;
    const margin = Math.min(MARGIN * height, (room - height) / 2);
    if (room <= 0) return;
    if (top < scroller.scrollTop) scroller.scrollTop = top - margin;
    else if (top + height > scroller.scrollTop + room) scroller.scrollTop = top + height - room + margin;
  }

  dispose() {
    cancelAnimationFrame(this.frame);
    this.sizes.disconnect();
    this.scroller.removeEventListener("scroll", this.later);
  }
}
