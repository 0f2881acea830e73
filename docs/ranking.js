// How the site's search orders what it found, in the reader's browser: Sphinx calls Scorer.score.
//
// First comes the page of this title, then pages by their search words (tools/search_words.py),
// headings, and texts; pages that have more of the words in their titles come before the others.
// Lists of all names come after what explains a name, the changelog after all pages, and pages in
// another language than the query's last.

const LANGUAGE = /[\u4e00-\u9fff]/;
const LISTS = /^(api|benchmarks|coverage|from-.*|support-matrix|groups\/.*|metrics\/intervals)$/;

const plain = (text) => text.toLowerCase().replace(/[\s_-]+/g, " ").trim();

var Scorer = {
  // What Sphinx gives: 100 to a search word, and up to 15 where the query is in a heading.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, title, anchor, , found, , kind]) => {
    const query = new URLSearchParams(location.search).get("q");
    const words = splitQuery(plain(query));
    const titled = words.filter((word) => plain(title).includes(word)).length / words.length;
    let score = found + 20 * titled;
    if (kind === "title") score += 20;
    if (plain(title) === plain(query)) score += 200;
    if (kind === "text" && LISTS.test(page)) score -= 10;
    if (page === "changelog" && kind !== "index") score -= 500;
    if (page.startsWith("zh/") !== LANGUAGE.test(query)) score -= 1000;
    return score;
  },
};
