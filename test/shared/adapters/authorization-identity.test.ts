import { expect, it } from "vitest";
import { toAuthorizationId as ofFile } from "../../../shared/adapters/authorization-identity.ts";
import { toAuthorizationId as ofMessage } from "../../../shared/adapters/iso8583/identity.ts";

const time = { transmittedAt: "1123181500" };

it.each([
  ["12345", "00000012345", "REF000001000"],
  ["0", "00000000000", "REF 1       "],
])("names an authorization alike by message (%s) and by file (%s)", (acquirer, padded, reference) => {
  const message = ofMessage({ ...time, acquirer, retrievalReference: reference, trace: "000001" });
  const record = {
    ...time,
    acquirer: padded,
    retrievalReference: reference.trimEnd(),
    systemTrace: "000001",
  };
  expect(ofFile(record)).toBe(message);
});
