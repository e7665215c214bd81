import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { missingFiles, type Page } from "./pages.ts";

/** Broken links and anchors, requests to other hosts, and named files that do not exist. */
export function faultsOfSite(folder: string, pages: readonly Page[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".html"),
  );
  const built = new Map(files.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
  const idsOf = new Map([...built].map(([file, html]) => [file, idsIn(html)]));
  const faults = [...built].flatMap(([file, html]) => [
    ...requestsOf(html).map((url) => `${file}: asks another host for ${url}`),
    ...linksOf(html).flatMap((link) => faultOf(folder, file, link, idsOf)),
  ]);
  return [...new Set(faults), ...pages.flatMap(missingFiles)];
}

function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => decoded(id)));
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
}

/** Everything that a browser loads by itself. */
function requestsOf(html: string): string[] {
  const loaded = html.matchAll(
    /<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]+)"/g,
  );
  return [...loaded].map(([, url = ""]) => url);
}

function faultOf(
  folder: string,
  file: string,
  link: string,
  idsOf: ReadonlyMap<string, Set<string>>,
): string[] {
  if (/^(?:[a-z]+:|\/\/)/.test(link)) return [];
  const [place = "", anchor] = link.split("#");
  const target = place === "" ? file : targetOf(folder, file, decoded(place));
  if (target === undefined) return [`${file}: ${link} does not exist`];
  const ids = idsOf.get(target);
  const isThere = anchor === undefined || anchor === "" || ids === undefined || ids.has(decoded(anchor));
  return isThere ? [] : [`${file}: ${link} has no such anchor`];
}

function targetOf(folder: string, file: string, place: string): string | undefined {
  const from = place.startsWith("/") ? place.slice(1) : path.posix.join(path.posix.dirname(file), place);
  const candidates = [from, `${from}.html`, path.posix.join(from, "index.html")];
  return candidates.find(
    (one) => existsSync(path.join(folder, one)) && statSync(path.join(folder, one)).isFile(),
  );
}

function decoded(text: string): string {
  return decodeURIComponent(text);
}
