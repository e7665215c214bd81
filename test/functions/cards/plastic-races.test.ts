import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { plastics } from "../../../shared/plastics/plastic.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { newId } from "../../../shared/platform/id.ts";
import { interrupt } from "../../harness/faults.ts";
import { type GivenProgram, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenHeld, type Held } from "./given-held.ts";

const dayMs = 86_400_000;
const purchaseCommits = (command: string, input: string) =>
  command.startsWith("TransactWrite") && input.includes("HOLD");
const plasticsChange = (command: string, input: string) =>
  command.startsWith("TransactWrite") && input.includes("PLASTIC#");

let program: GivenProgram;
beforeEach(async () => {
  program = await givenProgram();
});
afterEach(() => void vi.useRealTimers());

const states = async (of: Held) => (await of.plastics()).map(({ state }) => state);

/** What was held is still there, and clears, unless it is of a purchase that was made meanwhile. */
async function expectHeld(of: Held, boughtMinor = 0): Promise<void> {
  expect(await of.balances()).toEqual([9_300 - boughtMinor, 10_000]);
  expect((await of.clear()).status).toBe(200);
  expect(await of.balances()).toEqual([9_300 - boughtMinor, 9_300]);
}

/** Whether what is listed is what the Card says: one is active at most, one pending at most. */
async function expectChain(of: Held): Promise<void> {
  const [view, all] = [await of.view(), await of.plastics()];
  const having = (state: string) =>
    all.filter((one) => one.state === state).map(({ plasticId }) => plasticId);
  expect(having("pending")).toEqual(view.pendingPlasticId === undefined ? [] : [view.pendingPlasticId]);
  if (having("active").length > 0) expect(having("active")).toEqual([view.plasticId]);
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
}

/** A physical Card whose renewal is in the mail. */
async function givenRenewed() {
  const of = await givenHeld(program, 1);
  return { of, old: await of.view(), made: (await of.renew(newId("event"))).body.data };
}

describe("an activation", () => {
  test("and a renewal by the API at once: the Card has one active, and at most one in the mail", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { of, made } = await givenRenewed();
      const [activated, renewed] = await Promise.all([of.activate(made), of.renew(newId("event"))]);
      expect(activated.status).toBe(200);
      if (renewed.status !== 200) expect(renewed.body.code).toBe("REPLACEMENT_PENDING");
      expect(await states(of)).toEqual(
        ["replaced", "active", "pending"].slice(0, renewed.status === 200 ? 3 : 2),
      );
      await expectChain(of);
      await expectHeld(of);
    }
  });

  test("between the two reads of a renewal: it ends what is active by then, in sixty days", async () => {
    const { of, made } = await givenRenewed();
    let next = made;
    {
      // The plastics are read before the activation, and the Card after it.
      using _ = interrupt(
        (command, input) => command.startsWith("Get") && input.includes('"sk":"CARD"'),
        () => of.activate(made),
      );
      next = (await of.renew(newId("event"))).body.data;
    }
    expect(next).toMatchObject({ sequence: 3, state: "pending", activateBy: expect.any(String) });
    expect(await states(of)).toEqual(["replaced", "active", "pending"]);
    await expectChain(of);
    expect(await deadlines.at(program.programId, `plastic:${of.path.cardId}`).get()).toMatchObject({
      plasticId: next.plasticId,
    });
  });

  test("of the renewal that the platform made, and the next day's pass: nothing is made twice", async () => {
    const year = new Date().getUTCFullYear() + 3;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year, 0, 1) });
    const path = { programId: program.programId };
    await program.call("PUT /account/programs/{programId}/settings", { path, body: { autoRenew: true } });
    const of = await givenHeld(program, 1, { expiryMonth: 3, expiryYear: year });
    vi.setSystemTime(Date.UTC(year, 3, 1) - 45 * dayMs);
    await sweepDeadlines();
    const [, made] = await of.plastics();
    expect(await states(of)).toEqual(["active", "pending"]);
    vi.setSystemTime(Date.now() + dayMs);
    const [activated] = await Promise.all([of.activate(made ?? {}), sweepDeadlines()]);
    expect(activated.status).toBe(200);
    vi.setSystemTime(Date.now() + dayMs);
    await sweepDeadlines();
    expect(await states(of)).toEqual(["replaced", "active"]);
    await expectChain(of);
  });

  test("loses against a close, or comes before it: nothing is active on a closed Card", async () => {
    for (const order of ["at once", "activated within the close", "closed within the activation"]) {
      const { of, made } = await givenRenewed();
      await of.clear();
      const sweepToWalletId = await givenWallet(program);
      const close = () => of.close({ sweepToWalletId });
      let inner: Promise<{ status: number }> | undefined;
      const within = (act: () => Promise<{ status: number }>, picks: Parameters<typeof interrupt>[0]) =>
        interrupt(picks, async () => {
          inner = act();
          await inner;
        });
      if (order === "at once") {
        const [closed] = await Promise.all([close(), of.activate(made)]);
        expect(closed.status).toBe(200);
      } else if (order === "activated within the close") {
        using _ = within(
          () => of.activate(made),
          (command, input) => command.startsWith("TransactWrite") && input.includes("closedAt"),
        );
        expect((await close()).status).toBe(200);
        expect((await inner)?.status).toBe(200);
      } else {
        using _ = within(close, plasticsChange);
        expect((await of.activate(made)).body.code).toBe("ILLEGAL_TRANSITION");
        expect((await inner)?.status).toBe(200);
      }
      expect(await of.view()).toMatchObject({ issuerCardStatus: 3 });
      expect(await states(of)).toEqual(["closed", "closed"]);
      expect(await of.balances()).toEqual([0, 0]);
      expect(await of.buy()).toMatchObject({ declineReason: "CARD_CLOSED" });
      expect((await of.activate(made)).status).toBe(409);
    }
  });
});

describe("a report of a loss", () => {
  test("within the close: the list has the Card once, closed, with the number that it has then", async () => {
    const of = await givenHeld(program, 0);
    await of.clear();
    const sweepToWalletId = await givenWallet(program);
    const old = await of.view();
    {
      using _ = interrupt(
        (command, input) => command.startsWith("TransactWrite") && input.includes("closedAt"),
        () => of.replace("lost", newId("event")),
      );
      expect((await of.close({ sweepToWalletId })).status).toBe(200);
    }
    const { maskedCardNumber } = await of.view();
    expect(maskedCardNumber).not.toBe(old.maskedCardNumber);
    expect(await states(of)).toEqual(["stopped", "closed"]);
    const listed = async (query: Record<string, string>) =>
      (await program.call("GET /cards", { query })).body.items.map((one: typeof old) => [
        one.maskedCardNumber,
        one.status,
      ]);
    const closed = [[maskedCardNumber, 3]];
    expect(await listed({})).toEqual(closed);
    expect(await listed({ lastFour: maskedCardNumber.slice(-4) })).toEqual(closed);
    expect(await listed({ lastFour: old.maskedCardNumber.slice(-4) })).toEqual([]);
    expect(await listed({ issuerCardStatus: "1" })).toEqual([]);
  });

  test("between the reads of another replacement stops what that has made", async () => {
    for (const cardForm of [0, 1] as const) {
      const of = await givenHeld(program, cardForm);
      {
        // The plastics are read before the renewal, and the Card after it.
        using _ = interrupt(
          (command, input) => command.startsWith("Get") && input.includes('"sk":"CARD"'),
          () => of.renew(newId("event")),
        );
        expect((await of.replace("lost", newId("event"))).status).toBe(200);
      }
      expect(await states(of)).toEqual(["stopped", "stopped", cardForm === 1 ? "pending" : "active"]);
      await expectChain(of);
      await expectHeld(of);
    }
  });

  test.each([
    ["a purchase", "authorizations", {}],
    ["a withdrawal", "atm-withdrawals", {}],
    ["a recurring purchase", "authorizations", { entryMode: "recurring" }],
  ])("comes before or after %s on the old number, never between", async (_, what, more) => {
    for (let round = 0; round < 4; round += 1) {
      const of = await givenHeld(program, 1);
      const { plasticId } = await of.view();
      const [answer, replaced] = await Promise.all([
        of.sandbox(what, { amount: 100, plasticId, ...more }),
        of.replace("stolen", newId("event")),
      ]);
      const bought = answer.body.data;
      expect(replaced.status).toBe(200);
      if (!bought.approved) expect(bought.declineReason).toBe("PLASTIC_STOPPED");
      const again = (await of.sandbox(what, { amount: 100, plasticId, ...more })).body.data;
      expect(again).toMatchObject({ approved: false, declineReason: "PLASTIC_STOPPED" });
      const [available] = await of.balances();
      expect(available).toBe(9_300 - (bought.approved ? 100 : 0));
    }
  });

  test.each(["authorizations", "atm-withdrawals"])(
    "between the reads and the commit of one of %s declines it",
    async (what) => {
      const of = await givenHeld(program, 1);
      const { plasticId } = await of.view();
      const before = await of.balances();
      using _ = interrupt(
        (command) => command.startsWith("TransactWrite"),
        () => of.replace("lost", newId("event")),
      );
      const { data } = (await of.sandbox(what, { amount: 100, plasticId })).body;
      expect(data).toMatchObject({ approved: false, declineReason: "PLASTIC_STOPPED" });
      expect(await of.balances()).toEqual(before);
    },
  );
});

describe("the end of the sixty days", () => {
  /** A renewal that was not activated; its older plastic ends now. */
  async function givenDue() {
    vi.useFakeTimers({ toFake: ["Date"] });
    const given = await givenRenewed();
    vi.setSystemTime(Date.now() + 60 * dayMs);
    return given;
  }

  test("and a purchase at once: it is held, or declined for the plastic that waits", async () => {
    const { of, old } = await givenDue();
    const [bought] = await Promise.all([of.buy(), sweepDeadlines()]);
    if (!bought.approved) expect(bought.declineReason).toBe("CARD_NOT_ACTIVATED");
    expect(await states(of)).toEqual(["replaced", "pending"]);
    expect(await of.balances()).toEqual([9_300 - (bought.approved ? 100 : 0), 10_000]);
    expect(await of.buy({ plasticId: old.plasticId })).toMatchObject({ declineReason: "PLASTIC_REPLACED" });
    expect(await of.buy({ plasticId: old.plasticId, entryMode: "recurring" })).toMatchObject({
      approved: true,
    });
  });

  test.each([
    ["names no plastic", () => ({}), "CARD_NOT_ACTIVATED"],
    ["names the old one", (plasticId: string) => ({ plasticId }), "PLASTIC_REPLACED"],
  ] as const)("between reads and commit declines a purchase that %s", async (_, body, declineReason) => {
    const { of, old } = await givenDue();
    using _interrupted = interrupt(purchaseCommits, () => sweepDeadlines());
    expect(await of.buy(body(old.plasticId))).toMatchObject({ approved: false, declineReason });
    expect(await of.balances()).toEqual([9_300, 10_000]);
  });

  test("leaves a purchase that came before its commit: it is held, and clears", async () => {
    const { of } = await givenDue();
    let bought = { approved: false };
    {
      using _ = interrupt(plasticsChange, async () => {
        bought = await of.buy();
      });
      await sweepDeadlines();
    }
    expect(bought.approved).toBe(true);
    expect(await states(of)).toEqual(["replaced", "pending"]);
    await expectHeld(of, 100);
  });

  test("and the activation at once: the new one is active, whatever came first", async () => {
    for (const order of ["at once", "ended within the activation", "activated within the end"]) {
      const { of, made } = await givenDue();
      const activate = async () => {
        const { status } = await of.activate(made);
        return status === 200 ? status : (await of.activate(made)).status;
      };
      if (order === "at once") await Promise.all([activate(), sweepDeadlines()]);
      if (order === "ended within the activation") {
        using _ = interrupt(plasticsChange, () => sweepDeadlines());
        expect(await activate()).toBe(200);
      }
      if (order === "activated within the end") {
        using _ = interrupt(plasticsChange, activate);
        await sweepDeadlines();
      }
      vi.setSystemTime(Date.now() + 120_000);
      await sweepDeadlines();
      expect(await states(of)).toEqual(["replaced", "active"]);
      expect((await of.view()).plasticId).toBe(made.plasticId);
      expect(await of.buy()).toMatchObject({ approved: true });
      await expectChain(of);
      expect(await plastics.at(program.programId, of.path.cardId, made.plasticId).get()).toMatchObject({
        state: "active",
      });
      vi.useRealTimers();
    }
  });
});
