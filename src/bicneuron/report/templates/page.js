// Look up rows, show why each was given its class, and save lists. Everything is in the page.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const MOST_SHOWN = 200; // rows in the table at a time
  const MINUS = "\u2212";

  // Elements are made by hand, so that names of rows and columns are always text.
  const make = (tag, options = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const number = (value) => (value === null ? "missing" : String(value).replace("-", MINUS));
  const signed = (value) => (value > 0 ? "+" : "") + number(Number(value.toPrecision(3)));
  const colour = (place) => `var(--class-${place === null ? "others" : place})`;
  const className = (place) => (place === null ? "the rest" : data.classes[place]);
  const owner = (place) => (place === null ? {} : { "data-class": data.classes[place] });
  const named = (place) =>
    make(
      "span",
      { class: "class" },
      make("span", {
        class: "swatch", "aria-hidden": "true", ...owner(place), style: `background:${colour(place)}`,
      }),
      className(place),
    );

  // --- lists

  for (const button of document.querySelectorAll("[data-list]")) {
    button.addEventListener("click", () => {
      const name = button.dataset.list;
      const address = URL.createObjectURL(new Blob([data.lists[name]], { type: "text/csv" }));
      make("a", { href: address, download: name }).click();
      URL.revokeObjectURL(address);
    });
  }

  // --- why a row was given its class

  const heads = (labels) => {
    const line = make("tr");
    for (const label of labels) line.append(make("th", { scope: "col" }, ...[label].flat()));
    [...line.cells].forEach((cell, k) => k > 1 && cell.classList.add(k === 2 ? "text" : "mean"));
    return make("thead", {}, line);
  };

  const columnTable = (row, part) => {
    const pattern = data.patterns[part.number];
    const count = (n, words, unknown, side) =>
      n === null ? unknown : pattern.is_pair ? `Mean of the ${n} ${words}` : side;
    const table = make(
      "table",
      {},
      heads([
        "Column",
        "This row",
        part.is_sum ? "Speaks for" : "Nearer to",
        count(pattern.n_rows, "rows of this pattern", "Centre of its rows", "Mean of its side"),
        count(pattern.n_contrast, "rows compared", "Centre of the others", "Mean of the other side"),
        ...data.meanClasses.map((place) => ["Mean of all ", named(place)]),
      ]),
    );
    const body = table.appendChild(make("tbody"));
    const longest = Math.max(...part.columns.map(([, , size]) => Math.abs(size))) || 1;
    for (const [place, value, size] of part.columns) {
      const side = part.is_sum
        ? size > 0 ? row.for : row.against
        : size > 0 ? pattern.group : pattern.contrast;
      const width = ((6 * Math.abs(size)) / longest).toFixed(1);
      const bar = make("span", {
        class: "bar", ...owner(side), style: `width:${width}em;background:${colour(side)}`,
      });
      const means = [...pattern.means[place], ...data.columns[place].means];
      body.append(
        make(
          "tr",
          {},
          make("th", { scope: "row" }, data.columns[place].name),
          make("td", {}, number(value)),
          make("td", { class: "text" }, bar, ` ${signed(size)}`),
          ...means.map((mean) => make("td", {}, number(mean))),
        ),
      );
    }
    const label = `Row ${row.name}, pattern ${part.number}`;
    return make("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, table);
  };

  const why = (row) => {
    const sentence = make("p", {}, "Given ", named(row.predicted));
    if (row.probability !== null) {
      sentence.append(` with a probability of ${row.probability.toFixed(2)}`);
    }
    if (row.true !== null) sentence.append("; it is ", named(row.true));
    if (row.left_out !== null) sentence.append("; when left out, it was given ", named(row.left_out));
    sentence.append(".");
    const block = make("div", { class: "why" }, sentence);
    for (const part of row.why) {
      const pattern = data.patterns[part.number];
      const title = pattern.is_pair ? `Pattern ${part.number}` : "All columns";
      block.append(
        make(
          "p",
          { class: "because" },
          make("strong", {}, title),
          ", ",
          named(pattern.group),
          " against ",
          named(pattern.contrast),
          ": speaks for ",
          named(part.adds > 0 ? row.for : row.against),
          ` (${signed(part.adds)})`,
        ),
        columnTable(row, part),
      );
      if (part.n_more) {
        const words = `${part.n_more} more column${part.n_more > 1 ? "s" : ""}.`;
        block.append(make("p", { class: "quiet" }, words));
      }
    }
    if (row.n_more) {
      const verb = row.n_more > 1 ? "s add" : " adds";
      const words = `${row.n_more} more pattern${verb} ${signed(row.rest)}.`;
      block.append(make("p", { class: "quiet" }, words));
    }
    return block;
  };

  // --- the table of rows

  const table = document.getElementById("all-rows");
  if (table) {
    const body = table.tBodies[0];
    const search = document.getElementById("search");
    const found = document.getElementById("found");
    const picked = document.getElementById("picked");
    const order = { key: null, descending: false };
    const collator = new Intl.Collator(undefined, { numeric: true });

    const pick = (row) => {
      picked.replaceChildren(make("h4", {}, `Row ${row.name}`), why(row));
      picked.hidden = false;
      for (const line of body.rows) {
        line.classList.toggle("selected", line.dataset.row === String(data.rows.indexOf(row)));
      }
      picked.focus();
    };

    const classCell = (place) =>
      make("td", { class: "text" }, ...(place === null ? [] : [named(place)]));

    const line = (row) =>
      make(
        "tr",
        { "data-row": String(data.rows.indexOf(row)) },
        make("th", { scope: "row" }, make("button", { type: "button", tabindex: "-1" }, row.name)),
        classCell(row.true),
        classCell(row.predicted),
        classCell(row.left_out),
        make("td", {}, row.probability === null ? "" : row.probability.toFixed(2)),
        make("td", {}, number(row.score)),
      );

    const text = (row) =>
      [row.name, ...[row.true, row.predicted].filter((k) => k !== null).map(className)]
        .join(" ")
        .toLowerCase();
    const texts = new Map(data.rows.map((row) => [row, text(row)]));

    const compare = (a, b) => {
      const [first, second] = [a[order.key], b[order.key]];
      if (first === null || second === null) return (first === null) - (second === null);
      const sign = order.descending ? -1 : 1;
      return sign * (order.key === "name" ? collator.compare(first, second) : first - second);
    };

    const show = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = data.rows.filter((row) => words.every((word) => texts.get(row).includes(word)));
      if (order.key !== null) rows.sort(compare);
      body.replaceChildren(...rows.slice(0, MOST_SHOWN).map(line));
      if (rows.length) stop(body.rows[0]);
      const more = rows.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} are shown` : "";
      found.textContent = `${rows.length} of ${data.rows.length} rows${more}`;
    };

    // One stop of the tab key for all rows; arrows lead from row to row.
    const stop = (row) => {
      for (const other of body.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
      const button = row.querySelector("button");
      button.tabIndex = 0;
      return button;
    };
    body.addEventListener("keydown", (event) => {
      const own = event.target.closest("tr");
      const next = {
        ArrowDown: own.nextElementSibling,
        ArrowUp: own.previousElementSibling,
        Home: body.firstElementChild,
        End: body.lastElementChild,
      }[event.key];
      if (next) {
        event.preventDefault();
        stop(next).focus();
      }
    });
    body.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) pick(data.rows[Number(button.closest("tr").dataset.row)]);
    });
    search.addEventListener("input", show);
    for (const button of table.tHead.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        const key = button.dataset.sort;
        order.descending = order.key === key && !order.descending;
        order.key = key;
        for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
        const way = order.descending ? "descending" : "ascending";
        button.closest("th").setAttribute("aria-sort", way);
        show();
      });
    }
    show();
  }
  for (const block of document.querySelectorAll(".needs-script")) block.hidden = false;
})();
