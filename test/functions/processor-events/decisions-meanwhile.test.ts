import { afterEach, describe, expect, it, vi } from "vitest";
import { approve, decline, heldBack } from "../../harness/given-receiver.ts";
import { A, authorization, type Given, given, recorded } from "./given-decisions.ts";

afterEach(() => void vi.useRealTimers());

describe("an increment", () => {
  const increment = { kind: "authorization_incremental", authorizationId: A, amount: 500 } as const;

  /** Its authorization is approved, and the question about it is open. */
  async function givenIncrement() {
    const network = await given();
    await network.apply(authorization);
    const open = heldBack();
    network.receiver.answer(open.answer);
    const answered = network.send({ ...increment, eventId: "e2" });
    answered.catch(() => {});
    const question = await open.asked;
    return { ...network, ...open, answered, question };
  }

  const dueAs = async ({ everything }: Given) => (await everything()).find(({ sk }) => sk === "HOLD")?.kind;

  it("is reserved, asked about and approved", async () => {
    const network = await givenIncrement();
    const about = {
      kind: "increment",
      authorizationId: A,
      eventId: "e2",
      amount: 500,
      availableBalance: 7_000,
    };
    expect(network.question).toMatchObject(about);
    expect(await network.balances()).toEqual([6_500, 3_500, 10_000]);
    expect(await dueAs(network)).toBe("lapse_authorization");
    network.reply({ kind: "approve", amountMinor: 500 });
    const answer = await network.answered;
    expect(answer).toMatchObject({ approved: true, amount: 500, decidedBy: "receiver" });
    expect(await network.send({ ...increment, eventId: "e2" })).toEqual(answer);
    expect((await recorded(network)).map(({ transType }) => transType)).toEqual([1, 11]);
    expect(await network.balances()).toEqual([6_500, 3_500, 10_000]);
    expect(await dueAs(network)).toBeUndefined();
  });

  it("is asked about beside another one", async () => {
    const network = await givenIncrement();
    network.receiver.answer(() => decline);
    expect(await network.apply({ ...increment, amount: 200 })).toMatchObject({ approved: false });
    expect(await network.balances()).toEqual([6_500, 3_500, 10_000]);
    network.receiver.answer(approve);
    expect(await network.apply({ ...increment, amount: 300 })).toMatchObject({ approved: true });
    expect(await network.balances()).toEqual([6_200, 3_800, 10_000]);
    expect(await dueAs(network)).toBe("lapse_authorization");
    network.reply(decline);
    await network.answered;
    expect(await network.balances()).toEqual([6_700, 3_300, 10_000]);
    expect(await dueAs(network)).toBeUndefined();
  });
});
