import { expect, it } from "vitest";
import { handler } from "../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../shared/contract/processor.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../harness/books.ts";
import { interruptEach } from "../harness/faults.ts";
import { givenActiveControls } from "../harness/given-active-controls.ts";
import { givenCard, givenWallet } from "../harness/given-cards.ts";
import { givenPayouts } from "../harness/given-payouts.ts";

/** A Card with a hold, or without one, or that spends from a Wallet; a payout that was sent. */
const cards = ["held", "free", "funded"] as const;

async function givenMoney(card: (typeof cards)[number]) {
  const { program, walletId, externalAccountId, created, send, report } = await givenPayouts(10_000);
  const { programId, call } = program;
  const otherId = await givenWallet(program, 1_000);
  const isFunded = card === "funded";
  const { cardId } = await givenCard(program, isFunded ? { fundingWalletId: walletId } : {});
  const path = { cardId };
  // Before any event: a process keeps for some seconds that there is none.
  const rules = { velocity: { amount: 4_900, window: "day" } } as const;
  await givenActiveControls({ programId, cardId }, [{ owner: "card", rules }]);
  if (!isFunded) await call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 6_000 } });
  const tell = async (event: object): Promise<Record<string, unknown>> =>
    (await handler({ eventId: newId("event"), programId, cardId, ...event } as ProcessorEvent)) as never;
  const hold = { authorizationId: "H", amount: 1_000 };
  if (card !== "free") await tell({ kind: "authorization", ...hold });
  const { transId } = await tell({ kind: "clearing", amount: 500 });
  const sent = await created();
  await send(sent.payoutId);

  const network = async (kind: string, event: object) => {
    const { outcome, code, approved, declineReason } = await tell({ kind, ...event });
    return [outcome, code, approved, declineReason].filter((one) => one !== undefined).join(" ");
  };
  const api = async (route: Parameters<typeof call>[0], body: object) => {
    const { status, body: answer } = await call(route, { path, body });
    return `${status} ${answer.code ?? answer.data?.transStatus ?? ""}`;
  };
  const transfer = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 6_500 };
  const deeds: Readonly<Record<string, () => Promise<string>>> = {
    authorize: () => network("authorization", { authorizationId: "N", amount: 2_500 }),
    clear: () => network("clearing", hold),
    forcePost: () => network("clearing", { amount: 5_200 }),
    withdraw: () => network("atm_withdrawal", { amount: 2_000 }),
    chargeback: () => network("chargeback", { transId }),
    putOnHold: () => api("PUT /cards/{cardId}/status", { status: 2 }),
    close: () => api("POST /cards/{cardId}/close", { sweepToWalletId: otherId }),
    unload: () => api("POST /cards/{cardId}/unload", { walletId, amount: 4_000 }),
    load: () => api("POST /wallets/transfer", transfer),
    replace: () => api("POST /cards/{cardId}/replace", { reason: "lost" }),
    fund: () => api("PUT /cards/{cardId}/funding", { fundingWalletId: isFunded ? otherId : walletId }),
    payOut: () => api("POST /payouts", { walletId, externalAccountId, amount: 6_000 }),
    payOutReturned: async () => (await report(sent.payoutId, { status: "returned" })).result,
  };
  /** What controls have counted, by what they still approve; then all balances. */
  const state = async () => {
    const ask = (authorizationId: string, amount: number) =>
      network("authorization", { authorizationId, amount });
    const after = [await ask("P", 1_600), await ask("Q", 1)];
    const items = await expectBooksInOrder(programId);
    const balances = [cardId, walletId, otherId].map((id) => {
      const { availableMinor, heldMinor, ledgerMinor } = balancesIn(items, id);
      return `${availableMinor}/${heldMinor}/${ledgerMinor}`;
    });
    const stored = items.find(({ pk, sk }) => sk === "CARD" && pk.endsWith(cardId));
    const wallet = [walletId, otherId].indexOf(String(stored?.fundingWalletId));
    return [...after, ...balances, stored?.issuerCardStatus, wallet].join(" ");
  };
  return { deed: (name: string) => (deeds[name] as () => Promise<string>)(), state };
}

type Pair = readonly [string, string];

async function inTurn(card: (typeof cards)[number], [one, other]: Pair): Promise<string[]> {
  const { deed, state } = await givenMoney(card);
  return [await deed(one), await deed(other), await state()];
}

/** The other one is done when the first has read, and is about to write for the n-th time. */
async function between(card: (typeof cards)[number], [one, other]: Pair, n: number) {
  const { deed, state } = await givenMoney(card);
  let writes = 0;
  let second: string | undefined;
  const picks = (command: string, input: string) => {
    const isWrite = /^(TransactWrite|Put|Update|Delete)/.test(command);
    if (writes >= n || !isWrite || !input.includes(environment.issuingTable)) return false;
    writes += 1;
    return writes === n;
  };
  const act = async () => {
    second = await deed(other);
  };
  using _ = interruptEach(picks, act);
  const first = await deed(one);
  return second === undefined ? undefined : [first, second, await state()];
}

/** The changes of money that write most items, and what they compete with. */
const names = [
  ...["authorize", "clear", "withdraw", "forcePost", "chargeback", "putOnHold", "close", "unload", "load"],
  ...["replace", "fund", "payOut", "payOutReturned"],
];

it.each(cards)(
  "two changes at once are as one after the other: a Card that is %s",
  async (card) => {
    const turns = new Map<string, string[]>();
    const odd: unknown[] = [];
    for (const one of names)
      for (const other of names) {
        const pair = [one, other] as const;
        turns.set(pair.join(), await inTurn(card, pair));
      }
    for (const one of names)
      for (const other of names)
        for (const n of [1, 2]) {
          const found = await between(card, [one, other], n);
          if (!found) break;
          const [, , after] = found;
          const [first, second] = [turns.get(`${one},${other}`) ?? [], turns.get(`${other},${one}`) ?? []];
          const allowed = [first, [second[1], second[0], second[2]]].map((turn) => turn.join("; "));
          expect(after).toBeTypeOf("string");
          if (!allowed.includes(found.join("; ")))
            odd.push({ one, other, n, found: found.join("; "), allowed });
        }
    const declined = [...turns.values()].filter(([, second = ""]) => second.includes("CONTROL_DECLINED"));
    expect(declined).not.toEqual([]);
    expect(odd).toEqual([]);
  },
  1_800_000,
);
