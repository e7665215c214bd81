/** What rows are about, and their cells: `|` parts these, rows are indented. */
export function readTable(text: string): { of: string; rows: string[][] }[] {
  const all: { of: string; rows: string[][] }[] = [];
  for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const cells = line.split("|").map((cell) => cell.trim());
    if (line.startsWith(" ")) all.at(-1)?.rows.push(cells);
    else all.push({ of: line, rows: [] });
  }
  return all;
}

/** `name=value` in JSON, where `none` is no value. */
export function toFields(words: readonly string[]): Record<string, unknown> {
  const fields = words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
  return Object.fromEntries(
    fields.map(([name, value = ""]) => [name, value === "none" ? undefined : JSON.parse(value)]),
  );
}
