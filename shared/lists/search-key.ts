/** Letters as people search them, after `NFKD`, without marks and in lower case. */
const searched: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ς: "σ" },
};
const searchedLetters = new RegExp(`[${Object.keys(searched).join("")}]`, "gu");
const apostrophes = /['’‘ʼʻ`＇]/gu;
const gaps = /[\p{Pd}\u2212\s]+/gu;

/**
 * What a name is searched by: blind for case and accents. What is searched for is folded as the
 * names are.
 */
export function searchKey(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const letters = plain.replace(searchedLetters, (letter) => searched[letter] ?? letter);
  return letters.replace(apostrophes, "").replace(gaps, " ").replace(/^ /, "");
}

/** Whether one of the names begins so. What is nothing once it is folded finds nothing. */
export function beginsSo(wanted: string): (names: readonly string[]) => boolean {
  const prefix = searchKey(wanted);
  return (names) => prefix !== "" && names.some((name) => searchKey(name).startsWith(prefix));
}
