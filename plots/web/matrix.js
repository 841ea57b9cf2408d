// The matrix of verdicts by keyboard: it is one stop of the Tab key. Left and right go from claim to claim, up and down from
// experiment to experiment, Home and End to the ends.

export function walkable(matrix) {
  const tiles = [...matrix.querySelectorAll("a.tile[href]")];
  const row = (t) => t.closest(".row");
  const rows = [...matrix.querySelectorAll(".row")].filter((r) => r.querySelector("a.tile"));
  for (const t of matrix.querySelectorAll("a.tile[href], a.name")) t.tabIndex = -1;
  for (const t of tiles) t.title = t.getAttribute("aria-label");
  if (tiles[0]) tiles[0].tabIndex = 0;
  matrix.addEventListener("keydown", (e) => {
    const at = tiles.indexOf(document.activeElement);
    if (at < 0) return;
    const own = rows.indexOf(row(tiles[at]));
    const column = [...row(tiles[at]).querySelectorAll("a.tile")].indexOf(tiles[at]);
    const next = (r) => {
      const list = r && [...r.querySelectorAll("a.tile")];
      return list?.[Math.min(column, list.length - 1)];
    };
    const to = { ArrowRight: tiles[at + 1], ArrowLeft: tiles[at - 1], ArrowDown: next(rows[own + 1]), ArrowUp: next(rows[own - 1]), Home: tiles[0], End: tiles.at(-1) }[e.key];
    if (!to) return;
    e.preventDefault();
    tiles[at].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
}
