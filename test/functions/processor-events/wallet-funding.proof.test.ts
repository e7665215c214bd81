import { deepStrictEqual } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import type { Told } from "../../harness/given-network.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { givenFundedCards } from "./given-funded-cards.ts";

const cardCount = 3;

/** `nth` names an earlier authorization or posting, modulo their number. */
type Command =
  | { readonly do: "authorize" | "spend" | "refund" | "fee"; readonly card: number; readonly amount: number }
  | { readonly do: "cash"; readonly card: number; readonly amount: number; readonly fee: number }
  | {
      readonly do: "increment" | "advise" | "clear" | "settle";
      readonly nth: number;
      readonly amount: number;
    }
  | { readonly do: "reverse"; readonly nth: number; readonly amount?: number | undefined }
  | { readonly do: "refundOf"; readonly nth: number; readonly amount: number }
  | { readonly do: "expire"; readonly nth: number };

type Step =
  | { readonly step: "one" | "twice"; readonly command: Command }
  | { readonly step: "race"; readonly commands: readonly [Command, Command] }
  /** To a Wallet, by its place; or to the own account. */
  | { readonly step: "fund"; readonly card: number; readonly wallet: number | undefined };

/** What is held is for the account that paid then. */
interface Hold {
  readonly card: number;
  readonly payer: string;
  readonly authorizationId: string;
  authorized: number;
  released: number;
  finished: boolean;
}

interface Posting {
  readonly card: number;
  readonly payer: string;
  /** By which its record is known. */
  readonly eventId: string;
}

interface Model {
  readonly funding: (string | undefined)[];
  readonly ledger: Map<string, number>;
  readonly holds: Hold[];
  readonly postings: Posting[];
}

const own = (card: number) => `card ${card}`;
const ownAccounts = Array.from({ length: cardCount }, (_, card) => own(card));
const openOf = ({ finished, authorized, released }: Hold) =>
  finished ? 0 : Math.max(0, authorized - released);
const ledgerOf = ({ ledger }: Model, account: string) => ledger.get(account) ?? 0;
const heldOf = ({ holds }: Model, account: string) =>
  holds.reduce((sum, hold) => sum + (hold.payer === account ? openOf(hold) : 0), 0);
const availableOf = (model: Model, account: string) => ledgerOf(model, account) - heldOf(model, account);
const payerOf = ({ funding }: Model, card: number) => funding[card] ?? own(card);

const applied = { outcome: "applied" };
const approved = { ...applied, approved: true };
const declined = (declineReason: string) => ({ ...applied, approved: false, declineReason });
const illegal = { outcome: "refused", code: "ILLEGAL_TRANSITION" };

/** A command, with what it names: the same also where another comes first. */
type Named =
  | { readonly command: Extract<Command, { card: number }> }
  | { readonly command: Extract<Command, { nth: number }>; readonly of: string };

type OfEarlier = Extract<Named, { readonly of: string }>;

function name(model: Model, command: Command): Named | undefined {
  if ("card" in command) return { command };
  const all =
    command.do === "refundOf"
      ? model.postings.map(({ eventId }) => eventId)
      : model.holds.map(({ authorizationId }) => authorizationId);
  const of = all[command.nth % all.length];
  return of === undefined ? undefined : { command, of };
}

function happen(model: Model, named: Named, eventId: string): object {
  const before = ownAccounts.map((account) => availableOf(model, account));
  const answer = "of" in named ? follow(model, named, eventId) : begin(model, named.command, eventId);
  // What holds on the own account free, or lack, is the Wallet's that pays now.
  for (const [card, account] of ownAccounts.entries()) {
    const wallet = model.funding[card];
    const freed = availableOf(model, account) - (before[card] ?? 0);
    if (wallet === undefined) continue;
    credit(model, account, -freed);
    credit(model, wallet, freed);
  }
  return answer;
}

function credit({ ledger }: Model, account: string, amount: number): void {
  ledger.set(account, (ledger.get(account) ?? 0) + amount);
}

function begin(model: Model, command: Extract<Command, { card: number }>, eventId: string): object {
  const { card, amount } = command;
  const payer = payerOf(model, card);
  switch (command.do) {
    case "authorize": {
      const finished = availableOf(model, payer) < amount;
      model.holds.push({ card, payer, authorizationId: eventId, authorized: amount, released: 0, finished });
      return finished ? declined("INSUFFICIENT_FUNDS") : approved;
    }
    case "cash":
      if (availableOf(model, payer) < amount + command.fee) return declined("INSUFFICIENT_FUNDS");
      credit(model, payer, -command.fee);
      return { ...post(model, { card, payer, eventId }, amount), approved: true };
    case "spend":
      return post(model, { card, payer, eventId }, amount);
    case "fee":
    case "refund":
      credit(model, payer, command.do === "fee" ? -amount : amount);
      return applied;
  }
}

function post(model: Model, posting: Posting, amount: number): object {
  credit(model, posting.payer, -amount);
  model.postings.push(posting);
  return applied;
}

function follow(model: Model, { command, of }: OfEarlier, eventId: string): object {
  if (command.do === "refundOf") {
    const posting = model.postings.find((one) => one.eventId === of);
    if (posting) credit(model, posting.payer, command.amount);
    return applied;
  }
  const hold = model.holds.find(({ authorizationId }) => authorizationId === of);
  if (!hold) throw new Error(`There is no authorization ${of}.`);
  switch (command.do) {
    case "increment": {
      if (hold.finished) return declined("AUTHORIZATION_FINISHED");
      const more = { ...hold, authorized: hold.authorized + command.amount };
      const added = openOf(more) - openOf(hold);
      // What adds nothing asks no Wallet, also one below zero.
      const isAsked = added > 0 || hold.payer === own(hold.card);
      if (isAsked && availableOf(model, hold.payer) < added) return declined("INSUFFICIENT_FUNDS");
      hold.authorized = more.authorized;
      return approved;
    }
    case "advise":
      hold.authorized += command.amount;
      return approved;
    case "clear":
    case "settle":
      if (command.do === "clear") hold.released += command.amount;
      else hold.finished = true;
      return post(model, { ...hold, eventId }, command.amount);
    case "reverse":
    case "expire":
      if (hold.finished) return illegal;
      if (command.do === "reverse" && command.amount !== undefined) hold.released += command.amount;
      else hold.finished = true;
      return applied;
  }
}

/** Whichever came first. */
const inOrder = ({ holds, postings, ...model }: Model) => ({
  ...model,
  holds: new Map(holds.map((hold) => [hold.authorizationId, hold])),
  postings: new Set(postings),
});

type Real = Awaited<ReturnType<typeof givenReal>>;

async function givenReal(walletMinor: number, isSplit: boolean) {
  const { programId, walletId, cardIds, send, setFunding } = await givenFundedCards(walletMinor, cardCount);
  const wallets = [walletId, await givenStoredWallet(programId, walletMinor)];
  if (isSplit)
    for (const accountId of wallets) await splitWallet(programId, { kind: "wallet", accountId }, 0);
  const transIds = new Map<string, string | undefined>();
  return {
    wallets,
    fund: (card: number, wallet: string | undefined) => setFunding(wallet, cardIds[card]),
    send: async (card: number, named: Named, eventId: string) => {
      const event = { ...toEvent(named, eventId, transIds), eventId, cardId: cardIds[card] } as Told;
      const answer = (await send(event)) as Record<string, unknown>;
      transIds.set(eventId, answer.transId as string | undefined);
      const { outcome, code, approved, declineReason } = answer;
      return JSON.parse(JSON.stringify({ outcome, code, approved, declineReason }));
    },
    /** Of each account, once the whole of the books has been checked. */
    shown: async () => {
      const items = await expectBooksInOrder(programId, { statements: false });
      return [...wallets, ...cardIds].map((id) => {
        const { availableMinor, heldMinor, ledgerMinor } = balancesIn(items, id);
        return `${availableMinor} ${heldMinor} ${ledgerMinor}`;
      });
    },
  };
}

function toEvent(named: Named, eventId: string, transIds: ReadonlyMap<string, string | undefined>): object {
  const { command } = named;
  const { amount } = command as { readonly amount?: number };
  const authorizationId = "of" in named ? named.of : eventId;
  switch (command.do) {
    case "authorize":
      return { kind: "authorization", authorizationId, amount };
    case "increment":
      return { kind: "authorization_incremental", authorizationId, amount };
    case "advise":
      return { kind: "authorization_advice", authorizationId, amount };
    case "clear":
    case "settle":
      return { kind: "clearing", authorizationId, amount, final: command.do === "settle" };
    case "reverse":
      return { kind: "authorization_reversal", authorizationId, amount };
    case "expire":
      return { kind: "authorization_expiry", authorizationId };
    case "spend":
      return { kind: "clearing", amount };
    case "cash":
      return { kind: "atm_withdrawal", amount, feeAmount: command.fee };
    case "fee":
      return { kind: "fee", feeType: 5, amount };
    case "refund":
      return { kind: "refund", amount };
    case "refundOf":
      return { kind: "refund", amount, originalTransId: transIds.get(authorizationId) };
  }
}

function expected(model: Model, { wallets }: Real): string[] {
  return [...wallets, ...ownAccounts].map(
    (account) => `${availableOf(model, account)} ${heldOf(model, account)} ${ledgerOf(model, account)}`,
  );
}

function cardOf(model: Model, named: Named): number {
  if (!("of" in named)) return named.command.card;
  const found =
    model.holds.find(({ authorizationId }) => authorizationId === named.of) ??
    model.postings.find(({ eventId }) => eventId === named.of);
  return found?.card ?? 0;
}

/** The models in which all that has happened can have come out so. */
async function take(models: readonly Model[], real: Real, step: Step): Promise<readonly Model[]> {
  const [first] = models;
  if (!first) throw new Error("There is no model.");
  if (step.step === "fund") {
    const wallet = step.wallet === undefined ? undefined : real.wallets[step.wallet];
    // What is available on the own account stays there: then it cannot be changed.
    if (models.some((model) => availableOf(model, own(step.card)) !== 0)) return models;
    await real.fund(step.card, wallet);
    for (const model of models) model.funding[step.card] = wallet;
    return models;
  }
  const commands = step.step === "race" ? step.commands : [step.command];
  const named = commands.flatMap((command) => name(first, command) ?? []);
  if (named.length === 0) return models;
  const sent = named.map((one) => ({ named: one, eventId: newId("event"), card: cardOf(first, one) }));
  const copies = step.step === "twice" ? 2 : 1;
  const answers = await Promise.all(
    sent.map(async (one) => {
      const all = await Promise.all(
        Array.from({ length: copies }, () => real.send(one.card, one.named, one.eventId)),
      );
      for (const answer of all) deepStrictEqual(answer, all[0]);
      return all[0];
    }),
  );
  const orders = [sent, sent.toReversed()].slice(0, sent.length);
  const possible = models.flatMap((model) =>
    orders.map((order) => {
      const after = structuredClone(model);
      const said = new Map(order.map((one) => [one, happen(after, one.named, one.eventId)]));
      return { after, answers: sent.map((one) => said.get(one)) };
    }),
  );
  const shown = await real.shown();
  const agreeing = possible.filter(
    (one) => isDeepStrictEqual(one.answers, answers) && isDeepStrictEqual(expected(one.after, real), shown),
  );
  const [one] = possible;
  if (agreeing.length === 0 && one)
    deepStrictEqual(
      { step, answers, shown },
      { step, answers: one.answers, shown: expected(one.after, real) },
    );
  const after = agreeing.map((one) => one.after);
  // What came to the same in both orders is one model: else they would double with each race.
  const isFirst = (model: Model, index: number) =>
    after.findIndex((other) => isDeepStrictEqual(inOrder(other), inOrder(model))) === index;
  return after.filter(isFirst);
}

const amount = fc.integer({ min: 1, max: 400 });
const card = fc.nat({ max: cardCount - 1 });
const nth = fc.nat({ max: 1_000 });
const kind = <const T extends Command["do"]>(...kinds: T[]) => fc.constantFrom(...kinds);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: kind("authorize"), card, amount }) },
  { weight: 3, arbitrary: fc.record({ do: kind("spend", "refund", "fee"), card, amount }) },
  { weight: 2, arbitrary: fc.record({ do: kind("cash"), card, amount, fee: fc.nat({ max: 20 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: kind("increment", "advise", "clear", "settle", "refundOf"), nth, amount }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: kind("reverse"), nth, amount: fc.option(amount, { nil: undefined }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: kind("expire"), nth }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ step: fc.constant("one" as const), command }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("twice" as const), command }) },
  {
    weight: 4,
    arbitrary: fc.record({ step: fc.constant("race" as const), commands: fc.tuple(command, command) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ step: fc.constant("fund" as const), card },
      wallet: fc.constantFrom(0, 0, 1, undefined),
    }),
  },
);

it("Cards that spend from Wallets move what the reference model says, whichever pays at the time", async () => {
  const given = {
    walletMinor: fc.integer({ min: 0, max: 1_500 }),
    isSplit: fc.boolean(),
    steps: fc.array(step, { minLength: 30, maxLength: 30 }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(given), async ({ walletMinor, isSplit, steps }) => {
      const real = await givenReal(walletMinor, isSplit);
      const [one] = real.wallets;
      let models: readonly Model[] = [
        {
          funding: ownAccounts.map(() => one),
          ledger: new Map(real.wallets.map((wallet) => [wallet, walletMinor])),
          ...{ holds: [], postings: [] },
        },
      ];
      for (const each of steps) models = await take(models, real, each);
      expect(models.length).toBeGreaterThan(0);
    }),
    { numRuns: 6, endOnFailure: true, includeErrorInReport: true },
  );
}, 240_000);
