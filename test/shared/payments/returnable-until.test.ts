import { expect, it } from "vitest";
import { type Pull, returnableUntil } from "../../../shared/payments/pull.ts";

it.each([
  ["eight weeks", "2027-01-31T12:00:00.000Z", "MD06", "2027-03-28T12:00:00.000Z"],
  ["13 months without a mandate", "2027-01-30T12:00:00.000Z", "MD01", "2028-02-29T12:00:00.000Z"],
  ["the last day of a short month", "2027-01-31T12:00:00.000Z", "MD01", "2028-02-29T12:00:00.000Z"],
  ["no leap day in another year", "2028-01-31T12:00:00.000Z", "MD01", "2029-02-28T12:00:00.000Z"],
  ["a leap day", "2028-02-29T12:00:00.000Z", "MD01", "2029-03-29T12:00:00.000Z"],
])("who has paid can have it back for %s", (_, collectedAt, returnedCode, until) => {
  expect(returnableUntil({ collectedAt, returnedCode } as Pull)).toBe(until);
});
