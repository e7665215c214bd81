import { closest, distance } from "fastest-levenshtein";

/** More letters than these differ in words that mean something else. */
const farthest = 5;

/** ` Did you mean "…"?` of the nearest word, or nothing where none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(word, known);
  const most = Math.min(farthest, Math.max(1, nearest.length / 2));
  return distance(word, nearest) <= most ? ` Did you mean "${nearest}"?` : "";
}
