import { deepStrictEqual } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { handler as wallets } from "../../../../functions/wallets/handler.ts";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { toDepositReference } from "../../../../shared/contract/creditor-reference.ts";
import { deposits } from "../../../../shared/deposits/deposit.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { apiEvent } from "../../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { replay } from "../../../harness/replay.ts";
import { givenBank, statusOf } from "./given-bank.ts";

/** `nth` names an earlier expectation, or an earlier report, modulo their number. */
type Command =
  | { readonly do: "announce"; readonly amount: number; readonly reference?: string | undefined }
  | { readonly do: "cancel"; readonly nth: number }
  /** Another transfer: what its payer writes names an expectation, or only the Wallet. */
  | {
      readonly do: "report";
      readonly amount: number;
      readonly nth?: number | undefined;
      readonly reference?: string | undefined;
    }
  /** The bank says it once more, by another file. */
  | { readonly do: "repeat"; readonly nth: number };

type Step =
  | { readonly step: "one"; readonly command: Command }
  | { readonly step: "race"; readonly commands: readonly [Command, Command] };

interface Expectation {
  readonly key: string;
  readonly announced: number;
  readonly reference?: string | undefined;
  status: "pending" | "cleared" | "reversed";
  amount: number;
}

interface Model {
  available: number;
  readonly expectations: Expectation[];
  /** Transfers, by their keys. */
  readonly reported: string[];
}

/** What it names has been chosen: the same also where another comes first. */
interface Named {
  readonly command: Command;
  /** Of what is announced, or of the transfer. */
  readonly key: string;
  /** The expectation that its payer has named. */
  readonly of?: string | undefined;
}

function name({ expectations, reported }: Model, command: Command): Named | undefined {
  const of = (nth: number) => expectations[nth % expectations.length]?.key;
  switch (command.do) {
    case "announce":
      return { command, key: newId("event") };
    case "report":
      return { command, key: newId("event"), of: command.nth === undefined ? undefined : of(command.nth) };
    case "cancel": {
      const key = of(command.nth);
      return key === undefined ? undefined : { command, key };
    }
    case "repeat": {
      const key = reported[command.nth % reported.length];
      return key === undefined ? undefined : { command, key };
    }
  }
}

function happen(model: Model, { command, key, of }: Named): object {
  const { expectations, reported } = model;
  switch (command.do) {
    case "announce": {
      const { amount, reference } = command;
      expectations.push({ key, announced: amount, reference, status: "pending", amount });
      return { status: 200 };
    }
    case "cancel": {
      const expectation = expectations.find((one) => one.key === key);
      if (expectation?.status !== "pending") return { status: 409 };
      expectation.status = "reversed";
      return { status: 200 };
    }
    case "repeat":
      return { outcome: "duplicate" };
    case "report": {
      reported.push(key);
      const claimed = claim(model, of, command);
      if (claimed) Object.assign(claimed, { status: "cleared", amount: command.amount });
      model.available += command.amount;
      return { outcome: "applied" };
    }
  }
}

/** By what names it; else, where that names nothing, by the amount alone. The oldest is first. */
function claim(
  { expectations }: Model,
  of: string | undefined,
  { amount, reference }: Extract<Command, { do: "report" }>,
): Expectation | undefined {
  const named = expectations.filter(
    (one) =>
      one.key === of ||
      (of === undefined &&
        reference !== undefined &&
        one.reference === reference &&
        one.status !== "reversed"),
  );
  const open = expectations.filter(({ status }) => status === "pending");
  const isExact = (one: Expectation) => one.announced === amount;
  const byName = open.filter((one) => named.includes(one));
  if (byName.length > 0) return byName.find(isExact) ?? byName[0];
  return named.length > 0 ? undefined : open.find(isExact);
}

type Real = Awaited<ReturnType<typeof givenReal>>;

async function givenReal() {
  const { programId, wallet, arrived, report } = await givenBank();
  const ids = new Map<string, string>();
  const transfers = new Map<string, BankEvent>();
  const call = (route: string, path: object, body?: object) =>
    replay(wallets, apiEvent({ route, caller: { programId }, path, body } as Parameters<typeof apiEvent>[0]));
  const toTransfer = ({ command, key, of }: Named & { command: { do: "report" } }) => {
    const { amount, reference } = command as Extract<Command, { do: "report" }>;
    const named = of === undefined ? reference : toDepositReference(ids.get(of) ?? "");
    const remittance = [...(named === undefined ? [] : [`Payment ${named}. Thanks`]), `For ${wallet}`];
    return arrived({ bankReference: key, remittance, amount });
  };
  return {
    send: async (named: Named): Promise<object> => {
      const { command, key } = named;
      if (command.do === "announce") {
        const { amount, reference } = command;
        const sent = { amount, ...(reference !== undefined && { reference }) };
        const { status, body } = await call(
          "POST /wallets/{walletId}/bank-deposit",
          { walletId: wallet },
          sent,
        );
        ids.set(key, body.data.depositId);
        return { status };
      }
      if (command.do === "cancel") {
        const { status } = await call("POST /deposits/{depositId}/cancel", { depositId: ids.get(key) });
        return { status };
      }
      if (command.do === "report") transfers.set(key, toTransfer({ ...named, command }));
      return { outcome: statusOf(await report(transfers.get(key) as BankEvent)) };
    },
    /** Once the whole of the books has been checked. */
    shown: async () => {
      const items = await expectBooksInOrder(programId);
      const { availableMinor, pendingDepositMinor, ledgerMinor } = balancesIn(items, wallet);
      const stored = await Promise.all(
        [...ids].map(async ([key, depositId]) => {
          const { status, amountMinor } = await deposits.at(programId, depositId).require();
          return `${key} ${["pending", "cleared", "reversed"][status]} ${amountMinor}`;
        }),
      );
      return { balances: [availableMinor, pendingDepositMinor, ledgerMinor], deposits: stored.toSorted() };
    },
  };
}

function expected({ available, expectations }: Model) {
  const pending = expectations.reduce(
    (sum, { status, announced }) => sum + (status === "pending" ? announced : 0),
    0,
  );
  const shown = expectations.map(({ key, status, amount }) => `${key} ${status} ${amount}`);
  return { balances: [available, pending, available + pending], deposits: shown.toSorted() };
}

/** The models in which all that has happened can have come out so. */
async function take(models: readonly Model[], real: Real, step: Step): Promise<readonly Model[]> {
  const [first] = models;
  if (!first) throw new Error("There is no model.");
  const commands = step.step === "race" ? step.commands : [step.command];
  const named = commands.flatMap((command) => name(first, command) ?? []);
  if (named.length === 0) return models;
  const answers = await Promise.all(named.map((one) => real.send(one)));
  const orders = [named, named.toReversed()].slice(0, named.length);
  const possible = models.flatMap((model) =>
    orders.map((order) => {
      const after = structuredClone(model);
      const said = new Map(order.map((one) => [one, happen(after, one)]));
      return { after, answers: named.map((one) => said.get(one)) };
    }),
  );
  const shown = await real.shown();
  const agreeing = possible.filter(
    (one) => isDeepStrictEqual(one.answers, answers) && isDeepStrictEqual(expected(one.after), shown),
  );
  const [one] = possible;
  if (agreeing.length === 0 && one)
    deepStrictEqual({ step, answers, shown }, { step, answers: one.answers, shown: expected(one.after) });
  const after = agreeing.map((agreed) => agreed.after);
  // What came to the same in both orders is one model: else they would double with each race.
  const inOrder = (model: Model) => ({ ...model, reported: model.reported.toSorted() });
  return after.filter(
    (model, index) => after.findIndex((other) => isDeepStrictEqual(inOrder(other), inOrder(model))) === index,
  );
}

const amount = fc.constantFrom(100, 100, 200, 250);
const nth = fc.nat({ max: 1_000 });
const reference = fc.constantFrom(undefined, "INV8871", "INV8872");
const announce = fc.record({ do: fc.constant("announce" as const), amount, reference });
const later: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), nth }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("report" as const), amount, reference }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("report" as const), amount, nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat" as const), nth }) },
);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 2, arbitrary: announce },
  { weight: 3, arbitrary: later },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ step: fc.constant("one" as const), command }) },
  // Which of two that are announced at once is the older cannot be known.
  {
    weight: 1,
    arbitrary: fc.record({ step: fc.constant("race" as const), commands: fc.tuple(command, later) }),
  },
);

beforeEach(() => {
  vi.stubEnv("SIMULATED_BANK", "false");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it("expected deposits are claimed as the reference model says, each by one transfer", async () => {
  const steps = fc.array(step, { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const real = await givenReal();
      let models: readonly Model[] = [{ available: 0, expectations: [], reported: [] }];
      for (const each of all) models = await take(models, real, each);
      expect(models.length).toBeGreaterThan(0);
    }),
    { numRuns: 6, endOnFailure: true, includeErrorInReport: true },
  );
}, 240_000);
