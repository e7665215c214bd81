/** Text that is markup already. Everything else is escaped as it enters a template. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Markup | readonly Part[] | false | undefined;

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + toMarkup(parts[index])).join(""));
}

function toMarkup(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(toMarkup).join("");
  return escapeText(String(part));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
