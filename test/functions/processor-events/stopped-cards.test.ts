import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";

const kind = "authorization";
const blocks = ["blockedAt", "cardholderBlockedAt"] as const;

describe.each(blocks)("a card with %s", (attribute) => {
  const blocked = { [attribute]: "2026-11-22T10:00:00.000Z" };

  it("declines in as many round trips as a card on hold", async () => {
    const { send, setCard, setStatus } = await givenNetwork();
    await setStatus(2);
    // The first one reads the Card, which this process does not know yet.
    await send({ kind, authorizationId: "first", amount: 1 });
    const onHold = await measure(() => send({ kind, authorizationId: "A", amount: 1 }));
    await setCard({ ...blocked, issuerCardStatus: 1 });
    const stopped = await measure(() => send({ kind, authorizationId: "B", amount: 1 }));
    expect(stopped.cost.calls).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    expect(onHold.cost.calls).toEqual(stopped.cost.calls);
  });
});
