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
