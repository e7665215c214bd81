import { afterEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { givenWalk } from "../../harness/given-walk.ts";
import { lifeOfACard } from "../../harness/life-of-a-card.ts";
import { deleteExpired, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenProcessor, type Unsent } from "./given-processor.ts";

const day = 86_400_000;

afterEach(() => void vi.useRealTimers());

/** 400 days go by: walks give deadlines, these are executed, and what expires is deleted. */
async function passYear(): Promise<void> {
  for (const days of [5, 3, 392]) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * day });
    await sweepDeadlines();
    await deleteExpired();
  }
}

/** All that counts: a repetition may only ask for another delivery of its notifications. */
async function records(programId: string) {
  return (await storedItems(programId)).filter(({ sk }) => sk !== "OUTBOX");
}

describe("an event that is repeated after more than a year", () => {
  it("of a card is answered its first result and moves nothing, whatever its kind", async () => {
    const network = await givenNetwork();
    await givenWalk(network.programId, new Date());
    const first = await lifeOfACard(network);
    const open = { kind: "authorization", authorizationId: "open", amount: 100, eventId: newId("event") };
    first.push({ event: open as Told, result: await network.send(open as Told) });
    await passYear();
    const before = await records(network.programId);
    for (const { event, result } of first) expect(await network.send(event)).toEqual(result);
    expect(await records(network.programId)).toEqual(before);
    await network.balances();
  });

  it("of a deposit is answered its first result and moves nothing", async () => {
    const { programId, send, pending, cleared, reversed, returned } = await givenProcessor();
    const ids = Array.from({ length: 3 }, () => newId("deposit"));
    const [kept = "", withdrawn = "", recalled = ""] = ids;
    const unnamed = { ...pending(), kind: "deposit_cleared" } as Unsent;
    const unknown = { ...pending(newId("deposit")), accountId: newId("wallet") } as Unsent;
    const events = [
      ...ids.map((id) => pending(id)),
      ...[cleared(kept), reversed(withdrawn), cleared(recalled), returned(recalled)],
      ...[pending(), unnamed, unknown, cleared(withdrawn)],
    ].map((event) => ({ event, eventId: newId("event") }));
    const results: unknown[] = [];
    for (const { event, eventId } of events) results.push(await send(event, eventId));
    await passYear();
    const before = await records(programId);
    for (const [index, { event, eventId }] of events.entries())
      expect(await send(event, eventId)).toEqual(results[index]);
    expect(await records(programId)).toEqual(before);
    await expectBooksInOrder(programId);
  });
});
