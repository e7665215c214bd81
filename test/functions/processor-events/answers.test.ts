import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { A } from "./given-hold-events.ts";

const authorization = { kind: "authorization", authorizationId: A, amount: 1_000 } as const;
describe("balances in the answer", () => {
  it("are exact where authorizations race", async () => {
    const { apply, balances } = await givenNetwork();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        apply({ ...authorization, authorizationId: `R${n}`, amount: 100, withBalances: true }),
      ),
    );
    const available = answers.map(({ availableBalance }) => availableBalance).toSorted();
    expect(available).toEqual([9_400, 9_500, 9_600, 9_700, 9_800, 9_900]);
    expect(await balances()).toEqual([9_400, 600, 10_000]);
  });
});
