import { expect } from "vitest";

/** Consecutive JSON documents, each on a new line or directly after the last. */
export function documentsIn(text: string): unknown[] {
  const lines = text.trim().replaceAll("}{", "}\n{");
  return lines === "" ? [] : lines.split(/\n(?=\{)/).map((document) => JSON.parse(document) as unknown);
}

/** At least what the page shows, of the whole answer or of its `data`. */
export function expectShown(found: unknown, shown: unknown, where: string): void {
  const isWhole = ["status", "items"].some(
    (name) => Object.hasOwn(shown as object, name) && isEnvelope(shown),
  );
  const compared = isWhole ? found : ((found as { data?: unknown }).data ?? found);
  expect(compared, where).toEqual(matching(shown));
}

function isEnvelope(shown: unknown): boolean {
  const { status } = shown as { status?: unknown };
  return status === "success" || status === "error";
}

const changing = /^(?:[a-z]{3}_0{20}\w{6}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/** "…" matches any text, an identifier or a time another one. */
function matching(shown: unknown): unknown {
  if (typeof shown === "string" && changing.test(shown)) {
    const form = shown.startsWith("20")
      ? /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
      : new RegExp(`^${shown.slice(0, 4)}\\w{26}$`);
    return expect.stringMatching(form);
  }
  if (typeof shown === "string" && shown.includes("…")) return expect.stringMatching(patternOf(shown));
  if (Array.isArray(shown)) return shown.map(matching);
  if (shown === null || typeof shown !== "object") return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, matching(value)])),
  );
}

export function patternOf(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`, "s");
}
