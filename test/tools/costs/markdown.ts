import type { Meter, Usage } from "./prices.ts";

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

export function code(name: string): string {
  return /^[A-Z]+ \//.test(name) ? `\`${name}\`` : name;
}

export function dollars(usd: number): string {
  return usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** At most four digits that tell something. */
export function amount(value: Usage[Meter] = 0): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}
