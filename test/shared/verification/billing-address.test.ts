import { describe, expect, test } from "vitest";
import { compareBillingAddress } from "../../../shared/verification/billing-address.ts";
import { toAvs, toVerificationView } from "../../../shared/verification/presentation.ts";

const lines: readonly [sent: string, known: string, result: string][] = [
  ["12 Main Street", "12, Main St.", "match"],
  ["12", "12 Main Street", "match"],
  ["12 Main Street", "13 Main Street", "mismatch"],
  ["12 Main Street Apt 4", "12 Main Street", "mismatch"],
  ["Rose Cottage", "ROSE COTTAGE", "match"],
  ["Rose Cottage", "Lily Cottage", "mismatch"],
  ["Rose Cottage", "12 Main Street", "mismatch"],
  // Cut at 20 characters.
  ["1234 Very Long Stree", "1234 Very Long Street Apt 56", "match"],
  ["1234 Very Long Stree", "1235 Very Long Street Apt 56", "mismatch"],
];

test.each(lines)("the line %s of the Cardholder at %s is a %s", (line1, known, result) => {
  const address = { line1: known, country: "GB" };
  expect(compareBillingAddress({ line1 }, address).addressLine).toBe(result);
});

const houseNumbers: readonly [sent: string, known: string, result: string][] = [
  ["12", "12 Main Street Apt 4", "match"],
  ["12345", "1234567 Long Road", "match"],
  ["1234", "12345 Long Road", "mismatch"],
  ["12", "Apartment 12, 7 High Street", "match"],
];

test.each(houseNumbers)("the number %s of the house at %s is a %s", (line1, known, result) => {
  const address = { line1: known, country: "GB" };
  expect(compareBillingAddress({ line1, isHouseNumber: true }, address).addressLine).toBe(result);
});

const codes: readonly [sent: string, known: string | undefined, country: string, result: string][] = [
  ["sw1y4jh", "SW1Y 4JH", "GB", "match"],
  ["94107", "94107-1234", "US", "match"],
  ["94107-1234", "94107", "US", "match"],
  ["94108", "94107-1234", "US", "mismatch"],
  ["1234567", "1234568", "DE", "mismatch"],
  ["94107", undefined, "HK", "not_checked"],
];

test.each(codes)(
  "the postal code %s where %s is known in %s is a %s",
  (postalCode, known, country, result) => {
    const address = { line1: "x", postalCode: known, country };
    expect(compareBillingAddress({ postalCode }, address).postalCode).toBe(result);
  },
);

test("what was not sent is not present, and what has nothing to compare with is not checked", () => {
  const address = { line1: "12 Main Street", postalCode: "94107", country: "US" };
  expect(compareBillingAddress({}, address)).toEqual({
    addressLine: "not_present",
    postalCode: "not_present",
  });
  expect(compareBillingAddress({ line1: "12" }, undefined)).toEqual({
    addressLine: "not_checked",
    postalCode: "not_present",
  });
});

describe("the AVS code", () => {
  test.each([
    ["match", "match", "Y"],
    ["match", "mismatch", "A"],
    ["match", "not_present", "A"],
    ["mismatch", "match", "Z"],
    ["not_present", "match", "Z"],
    ["mismatch", "mismatch", "N"],
    ["mismatch", "not_present", "N"],
    ["not_checked", "not_present", "U"],
    [undefined, undefined, "U"],
  ] as const)("of %s and %s is %s", (line, code, avs) => {
    expect(toAvs(line, code)).toBe(avs);
  });
});

test.each([
  [{ entryMode: "recurring" as const, tokenId: "t" }, true],
  [{ verification: { storedCredential: "recurring" as const } }, true],
  [{ entryMode: "recurring" as const, verification: { recurring: false } }, false],
  [{ verification: { pin: "match" as const, recurring: true } }, true],
  [{ verification: { storedCredential: "initial" as const } }, false],
])("%o recurs: %s", (verified, recurring) => {
  expect(toVerificationView(verified)?.recurring).toBe(recurring);
});
