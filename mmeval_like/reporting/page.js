"use strict";
// Tables that sort by a click on a column's name and show the rows that contain a text.
const number = (cell) =>
  parseFloat((cell.dataset.sort ?? cell.textContent).trim().replace(/[,%<>]/g, "").replace("\u2212", "-"));
const compared = (a, b) => {
  const x = number(a), y = number(b);
  if (isNaN(x) && isNaN(y)) return a.textContent.localeCompare(b.textContent);
  if (isNaN(x) || isNaN(y)) return isNaN(x) ? 1 : -1;
  return x - y;
};
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.querySelector("tbody.rows");
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (head.classList.contains("plot")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [row.cells[column], row]);
      rows.sort((a, b) => {
        // What is no number stays last, whichever way the numbers are sorted.
        const mixed = isNaN(number(a[0])) !== isNaN(number(b[0]));
        return compared(a[0], b[0]) * (up || mixed ? 1 : -1);
      });
      body.append(...rows.map((entry) => entry[1]));
    });
  });
  const every = [...table.querySelectorAll("tbody:not(.whole) tr:not(:has(.group))")];
  if (every.length > 8) {
    const label = document.createElement("label");
    label.className = "filter";
    label.textContent = "Filter rows";
    const input = document.createElement("input");
    input.type = "search";
    label.append(input);
    table.before(label);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of every) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
  }
}
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
