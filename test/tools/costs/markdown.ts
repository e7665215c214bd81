import { routes } from "../../../shared/contract/routes.ts";
import type { Meter, Usage } from "./prices.ts";

const sandboxNames = new Set(
  routes.filter(({ api }) => api === "sandbox").map(({ method, path }) => `${method} ${path}`),
);

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** An endpoint as callers name it: those of the sandbox stand below `/sandbox`. */
export function code(name: string): string {
  if (!/^[A-Z]+ \//.test(name)) return name;
  return `\`${sandboxNames.has(name) ? name.replace(" /", " /sandbox/") : name}\``;
}

export function dollars(usd: number): string {
  return usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** At most four digits that tell something. */
export function amount(value: Usage[Meter] = 0): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}
