// How the site's search orders what it found, in the reader's browser: Sphinx calls Scorer.score.
//
// First comes the page of this title, then pages by their search words (tools/search_words.py),
// pages with more words of the query in their titles, headings, and texts. Lists of all names come
// after texts that explain a name. Evidence comes after all these, unless it was asked for by its
// title or a search word; then the changelog, and last another language.

var Scorer = {
  // What Sphinx gives: up to 100 to a search word, and up to 15 where the query is in a heading.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, title, anchor, , found, , kind]) => {
    const lists = /^(api|coverage|from-.*|groups\/.*|metrics\/intervals)$/;
    const evidence = /^(benchmarks|cost-model|interval-study|support-matrix)$/;
    const plain = (text) => text.toLowerCase().replace(/[\s_-]+/g, " ").trim();
    const query = new URLSearchParams(location.search).get("q");
    const words = splitQuery(plain(query));
    const own = plain(title.split(" > ")[0]); // of a heading: the title of its page
    const named = words.filter((word) => own.includes(word)).length / Math.max(words.length, 1);
    let score = found + 60 * named;
    if (kind === "title") score += 20;
    const titled = own === plain(query) && !anchor;
    if (titled) score += 200;
    if (kind === "text" && lists.test(page)) score -= 10;
    if (evidence.test(page) && kind !== "index" && !titled) score -= 250;
    if (page === "changelog" && kind !== "index") score -= 500;
    if (page.startsWith("zh/") !== /[\u4e00-\u9fff]/.test(query)) score -= 1000;
    return score;
  },
};
