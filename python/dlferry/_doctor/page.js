"use strict";
// Headers that sort their table, and the field that filters the list. All else of the page works without a script.
const keyOf = (row, column) => row.children[column].dataset.key ?? row.children[column].textContent;
const compare = (one, other) => {
  // What has no time comes last, whatever the direction.
  if (one === "" || other === "") return one === other ? 0 : one === "" ? Infinity : -Infinity;
  const [left, right] = [Number(one), Number(other)];
  return Number.isNaN(left) || Number.isNaN(right) ? one.localeCompare(other) : left - right;
};
for (const button of document.querySelectorAll("thead th button")) {
  button.addEventListener("click", () => {
    const header = button.parentElement;
    const column = [...header.parentElement.children].indexOf(header);
    const turned = header.getAttribute("aria-sort") === "ascending";
    for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", turned ? "descending" : "ascending");
    const body = header.closest("table").tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
    rows.sort(([one], [other]) => {
      const order = compare(one, other);
      return turned && Number.isFinite(order) ? -order : order;
    });
    body.append(...rows.map(([, row]) => row));
    document.getElementById("said").textContent = `Sorted by ${button.textContent}, ${turned ? "descending" : "ascending"}`;
  });
}
const filter = document.getElementById("filter");
filter.closest(".tools").classList.remove("hidden");
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of document.querySelectorAll(".list tbody tr")) {
    const text = row.textContent.toLowerCase();
    const fits = words.every((word) => text.includes(word));
    row.classList.toggle("hidden", !fits);
    shown += fits;
  }
  document.getElementById("shown").textContent = `${shown} shown`;
});
