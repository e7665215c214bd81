import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { TransactionType } from "../../../shared/contract/enums.ts";
import { codeLabel, counted, toLabel } from "../labels.ts";
import { tones } from "../values.ts";

const root = path.join(import.meta.dirname, "../../..");

/** The properties of every object in the API's document, by object. */
function listObjects(): string[][] {
  const found: string[][] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { properties } = value as { properties?: unknown };
    if (typeof properties === "object" && properties !== null && !Array.isArray(properties))
      found.push(Object.keys(properties));
    for (const part of Object.values(value)) visit(part);
  };
  visit(JSON.parse(readFileSync(path.join(root, "docs/openapi.json"), "utf8")));
  return found;
}

const objects = listObjects();

/** Others' names: the specification's payloads, which no page shows. */
const isOwn = (name: string) => /^[a-z][A-Za-z0-9]*$/.test(name);

test("every field of the API has a label in words: no letter alone, no abbreviation in small letters", () => {
  const names = [...new Set(objects.flat())].filter(isOwn);
  expect(names.length).toBeGreaterThan(300);
  const bad = names.filter((name) => {
    const label = toLabel(name);
    const isWords = /^[A-Z3][\p{L}\d ’()%-]*$/u.test(label);
    const hasLetter = /(^| )[b-zB-Z]( |$)/.test(label);
    const isSmall = /(^| )(kyc|mcc|url|iban|bic|pin|atm|avs|ip|csr|cidr|otp|api|d secure)( |$)/.test(label);
    return !isWords || hasLetter || isSmall;
  });
  // Coordinates of a key.
  expect(bad.filter((name) => !["x", "y"].includes(name))).toEqual([]);
});

test.each([
  ["threeDSecure", "3-D Secure"],
  ["settings.threeDSecure", "3-D Secure"],
  ["kycRequirement", "KYC requirement"],
  ["cardholderId", "Cardholder id"],
  ["issuerCardStatus", "Status"],
  ["dateDecided", "Decided"],
])("%s is called %s", (name, label) => {
  expect(toLabel(name)).toBe(label);
});

test.each([
  ["amount", "amountMinor"],
  ["availableBalance", "availableMinor"],
  ["ledgerBalance", "ledgerMinor"],
  ["dateCreated", "createdAt", "createdDatetime"],
  ["remainingAmount", "outstandingMinor"],
  ["clearedAmount", "clearedMinor"],
])("a record's and the API's name of one thing have one label: %s", (...names) => {
  expect(new Set(names.map((name) => toLabel(name))).size).toBe(1);
});

test("a filter by type names each type apart", () => {
  const labels = Object.keys(TransactionType).map(codeLabel);
  expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([]);
});

test("every status of the contract has a meaning, which its color shows", async () => {
  const codes = new Set<string>();
  for (const file of globSync("shared/contract/*.ts", { cwd: root })) {
    const exported: Record<string, unknown> = await import(path.join(root, file));
    for (const [name, value] of Object.entries(exported)) {
      if (!/(Status|State|^\w+status)$/.test(name) || typeof value !== "object" || value === null) continue;
      const options = "options" in value ? value.options : "def" in value ? [] : Object.keys(value);
      for (const code of options as readonly unknown[]) if (typeof code === "string") codes.add(code);
    }
  }
  expect(codes.size).toBeGreaterThan(40);
  expect([...codes].filter((code) => !tones.has(code))).toEqual([]);
});

test("what is counted is one or many", () => {
  expect([counted(1, "event"), counted(0, "event"), counted(2_000, "entry", "entries")]).toEqual([
    "1 event",
    "0 events",
    "2,000 entries",
  ]);
});
