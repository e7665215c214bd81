import { beforeEach, describe, expect, test } from "vitest";
import { type FaultKind, injectFaults, interrupt, isWrite } from "../../harness/faults.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenHeld, type Held } from "./given-held.ts";

type Answer = Awaited<ReturnType<GivenProgram["call"]>>;

let program: GivenProgram;
beforeEach(async () => {
  program = await givenProgram();
});

/** The process ends at its nth write: before it, or after it and before its answer. */
async function killedAt(nth: number, how: "before" | "after", act: () => Promise<Answer>): Promise<number> {
  let writes = 0;
  using _ = injectFaults((call): FaultKind | undefined => {
    if (isWrite(call)) writes += 1;
    if (writes < nth || (!isWrite(call) && writes === nth - 1)) return undefined;
    return writes === nth && how === "after" && isWrite(call) ? "timeout-after-commit" : "lost";
  });
  await act().catch(() => undefined);
  return writes;
}

const kills = [1, 2, 3].flatMap((nth) => [[nth, "before"] as const, [nth, "after"] as const]);

/** What was held is still there, and clears. */
async function expectMoney(of: Held): Promise<void> {
  expect(await of.balances()).toEqual([9_300, 10_000]);
  expect((await of.clear()).status).toBe(200);
  expect(await of.balances()).toEqual([9_300, 9_300]);
}

describe("a process that is killed", () => {
  test.each(kills)("in a replacement, at write %i, %s it: sent again, it is made once", async (nth, how) => {
    const of = await givenHeld(program, 0);
    const old = await of.view();
    await killedAt(nth, how, () => of.replace("lost", "one"));
    const { status, body } = await of.replace("lost", "one");
    expect(status).toBe(200);
    await sweepDeadlines();
    expect(await of.plastics()).toMatchObject([
      { plasticId: old.plasticId, state: "stopped" },
      { plasticId: body.data.plasticId, state: "active" },
    ]);
    expect((await of.updates()).map(({ kind }) => kind)).toEqual(["number"]);
    expect((await of.replace("lost", "one")).body.data).toEqual(body.data);
    await expectMoney(of);
  });

  test.each(kills)(
    "in a renewal and its activation, at write %i, %s it: each happens once",
    async (nth, how) => {
      const of = await givenHeld(program, 1);
      await killedAt(nth, how, () => of.renew("one"));
      const { data: made } = (await of.renew("one")).body;
      expect((await of.plastics()).map(({ state }) => state)).toEqual(["active", "pending"]);
      await killedAt(nth, how, () => of.activate(made));
      // What was committed is refused: it is done.
      expect([200, 409]).toContain((await of.activate(made)).status);
      await sweepDeadlines();
      expect((await of.plastics()).map(({ state }) => state)).toEqual(["replaced", "active"]);
      expect(await of.view()).toMatchObject({ plasticId: made.plasticId, issuerCardStatus: 1 });
      expect((await of.updates()).map(({ kind }) => kind)).toEqual(["expiry"]);
      await expectMoney(of);
    },
  );
});

describe("a purchase at the moment of a replacement", () => {
  const buy = (of: Held, plasticId: string) => of.buy({ plasticId });

  test("that comes between its reads and its commit is held, and clears", async () => {
    const of = await givenHeld(program, 0);
    const { plasticId } = await of.view();
    let bought: { approved?: boolean } = {};
    {
      using _ = interrupt(
        (command, input) => command.startsWith("TransactWrite") && input.includes("PLASTIC#"),
        async () => {
          bought = await buy(of, plasticId);
        },
      );
      expect((await of.replace("lost", "one")).status).toBe(200);
    }
    expect(bought.approved).toBe(true);
    expect(await of.balances()).toEqual([9_200, 10_000]);
    expect(await buy(of, plasticId)).toMatchObject({ declineReason: "PLASTIC_STOPPED" });
  });
});
