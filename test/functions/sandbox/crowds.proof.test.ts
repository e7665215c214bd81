import { describe, expect, it } from "vitest";
import { givenSandbox } from "./given-sandbox.ts";

const crowd = 20;

describe("a crowd of network events on one card", () => {
  it("settles all of them, although each answers with its own balance", async () => {
    const sandbox = await givenSandbox();
    const answers = await Promise.all(
      Array.from({ length: crowd }, () => sandbox.onCard("force-post", { amount: 1 })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await sandbox.balances()).toEqual([10_000 - crowd, 0, 10_000 - crowd]);
  });

  it("clears one authorization in as many parts, each of which releases its own", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const answers = await Promise.all(
      Array.from({ length: crowd }, () =>
        sandbox.onHold(authorizationId, "clear", { amount: 10, final: false }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await sandbox.balances()).toEqual([9_000, 1_000 - crowd * 10, 10_000 - crowd * 10]);
  });

  it("reverses one authorization once", async () => {
    const sandbox = await givenSandbox();
    const authorizationId = await sandbox.authorized(1_000);
    const answers = await Promise.all(
      Array.from({ length: crowd }, () => sandbox.onHold(authorizationId, "reverse")),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(crowd - 1);
    expect(await sandbox.balances()).toEqual([10_000, 0, 10_000]);
  });
});
