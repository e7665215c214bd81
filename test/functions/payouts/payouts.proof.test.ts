import { deepStrictEqual } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { givenPayouts } from "./given-payouts.ts";

const fee = 7;
const approvalAbove = 300;

type Said = "accepted" | "completed" | "rejected" | "returned";

/** `nth` names an earlier payout, modulo their number. */
type Command =
  | { readonly do: "create"; readonly amount: number }
  | { readonly do: "approve" | "decline" | "cancel" | "send"; readonly nth: number }
  | {
      readonly do: "report";
      readonly nth: number;
      readonly said: Said;
      readonly amount?: number | undefined;
    };

type Step =
  | { readonly step: "one" | "again"; readonly command: Command }
  | { readonly step: "race"; readonly commands: readonly [Command, Command] };

interface Payout {
  readonly key: string;
  readonly amount: number;
  status: string;
  wasSent: boolean;
  wasRejected: boolean;
  returned?: number | undefined;
  returnedAgain: boolean;
}

interface Model {
  ledger: number;
  readonly payouts: Payout[];
}

const holding = new Set(["awaiting_approval", "pending", "sent"]);
const heldOf = ({ payouts }: Model) =>
  payouts.reduce((sum, { status, amount }) => sum + (holding.has(status) ? amount + fee : 0), 0);

/** With the key of what it creates or names. */
type Named = { readonly command: Command; readonly key: string };

const illegal = { status: 409, code: "ILLEGAL_TRANSITION" };
const answered = (state: string) => ({ status: 200, state });

function happen(model: Model, { command, key }: Named): object {
  if (command.do === "create") return create(model, key, command.amount);
  const payout = model.payouts.find((one) => one.key === key);
  if (!payout) throw new Error(`There is no payout ${key}.`);
  if (command.do === "report") return report(model, payout, command);
  const { status } = payout;
  if (command.do === "send") {
    if (status !== "pending") return { isSent: false };
    Object.assign(payout, { status: "sent", wasSent: true });
    return { isSent: true };
  }
  const isAwaiting = status === "awaiting_approval";
  if (!(isAwaiting || (status === "pending" && command.do === "cancel"))) return illegal;
  payout.status = { approve: "pending", decline: "declined", cancel: "cancelled" }[command.do];
  return answered(payout.status);
}

function create(model: Model, key: string, amount: number): object {
  const lacks = model.ledger - heldOf(model) < amount + fee;
  const status = lacks ? "declined" : amount > approvalAbove ? "awaiting_approval" : "pending";
  model.payouts.push({ key, amount, status, wasSent: false, wasRejected: false, returnedAgain: false });
  return answered(status);
}

type Report = Extract<Command, { do: "report" }>;

/** Money leaves once and comes back once, in whichever order the bank says so. */
function report(model: Model, payout: Payout, { said, amount }: Report): object {
  if (!payout.wasSent) return { result: "refused", reason: "NOT_SENT" };
  const { status } = payout;
  const hasLeft = status === "completed" || status === "returned";
  if (said === "accepted") return { result: "known" };
  if (said === "completed") {
    if (hasLeft) return { result: "known" };
    leave(model, payout, "completed");
    return { result: "applied" };
  }
  if (said === "rejected") {
    if (payout.wasRejected) return { result: "known" };
    payout.wasRejected = true;
    if (hasLeft) return { result: "kept" };
    payout.status = "rejected";
    return { result: "applied" };
  }
  const back = amount ?? payout.amount;
  if (back > payout.amount) return { result: "refused", reason: "AMOUNT_TOO_LARGE" };
  if (status === "returned") {
    if (back === payout.returned || payout.returnedAgain) return { result: "known" };
    payout.returnedAgain = true;
    return { result: "kept" };
  }
  if (!hasLeft) leave(model, payout, "returned");
  Object.assign(payout, { status: "returned", returned: back });
  model.ledger += back;
  return { result: "applied" };
}

function leave(model: Model, payout: Payout, status: string): void {
  payout.status = status;
  model.ledger -= payout.amount + fee;
}

function expected(model: Model) {
  const held = heldOf(model);
  const payouts = model.payouts.map(({ key, status, returned }) => `${key} ${status} ${returned}`);
  return {
    balances: { available: model.ledger - held, held, ledger: model.ledger },
    payouts: payouts.toSorted(),
  };
}

/** Whichever was created first. */
const inOrder = (model: Model) => ({ ...model, payouts: model.payouts.toSorted(byKey) });
const byKey = (one: Payout, other: Payout) => (one.key < other.key ? -1 : 1);

type Real = Awaited<ReturnType<typeof givenReal>>;

async function givenReal(walletMinor: number) {
  const given = await givenPayouts(walletMinor, { fee, approvalAbove });
  const ids = new Map<string, string>();
  return {
    send: async ({ command, key }: Named): Promise<object> => {
      if (command.do === "create") {
        const { status, body } = await given.create({ amount: command.amount }, { "Idempotency-Key": key });
        ids.set(key, body.data.payoutId);
        return { status, state: body.data.status };
      }
      const payoutId = ids.get(key) ?? "";
      if (command.do === "report") {
        const outcome = { status: command.said, amountMinor: command.amount, reasonCode: "MS03" };
        const { result, ...more } = await given.report(payoutId, outcome);
        return { result, ...("reason" in more && { reason: more.reason }) };
      }
      // Files take what is pending.
      if (command.do === "send")
        return {
          isSent: (await given.view(payoutId)).status === "pending" && (await given.send(payoutId)),
        };
      const { status, body } = await given[command.do](payoutId);
      return status === 200 ? answered(body.data.status) : { status, code: body.code };
    },
    /** Once the whole of the books has been checked. */
    shown: async () => {
      const views = await Promise.all(
        [...ids].map(async ([key, payoutId]) => {
          const { status, returnedAmount } = await given.view(payoutId);
          return `${key} ${status} ${returnedAmount}`;
        }),
      );
      return { balances: await given.balances(), payouts: views.toSorted() };
    },
  };
}

function name({ payouts }: Model, command: Command): Named | undefined {
  if (command.do === "create") return { command, key: newId("event") };
  const key = payouts[command.nth % payouts.length]?.key;
  return key === undefined ? undefined : { command, key };
}

/** The models in which all that has happened can have come out so. */
async function take(models: readonly Model[], real: Real, step: Step): Promise<readonly Model[]> {
  const [first] = models;
  if (!first) throw new Error("There is no model.");
  const commands = step.step === "race" ? step.commands : [step.command];
  const named = commands.flatMap((command) => name(first, command) ?? []);
  if (named.length === 0) return models;
  const answers = await Promise.all(named.map((one) => real.send(one)));
  // Its sender has lost the answer.
  if (step.step === "again" && named[0]?.command.do === "create")
    deepStrictEqual(await real.send(named[0]), answers[0]);
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
  const after = agreeing.map((one) => one.after);
  // What came to the same in both orders is one model: else they would double with each race.
  const isFirst = (model: Model, index: number) =>
    after.findIndex((other) => isDeepStrictEqual(inOrder(other), inOrder(model))) === index;
  return after.filter(isFirst);
}

const amount = fc.integer({ min: 1, max: 400 });
const nth = fc.nat({ max: 1_000 });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("create" as const), amount }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom<("approve" | "decline" | "cancel" | "send")[]>(
        ...(["approve", "approve", "decline", "cancel", "send", "send", "send", "send"] as const),
      ),
      nth,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ do: fc.constant("report" as const), nth },
      said: fc.constantFrom<Said[]>("accepted", "completed", "completed", "rejected", "returned", "returned"),
      amount: fc.option(amount, { nil: undefined, freq: 1 }),
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ step: fc.constantFrom("one" as const, "again" as const), command }) },
  {
    weight: 4,
    arbitrary: fc.record({ step: fc.constant("race" as const), commands: fc.tuple(command, command) }),
  },
  // Two messages of the bank about one payment at once, or the same one twice.
  {
    weight: 4,
    arbitrary: fc.tuple(command, command, fc.boolean()).map(([one, other, isSame]): Step => {
      const named = "nth" in one && "nth" in other ? { ...other, nth: one.nth } : other;
      return { step: "race", commands: [one, isSame && one.do === "report" ? one : named] };
    }),
  },
);

it("payouts move what the reference model says, whatever the bank says, in whichever order", async () => {
  const given = {
    walletMinor: fc.integer({ min: 300, max: 3_000 }),
    steps: fc.array(step, { minLength: 40, maxLength: 40 }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(given), async ({ walletMinor, steps }) => {
      const real = await givenReal(walletMinor);
      let models: readonly Model[] = [{ ledger: walletMinor, payouts: [] }];
      for (const each of steps) models = await take(models, real, each);
      expect(models.length).toBeGreaterThan(0);
    }),
    { numRuns: 8, endOnFailure: true, includeErrorInReport: true },
  );
}, 240_000);
