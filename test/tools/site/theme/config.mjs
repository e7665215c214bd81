import { readFileSync } from "node:fs";

const sidebar = JSON.parse(readFileSync(new URL("sidebar.json", import.meta.url), "utf8"));

export default {
  title: "Card issuing platform",
  description: "An HTTP API for issuing payment cards",
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }]],
  lastUpdated: false,
  // Copies for language models, not pages.
  srcExclude: ["public/**"],
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
    nav: [
      { text: "Call it", link: "/docs/calling" },
      { text: "Errors", link: "/docs/errors" },
      { text: "Commands", link: "/docs/commands" },
    ],
  },
  markdown: {
    // GitHub's anchors, as the pages' links have them.
    anchor: { slugify: toAnchor },
    config: (md) => {
      // Vue would compute what stands between double braces.
      for (const rule of ["text", "code_inline"]) {
        const render = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
      }
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) =>
        tokens[index].info.trim() === "mermaid"
          ? `<div class="mermaid" data-source="${encodeURIComponent(tokens[index].content)}"></div>`
          : fence(tokens, index, ...rest);
    },
  },
};

function toAnchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}
