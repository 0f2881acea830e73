// Ask the search of a built site, with its own index and its own code: node search.js FOLDER < queries.
// Prints, for each query of a JSON list, the names of the pages that are found, the first one first.

const fs = require("fs");
const vm = require("vm");

const folder = process.argv[2];
const browser = vm.createContext({
  document: { getElementById: () => null },
  localStorage: { setItem() {} },
  location: {},
  SPHINX_HIGHLIGHT_ENABLED: false,
  URLSearchParams,
  _ready() {},
});
browser.window = browser;
for (const file of ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"]) {
  vm.runInContext(fs.readFileSync(`${folder}/${file}`, "utf8"), browser);
}

const ask = "Search._performSearch(...Search._parseQuery(query)).reverse().map(([page]) => page)";
const found = JSON.parse(fs.readFileSync(0, "utf8")).map((query) => {
  browser.location.search = `?${new URLSearchParams({ q: query })}`;
  browser.query = query;
  return vm.runInContext(ask, browser);
});
console.log(JSON.stringify(found));
