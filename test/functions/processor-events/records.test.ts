import { expect, it } from "vitest";
import type { AppliedResult } from "../../../shared/network-events/plan.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { givenNetwork } from "../../harness/given-network.ts";

type Step = object | ((answers: readonly AppliedResult[]) => object);

const authorizationId = "A";
const purchase = { kind: "authorization", authorizationId, amount: 1_000 };
const more = { kind: "authorization_incremental", authorizationId, amount: 500 };
const advice = { kind: "authorization_advice", authorizationId, amount: 1_500 };
const reversal = { kind: "authorization_reversal", authorizationId };
const expiry = { kind: "authorization_expiry", authorizationId };
const clearing = { kind: "clearing", authorizationId, amount: 700 };
const forcePost = { kind: "clearing", amount: 3_000 };
const cash = { kind: "atm_withdrawal", authorizationId, amount: 1_000, feeAmount: 50 };
const cashTotal = (amount: number) => ({ ...cash, amount, advice: true, total: true });
const refund = { kind: "refund", amount: 250, srcAmount: 200, srcCurrency: "978" };
const fee = { kind: "fee", feeType: 2, amount: 300 };
const dispute: Step = ([first]) => ({ kind: "chargeback", transId: first?.transId });
const decided =
  (status: number): Step =>
  (answers) => ({ kind: "chargeback_outcome", chargebackId: answers.at(-1)?.chargebackId, status });

const text = expect.any(String);
const noEntity = { entityId: undefined };
const listed = { entityId: text, transStatus: 3, postDate: text };

/** What the last of some events writes. Its money is in money-rules.txt. */
it.each<[string, readonly Step[], object]>([
  ["a reversal", [purchase, reversal], { transType: 12, releasedMinor: 1_000, ...noEntity }],
  [
    "a reversal to a total",
    [purchase, { ...reversal, amount: 400, total: true }],
    { transType: 12, releasedMinor: 600 },
  ],
  ["an expiry", [purchase, expiry], { transType: 83, releasedMinor: 1_000 }],
  ["a decline", [{ ...purchase, amount: 10_001 }], { transType: 77, transStatus: 4, amountMinor: 10_001 }],
  ["an increment", [purchase, more], { transType: 11, transStatus: 1, amountMinor: 500 }],
  [
    "a declined one",
    [purchase, { ...more, amount: 9_001 }],
    { transType: 77, transStatus: 4, amountMinor: 9_001 },
  ],
  ["an advice", [advice], { transType: 2, transStatus: 1, amountMinor: 1_500 }],
  ["that of a stand-in", [{ ...advice, standIn: true }], { transType: 14 }],
  ["a higher total", [purchase, { ...advice, total: true }], { transType: 2, amountMinor: 500 }],
  [
    "a lower total",
    [purchase, { ...advice, amount: 400, total: true }],
    { transType: 12, releasedMinor: 600 },
  ],
  [
    "a clearing",
    [purchase, clearing],
    { ...listed, transType: 3, type: "DR", amountMinor: 700, releasedMinor: 1_000 },
  ],
  ["a clearing after the last", [purchase, clearing, clearing], { transType: 3, releasedMinor: 0 }],
  ["a force post", [forcePost], { ...listed, transType: 3, authorizationId: undefined }],
  [
    "a purchase's return",
    [clearing, { ...reversal, ofPosted: true }],
    { ...listed, transType: 54, amountMinor: 700 },
  ],
  ["a refund", [refund], { ...listed, transType: 54, type: "CR", amountMinor: 250 }],
  [
    "a refund's reversal",
    [refund, ([first]) => ({ kind: "refund_reversal", transId: first?.transId })],
    {
      ...listed,
      transType: 84,
      type: "DR",
      amountMinor: 250,
      srcAmountMinor: 200,
      srcCurrency: "978",
      relatedId: text,
    },
  ],
  [
    "a fee's reversal",
    [fee, ([first]) => ({ kind: "fee_reversal", feeId: first?.feeId })],
    { ...listed, transType: 17, type: "CR", amountMinor: 300, relatedId: text },
  ],
  ["a withdrawal's reversal", [cash, reversal], { transType: 50, type: "CR", relatedId: text }],
  [
    "a withdrawal's higher total",
    [cash, cashTotal(1_500)],
    { ...listed, transType: 38, type: "DR", amountMinor: 500 },
  ],
  ["a withdrawal's lower total", [cash, cashTotal(300)], { transType: 50, type: "CR", amountMinor: 700 }],
  [
    "its clearing",
    [cash, { ...clearing, amount: 1_000 }],
    { transType: 38, amountMinor: 0, relatedId: text, ...noEntity },
  ],
  [
    "its higher clearing",
    [cash, { ...clearing, amount: 1_300 }],
    { transType: 38, type: "DR", amountMinor: 300 },
  ],
  [
    "its lower clearing",
    [cash, { ...clearing, amount: 600 }],
    { transType: 50, type: "CR", amountMinor: 400 },
  ],
  [
    "a chargeback",
    [forcePost, dispute],
    { transType: 6, transStatus: 3, type: "CR", amountMinor: 3_000, relatedId: text },
  ],
  ["a represented one", [forcePost, dispute, decided(1)], { transType: 10, amountMinor: 0 }],
  ["a won one", [forcePost, dispute, decided(2)], { transType: 5, amountMinor: 0 }],
  ["a lost one", [forcePost, dispute, decided(3)], { transType: 7, amountMinor: 3_000 }],
  ["one that is written off", [forcePost, dispute, decided(4)], { transType: 9, amountMinor: 0 }],
  ["a reversed one", [forcePost, dispute, decided(5)], { transType: 8, amountMinor: 3_000 }],
  ["a chargeback of cash", [cash, dispute], { transType: 44, amountMinor: 1_000, relatedId: text }],
  ["a represented one of cash", [cash, dispute, decided(1)], { transType: 42, amountMinor: 0 }],
  ["a won one of cash", [cash, dispute, decided(2)], { transType: 43, amountMinor: 0 }],
  ["a lost one of cash", [cash, dispute, decided(3)], { transType: 45, amountMinor: 1_000 }],
  ["one of cash that is written off", [cash, dispute, decided(4)], { transType: 47, amountMinor: 0 }],
  ["a reversed one of cash", [cash, dispute, decided(5)], { transType: 46, amountMinor: 1_000 }],
])("%s is written", async (_, steps, expected) => {
  const { apply, record, everything } = await givenNetwork();
  const answers: AppliedResult[] = [];
  for (const step of steps)
    answers.push(await apply((typeof step === "function" ? step(answers) : step) as never));
  const absent = { entityId: undefined, authorizationId: undefined };
  const written: Record<string, unknown> = { ...absent, ...(await record(answers.at(-1)?.transId)) };
  expect(written).toMatchObject(expected);
  const { transType, amountMinor, entityId, postDate } = written;
  if (entityId === undefined || postDate === undefined || amountMinor === 0) return;
  // What is posted is told.
  const told = (await everything()).flatMap((item) => parseNotification(item) ?? []);
  const envelopes = told.map(({ body }) => JSON.parse(body));
  expect(envelopes).toContainEqual(
    expect.objectContaining({ TransType: transType, TransAmount: amountMinor }),
  );
});
