import { beforeEach, describe, expect, test } from "vitest";
import { type FaultKind, injectFaults, interrupt, isWrite } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

type View = Record<string, unknown> & { plasticId: string; state: string; maskedCardNumber: string };
type Answer = Awaited<ReturnType<GivenProgram["call"]>>;

let program: GivenProgram;
beforeEach(async () => {
  program = await givenProgram();
});

/** A Card with 100.00, of which 7.00 are held. */
async function givenHeld(cardForm: 0 | 1) {
  const cardholderId = await givenApprovedCardholder(program);
  const physical = cardForm === 1 && { shippingAddress };
  const { cardId } = await givenCard(program, { cardholderId, cardForm, ...physical });
  const path = { cardId: String(cardId) };
  const view = async () => (await program.call("GET /cards/{cardId}", { path })).body.data;
  const activate = ({ maskedCardNumber, expiryMonth, expiryYear }: Record<string, unknown>) => {
    const body = { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear };
    return program.call("POST /cards/{cardId}/activate", { path, body });
  };
  if (cardForm === 1) await activate(await view());
  const sandbox = (what: string, body: object) =>
    program.call(`POST /cards/{cardId}/${what}` as never, { api: "sandbox", path, body } as never);
  await sandbox("refunds", { amount: 10_000 });
  const { authorizationId } = (await sandbox("authorizations", { amount: 700 })).body.data;
  return {
    ...{ path, view, activate, sandbox },
    replace: (reason: string, key: string) =>
      program.call("POST /cards/{cardId}/replace", {
        ...{ path, body: { reason }, headers: { "Idempotency-Key": key } },
      }),
    renew: (key: string) =>
      program.call("POST /cards/{cardId}/renew", { path, body: {}, headers: { "Idempotency-Key": key } }),
    plastics: async (): Promise<View[]> =>
      (await program.call("GET /cards/{cardId}/plastics", { path })).body.items,
    updates: async (): Promise<{ kind: string }[]> =>
      (await program.call("GET /account-updates", { query: path })).body.items,
    balances: async () => {
      const { data } = (await program.call("GET /cards/{cardId}/balance", { path })).body;
      return [data.availableBalance, data.ledgerBalance];
    },
    clear: () =>
      program.call("POST /authorizations/{authorizationId}/clear", {
        ...{ path: { authorizationId }, body: {} },
      }),
  };
}

type Held = Awaited<ReturnType<typeof givenHeld>>;

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
    const of = await givenHeld(0);
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
      const of = await givenHeld(1);
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
  const buy = async (of: Held, plasticId: string) =>
    (await of.sandbox("authorizations", { amount: 100, plasticId })).body.data;

  test("comes before it or after it: what is approved is held, nothing else is", async () => {
    for (let round = 0; round < 6; round += 1) {
      const of = await givenHeld(0);
      const { plasticId } = await of.view();
      const [bought, replaced] = await Promise.all([buy(of, plasticId), of.replace("stolen", `k${round}`)]);
      expect(replaced.status).toBe(200);
      if (!bought.approved) expect(bought.declineReason).toBe("PLASTIC_STOPPED");
      expect(await of.balances()).toEqual([9_300 - (bought.approved ? 100 : 0), 10_000]);
      expect(await buy(of, plasticId)).toMatchObject({ declineReason: "PLASTIC_STOPPED" });
      expect((await of.plastics()).map(({ state }) => state)).toEqual(["stopped", "active"]);
    }
  });

  test("that was judged before the number was stopped is judged again", async () => {
    const of = await givenHeld(0);
    const { plasticId } = await of.view();
    using _ = interrupt(
      (command, input) => command.startsWith("TransactWrite") && input.includes("HOLD"),
      () => of.replace("lost", "one"),
    );
    expect(await buy(of, plasticId)).toMatchObject({ approved: false, declineReason: "PLASTIC_STOPPED" });
    expect(await of.balances()).toEqual([9_300, 10_000]);
  });

  test("that comes between its reads and its commit is held, and clears", async () => {
    const of = await givenHeld(0);
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
