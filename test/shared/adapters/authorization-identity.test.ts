import { expect, it } from "vitest";
import { toAuthorizationId } from "../../../shared/adapters/authorization-identity.ts";

const common = { transmittedAt: "1123181500", systemTrace: "000001" };

it.each([
  ["12345", "00000012345", "REF000001000"],
  ["0", "00000000000", "REF 1       "],
])("names an authorization alike by message (%s) and by file (%s)", (acquirer, padded, reference) => {
  const message = { ...common, acquirer, retrievalReference: reference };
  const record = { ...common, acquirer: padded, retrievalReference: reference.trimEnd() };
  expect(toAuthorizationId(record)).toBe(toAuthorizationId(message));
});
