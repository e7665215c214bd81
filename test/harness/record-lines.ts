/** JSON with a line for each record: objects are spread over lines down to this depth. */
export function toRecordLines(value: unknown, depth: number, indent = ""): string {
  if (depth === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(
    ([name, record]) => `${inner}${JSON.stringify(name)}: ${toRecordLines(record, depth - 1, inner)}`,
  );
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
