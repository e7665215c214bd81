import { expect, test } from "vitest";
import type { Message } from "../../../../shared/adapters/iso8583/codec.ts";
import { readText, writeText } from "../../../../shared/adapters/iso8583/dialect.ts";
import { type DialectName, dialects } from "../../../../shared/adapters/iso8583/dialects.ts";
import { readPointOfSale } from "../../../../shared/adapters/iso8583/point-of-sale.ts";

const read = (fields: Message["fields"], dialect: DialectName = "mastercard") => {
  const { verification, billingAddress, category, asksAddress, asksCode } = readPointOfSale(
    fields,
    dialects[dialect],
  );
  return { verification, billingAddress, category, asksAddress, asksCode };
};
const additional = (...subelements: readonly (readonly [id: string, value: string])[]) =>
  `T${subelements.map(([id, value]) => `${id}${String(value.length).padStart(2, "0")}${value}`).join("")}`;
const terminal = (code: string, presence = "0") => `000${presence}000000${code}`;

test.each([
  ["0", "unknown"],
  ["2", "magstripe"],
  ["3", "contactless"],
  ["4", "contactless"],
  ["5", "chip"],
  ["6", "keyed"],
  ["7", "magstripe"],
  ["8", "chip"],
  ["9", "chip"],
])("subfield 11 of DE61, %s, is a terminal that reads %s", (code, entryCapability) => {
  expect(read({ 61: terminal(code) }).verification).toEqual({ entryCapability });
});

test("without a terminal, the presence tells a shop on the Internet", () => {
  expect(read({ 61: terminal("1", "5") }).verification).toEqual({ entryCapability: "ecommerce" });
  expect(read({ 61: terminal("1", "0") }).verification).toEqual({ entryCapability: "unknown" });
});

test("DE41 is the terminal's id", () => {
  expect(read({ 41: "T0001   " }).verification).toEqual({ terminalId: "T0001" });
  expect(read({ 41: "        " }).verification).toBeUndefined();
});

test.each([
  ["0103210", undefined],
  // Its proof tells: what the merchant says is not believed.
  ["0103211", undefined],
  ["0103212", undefined],
  ["216", { threeDS: "exempted" }],
  ["0103216", { threeDS: "exempted" }],
])("subelement 42 of DE48, %s, is %o", (value, verification) => {
  expect(read({ 48: additional(["42", value]) }).verification).toEqual(verification);
});

test.each([
  ["C101", "cardholder"],
  ["C103", "initial"],
  ["M101", "unscheduled"],
  ["M103", "recurring"],
  ["M104", "installment"],
])("subelement 22 of DE48, subfield 05 %s, is %s", (value, storedCredential) => {
  expect(read({ 48: additional(["22", `0504${value}`]) }).verification).toEqual({ storedCredential });
});

const asked = additional(["82", "52"]);

test.each([
  ["94107    12 Main Street      ", { postalCode: "94107", line1: "12 Main Street" }],
  ["012994107    12 Main Street      ", { postalCode: "94107", line1: "12 Main Street" }],
  ["021494107    00012", { postalCode: "94107", line1: "00012", isHouseNumber: true }],
  ["94107    12                  ", { postalCode: "94107", line1: "12", isHouseNumber: true }],
  ["94107", { postalCode: "94107" }],
  ["", undefined],
])("DE120 %s is the address %o", (element, billingAddress) => {
  expect(read({ 48: asked, 120: element })).toMatchObject({ asksAddress: true, category: "T" });
  expect(read({ 48: asked, 120: element }).billingAddress).toEqual(billingAddress);
});

test("an address that is not asked about is not read", () => {
  const fields = { 48: additional(["82", "00"], ["92", "123"]), 120: "94107" };
  expect(read(fields)).toMatchObject({ asksAddress: false, asksCode: true });
  expect(read(fields).billingAddress).toBeUndefined();
});

/** DE126 with its field 13: bytes as the codec reads them. */
function environment(value: string): string {
  const bytes = Buffer.concat([Buffer.from("0008000000000000", "hex"), writeText(value, dialects.visa)]);
  return readText(bytes, dialects.visa);
}
const visa = (digits: string, mode: string, value?: string) => {
  const fields = { 22: `${mode}0`, 60: digits };
  return read(value ? { ...fields, 126: environment(value) } : fields, "visa").verification;
};

test.each([
  ["050000000500", "01", undefined, { entryCapability: "chip" }],
  ["020000000600", "01", undefined, { entryCapability: "magstripe" }],
  ["010000000700", "01", "C", { entryCapability: "ecommerce", storedCredential: "initial" }],
  ["000000000200", "10", "R", { entryCapability: "unknown", storedCredential: "recurring" }],
  ["000000000000", "10", "I", { entryCapability: "unknown", storedCredential: "installment" }],
  ["000000000000", "10", "C", { entryCapability: "unknown", storedCredential: "unscheduled" }],
  ["000000000000", "10", undefined, { entryCapability: "unknown", storedCredential: "cardholder" }],
] as const)("Visa's DE60 %s with mode %s and environment %s is %o", (digits, mode, value, verification) => {
  expect(visa(digits, mode, value)).toEqual(verification);
});
