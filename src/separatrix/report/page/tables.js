// Tables that are sorted by a click on, or Enter at, the head of a column.
"use strict";
(() => {
  const key = (row, j) => {
    const cell = row.cells[j];
    if (cell.dataset.value !== undefined) return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
    return cell.textContent.trim();
  };
  const compared = (a, b) => {
    if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b), "en", { numeric: true });
    return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a - b;
  };

  function sort(table, head, j) {
    const down = head.getAttribute("aria-sort") === "ascending", body = table.tBodies[0];
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * compared(key(a, j), key(b, j)));
    body.append(...rows);
  }

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    [...table.tHead.rows[0].cells].forEach((head, j) => {
      if (head.dataset.unsorted !== undefined) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head, j));
    });
  }
})();
