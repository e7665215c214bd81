import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Pages that open from a disk have no root: their links lead from the page. A disk has no page of a
 * folder either, and gives scripts no modules: diagrams are drawn by a plain one.
 */
export function linkRelatively(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".html")) {
      const target = path.join(folder, file);
      writeFileSync(target, withRelativeLinks(readFileSync(target, "utf8"), file));
    }
}

export function withRelativeLinks(html: string, file: string): string {
  const root = "../".repeat(file.split(path.sep).length - 1) || "./";
  const relative = html.replace(/ (href|src)="\/(?!\/)([^"#]*)(#[^"]*)?"/g, (_, name, place, anchor = "") => {
    const page = place === "" || place.endsWith("/") ? `${place}index.html` : place;
    return ` ${name}="${root}${page}${anchor}"`;
  });
  return relative.replace("</body>", () => `<script>${drawOnDisk(root)}</script></body>`);
}

function drawOnDisk(root: string): string {
  return `if (location.protocol === "file:") {
  const places = [...document.querySelectorAll(".mermaid")];
  const script = document.createElement("script");
  script.src = "${root}mermaid.js";
  script.onload = async () => {
    mermaid.initialize({ startOnLoad: false, theme: document.documentElement.classList.contains("dark") ? "dark" : "neutral" });
    for (const [index, place] of places.entries()) {
      const source = decodeURIComponent(place.dataset.source);
      place.innerHTML = (await mermaid.render("diagram-" + index, source)).svg;
      place.firstElementChild.style.minWidth = place.firstElementChild.viewBox.baseVal.width * 0.75 + "px";
    }
  };
  if (places.length > 0) document.head.append(script);
}`;
}
