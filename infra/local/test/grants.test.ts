import { describe, expect, it } from "vitest";
import { allow, control, decrypt, dynamo, keyArn, tableArn } from "./given-role.ts";

describe("the report of grants", () => {
  it("has each grant at its first use", () => {
    const { call, needed } = control(allow(["dynamodb:GetItem", "dynamodb:PutItem"], tableArn), decrypt);
    for (const _ of [1, 2]) call(dynamo("GetItem"), { TableName: "issuing" });
    expect(needed).toEqual([
      { functionName: "cards", action: "dynamodb:GetItem", resource: tableArn },
      { functionName: "cards", action: "kms:Decrypt", resource: keyArn, via: "dynamodb" },
    ]);
  });

  it("has no denied calls", () => {
    const { call, needed } = control(decrypt);
    expect(() => call(dynamo("GetItem"), { TableName: "issuing" })).toThrow("dynamodb:GetItem");
    expect(needed).toEqual([]);
  });
});
