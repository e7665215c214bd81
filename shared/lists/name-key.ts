/** Letters that Unicode does not decompose, as a directory files them. */
const letters: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", þ: "th", ð: "d", đ: "d", ø: "o", ł: "l", ħ: "h", ŧ: "t", ı: "i" },
  ...{ "’": "'", "‘": "'", ʼ: "'", ʻ: "'", "‐": "-", "‑": "-", "–": "-" },
};
const folded = new RegExp(`[${Object.keys(letters).join("")}]`, "gu");

/** No name has it, and it comes before every character that a name has. */
const separator = "\u0000";

/**
 * Sorts a name as a person does: case and accents count only between names that are else equal,
 * which then sort by code. Unicode never changes the forms of a character that it has assigned, so
 * a key stays the same in later versions of Node.
 */
export function nameKey(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return `${plain.replace(folded, (letter) => letters[letter] ?? letter)}${separator}${name}`;
}
