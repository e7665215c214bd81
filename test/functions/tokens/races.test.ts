import { afterEach, describe, expect, it, vi } from "vitest";
import { liveTokens } from "../../../shared/tokens/token.ts";
import { interrupt } from "../../harness/faults.ts";
import { givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenTokens } from "./given-tokens.ts";

afterEach(() => void vi.useRealTimers());

interface Made {
  readonly status: number;
}

/** A token that waits for its passcode, and all that can end that. */
async function givenVerifying() {
  const calls = await givenTokens({ otherwise: "step_up" });
  const { program, cardId } = calls;
  const subscription = await calls.subscribe({ cardId });
  const { tokenId } = await calls.request(cardId);
  const { code } = await calls.passcode(subscription);
  const close = async () => {
    const closed = await program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
    await sweepDeadlines();
    return closed;
  };
  const acts: Readonly<Record<string, () => Promise<Made>>> = {
    passcode: () => calls.enter(tokenId, code),
    "verify approved": () => calls.verify(tokenId, "approved"),
    "verify declined": () => calls.verify(tokenId, "declined"),
    "delete by the API": () => calls.remove(tokenId),
    "delete by the wallet": () => calls.walletEvent(tokenId, "delete"),
    "close of the Card": close,
  };
  return { ...calls, tokenId, act: (name: string) => (acts[name] as () => Promise<Made>)() };
}

type Verifying = Awaited<ReturnType<typeof givenVerifying>>;

/** What happened is told once, and what its end must leave behind, is not there. */
async function expectEnded(of: Verifying, made: Readonly<Record<string, number>>): Promise<void> {
  const { program, cardId, tokenId, view, records } = of;
  const did = (name: string) => made[name] === 200;
  const isApproved = did("passcode") || did("verify approved");
  const isDeleted = ["delete by the API", "delete by the wallet", "close of the Card"].some(did);
  const isDeclined = did("verify declined");
  const { state } = await view(tokenId);
  expect(state).toBe(isDeclined ? "declined" : isDeleted ? "deleted" : "active");
  expect(await records(cardId, { transType: "55" })).toMatchObject([{ transStatus: isApproved ? 3 : 4 }]);
  const steps = await records(cardId, { transType: "56" });
  expect(steps).toHaveLength(Number(isApproved) + Number(isDeclined) + Number(isDeleted && !isDeclined));
  const live = await liveTokens.at(program.programId, cardId).get();
  expect(live?.tokenIds?.has(tokenId) ?? false).toBe(state === "active");
  const challenges = (await storedItems(program.programId)).filter(({ sk }) => sk === "CHALLENGE");
  expect(challenges.map(({ code }) => code)).toEqual([undefined]);
}

/** The statuses of an act, and of another between its reads and its commit. */
async function actBetween(of: Verifying, outer: string, inner: string) {
  const made: Record<string, number> = {};
  using _ = interrupt(
    (command, input) => command.startsWith("TransactWrite") && input.includes("TOKEN_EVENT#"),
    async () => {
      made[inner] = (await of.act(inner)).status;
    },
  );
  made[outer] = (await of.act(outer)).status;
  return made;
}

const approvals = ["passcode", "verify approved"];
const ends = ["delete by the API", "delete by the wallet", "close of the Card"];
const pairs = approvals.flatMap((one) => ends.map((other) => [one, other] as const));

describe("an approval and a deletion of a token", () => {
  it.each(pairs)("%s and %s at once: it ends deleted, and each step happened once", async (one, other) => {
    const of = await givenVerifying();
    const [approved, ended] = await Promise.all([of.act(one), of.act(other)]);
    expect([200, 409]).toContain(approved.status);
    expect(ended.status).toBe(200);
    await expectEnded(of, { [one]: approved.status, [other]: ended.status });
  });

  it.each(pairs)("%s, with %s between its reads and its commit", async (one, other) => {
    const of = await givenVerifying();
    const made = await actBetween(of, one, other);
    expect(made).toEqual({ [one]: 409, [other]: 200 });
    await expectEnded(of, made);
  });

  it.each(pairs)(
    "%s between the reads and the commit of %s: it is active, and is deleted",
    async (one, other) => {
      const of = await givenVerifying();
      const made = await actBetween(of, other, one);
      expect(made).toEqual({ [one]: 200, [other]: 200 });
      await expectEnded(of, made);
    },
  );

  it("verify declined and a passcode and a deletion, all at once: the first decides", async () => {
    for (let round = 0; round < 3; round += 1) {
      const of = await givenVerifying();
      const names = ["passcode", "verify declined", "delete by the wallet"];
      const made = await Promise.all(names.map(async (name) => [name, (await of.act(name)).status] as const));
      await expectEnded(of, Object.fromEntries(made));
    }
  });
});

describe("a purchase and a step of its token", () => {
  /** `before`: done before its first event. */
  async function givenActive(before: (programId: string) => Promise<unknown> = async () => {}) {
    const calls = await givenTokens();
    const { program, cardId } = calls;
    await before(program.programId);
    await program.call("POST /cards/{cardId}/refunds", {
      ...{ api: "sandbox", path: { cardId }, body: { amount: 10_000 } },
    } as never);
    const { tokenId } = await calls.request(cardId);
    const spend = async (what: string, body: object = {}) =>
      (
        await program.call(
          `POST /cards/{cardId}/${what}` as never,
          {
            ...{ path: { cardId }, body: { amount: 100, tokenId, ...body } },
          } as never,
        )
      ).body.data;
    const balances = async () => {
      const { data } = (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body;
      return [data.availableBalance, data.ledgerBalance];
    };
    return { ...calls, tokenId, spend, balances };
  }

  const steps = ["suspend", "suspend by the wallet", "delete"] as const;
  const spent = ["authorizations", "atm-withdrawals"] as const;

  it.each(steps.flatMap((step) => spent.map((what) => [step, what] as const)))(
    "%s between the reads and the commit of one of %s declines it",
    async (step, what) => {
      const of = await givenActive();
      const act = () =>
        step === "delete"
          ? of.remove(of.tokenId)
          : step === "suspend"
            ? of.suspend(of.tokenId)
            : of.walletEvent(of.tokenId, "suspend");
      using _ = interrupt((command) => command.startsWith("TransactWrite"), act);
      expect(await of.spend(what)).toMatchObject({ approved: false, declineReason: "TOKEN_NOT_ACTIVE" });
      expect(await of.balances()).toEqual([10_000, 10_000]);
    },
  );

  it("that is in the suspension's way is held, and increments, clears and reverses after it", async () => {
    const of = await givenActive();
    let bought: { approved?: boolean; authorizationId?: string } = {};
    {
      using _ = interrupt(
        (command, input) => command.startsWith("TransactWrite") && input.includes("TOKEN_EVENT#"),
        async () => {
          bought = await of.spend("authorizations");
        },
      );
      expect((await of.suspend(of.tokenId)).status).toBe(200);
    }
    expect(bought.approved).toBe(true);
    expect(await of.spend("authorizations")).toMatchObject({ declineReason: "TOKEN_NOT_ACTIVE" });
    const path = { authorizationId: bought.authorizationId ?? "" };
    const cleared = await of.program.call("POST /authorizations/{authorizationId}/clear", { path, body: {} });
    expect(cleared.status).toBe(200);
    expect(await of.balances()).toEqual([9_900, 9_900]);
  });

  it("that the server is asked about came before a suspension meanwhile: the answer decides", async () => {
    const open = heldBack();
    const of = await givenActive((programId) => givenReceiver(programId, open.answer));
    const asked = of.spend("authorizations");
    await open.asked;
    expect((await of.suspend(of.tokenId)).status).toBe(200);
    open.reply({ kind: "approve", amountMinor: 100 });
    expect(await asked).toMatchObject({ approved: true });
    expect(await of.spend("authorizations")).toMatchObject({ declineReason: "TOKEN_NOT_ACTIVE" });
    expect(await of.balances()).toEqual([9_900, 10_000]);
  });
});
