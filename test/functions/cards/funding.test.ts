import { describe, expect, it } from "vitest";
import { handler as statements } from "../../../functions/statements/handler.ts";
import { handler as walletHandler } from "../../../functions/wallets/handler.ts";
import { now } from "../../../shared/platform/clock.ts";
import { topUpInSteps } from "../../../shared/top-ups/top-up-card.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { replay } from "../../harness/replay.ts";
import { givenFundedCards } from "../processor-events/given-funded-cards.ts";

const A = "A";
const authorization = (amount: number, authorizationId = A) =>
  ({ kind: "authorization", authorizationId, amount }) as const;

async function givenFunding(walletMinor = 10_000) {
  const given = await givenFundedCards(walletMinor);
  const { programId, walletId, cardId, call } = given;
  const wallets = (route: EventOptions["route"], options: Partial<EventOptions> = {}) =>
    replay(walletHandler, apiEvent({ path: { walletId }, ...options, route, caller: { programId } }));
  const put = (body: object) => call("PUT /cards/{cardId}/funding", { body });
  /** The amounts of the Card's own statement of this month, which end at nothing. */
  const statement = async () => {
    const path = { cardId, period: now().toISOString().slice(0, 7) };
    const route = "GET /cards/{cardId}/statements/{period}";
    const { data } = (await replay(statements, apiEvent({ path, route, caller: { programId } }))).body;
    expect(data.closingBalance).toBe(0);
    return data.lines.map(({ amount }: { amount: number }) => amount);
  };
  return { ...given, wallets, put, statement };
}

describe("PUT /cards/{cardId}/funding", () => {
  it("moves all of the Card's money once, whatever else happens to it at once", async () => {
    const { put, send, balances, cardId, walletId, setFunding } = await givenFunding(0);
    await setFunding(undefined);
    await send({ kind: "refund", amount: 1_000 });
    const body = { fundingWalletId: walletId, moveBalance: true };
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => put(body)),
      ...Array.from({ length: 6 }, (_, index) => send(authorization(300, `race-${index}`))),
      ...Array.from({ length: 4 }, () => send({ kind: "refund", amount: 10 })),
    ]);
    expect(answers.slice(0, 4).map((answer) => (answer as { status: number }).status)).toEqual([
      200, 200, 200, 200,
    ]);
    const held = answers.filter((answer) => (answer as { approved?: boolean }).approved).length * 300;
    const [own = [], shared = []] = [await balances(cardId), await balances()];
    // What was held before stays on the Card. Nothing else does, and nothing is lost.
    expect(held).toBeGreaterThanOrEqual(300);
    expect([own[0], (own[1] ?? 0) + (shared[1] ?? 0)]).toEqual([0, held]);
    expect((own[2] ?? 0) + (shared[2] ?? 0)).toBe(1_040);
    const released = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        send({ kind: "authorization_reversal", authorizationId: `race-${index}` }),
      ),
    );
    expect(released).toHaveLength(6);
    expect([await balances(cardId), await balances()]).toEqual([
      [0, 0, 0],
      [1_040, 0, 1_040],
    ]);
  });

  it("ends a top-up's work: a Card that spends from a Wallet gets no money of its own", async () => {
    const { put, call, send, balances, cardId, walletId, programId, setFunding } = await givenFunding();
    await setFunding(undefined);
    const rule = { walletId, threshold: 1_000, amount: 500, active: true };
    expect((await call("PUT /cards/{cardId}/top-up", { body: rule })).status).toBe(200);
    await put({ fundingWalletId: walletId });
    await send(authorization(100));
    expect(await call("PUT /cards/{cardId}/top-up", { body: rule })).toMatchObject({
      ...{ status: 409, body: { code: "CARD_FUNDED_BY_WALLET" } },
    });
    await topUpInSteps({ programId, detail: { cardId } } as never);
    expect([await balances(cardId), await balances()]).toEqual([
      [0, 0, 0],
      [9_900, 100, 10_000],
    ]);
  });
});
