import { expect, it } from "vitest";
import { verifySignature } from "../access/s3-signature.ts";

it("calculates the signature of the example in S3's documentation", () => {
  const call = {
    method: "GET",
    path: "/test.txt",
    query: [
      "X-Amz-Algorithm=AWS4-HMAC-SHA256",
      "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
      "X-Amz-Date=20130524T000000Z",
      "X-Amz-Expires=86400",
      "X-Amz-SignedHeaders=host",
      "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    ].join("&"),
    headers: { host: "examplebucket.s3.amazonaws.com" },
  };
  const known = {
    region: "us-east-1",
    findSecret: () => "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    now: () => Date.parse("2013-05-24T00:00:00Z"),
  };
  expect(verifySignature(call, known)).toEqual({ accessKeyId: "AKIAIOSFODNN7EXAMPLE", isPresigned: true });
  expect(() => verifySignature({ ...call, path: "/other.txt" }, known)).toThrow("does not match");
});
