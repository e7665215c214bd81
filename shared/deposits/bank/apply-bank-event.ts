import { type Change, foundAnew, later, nothing, type Unread, unread } from "../../changes/change.ts";
import { execute } from "../../changes/execute.ts";
import type { BankDeposited } from "../../contract/bank.ts";
import { DepositStatus } from "../../contract/enums.ts";
import type { Account } from "../../ledger/account.ts";
import { newId } from "../../platform/id.ts";
import { absent, any, isNew as isFree } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { findProgramOfAccount } from "../../tenancy/programs/collecting-account.ts";
import { type Program, readProgram } from "../../tenancy/programs/program.ts";
import { type Arrival, accountReads, decideArrival, type FoundAccount } from "../arrival.ts";
import { cardOfDeposit, type FoundDeposit, settleReported } from "../known-deposit.ts";
import { type SuspenseItem, suspenseItems } from "../suspense.ts";
import { takerAt } from "../takers.ts";
import { applyReturn } from "./apply-return.ts";
import { type Expected, findExpected } from "./find-expected.ts";
import { returnEarly } from "./give-back.ts";
import { type Matched, matchAccount } from "./match-account.ts";
import {
  amountsIn,
  type BankOutcome,
  type BankPayment,
  type BankReport,
  bankPayments,
  creditsIn,
  type Described,
  describe,
  findKnown,
  type Known,
  mostAlike,
  mostOfSum,
  namesIn,
  paymentNames,
  toIdentity,
} from "./payment.ts";

interface Report {
  readonly programId: string;
  readonly event: BankDeposited;
  readonly origin: string;
  readonly given: Described;
  readonly matched: Matched | undefined;
}

interface Found extends FoundAccount, Pick<FoundDeposit, "card"> {
  readonly known: Known | undefined;
  readonly expected: Expected | undefined | Unread;
  /** Only a payment that is known has one. */
  readonly suspense: SuspenseItem | undefined | Unread;
}

interface Outcome {
  readonly status: "applied" | "duplicate" | "suspense";
  readonly payment: BankPayment;
}

type PaymentChange = Change<Report, Found, Outcome, "NOT_FOUND">;

/** Books it with all its names in one commit: of two reports at once, the later one finds it. */
const reportedPayment: PaymentChange = {
  reads: ({ programId, given, matched }) => ({
    known: foundAnew(() => findKnown(programId, given)),
    expected: later(nothing),
    suspense: later(nothing),
    ...accountReads,
    card: cardOfDeposit,
    account: {
      get: async () => matched?.stored,
      parse: (stored) => matched && takerAt(programId, matched.account).parse(stored),
    },
  }),
  decide: (report, found, at) => {
    const { known } = found;
    if (!known) throw new Error("What is known of the payment was not read.");
    return known.same ? decideRepetition(report, known.same, found) : decidePayment(report, known, found, at);
  },
};

/** Files that are remembered of one payment. */
const mostPlaces = 20;

/** Once in each file, and of one account: a second one there is another payment. */
function decideRepetition(
  { origin, given: { place, account } }: Report,
  payment: BankPayment,
  { suspense }: Found,
): ReturnType<PaymentChange["decide"]> {
  const { programId, depositId, places = [] } = payment;
  const isOwn = payment.origin === origin;
  if (isOwn && suspense === unread) return { readMore: { suspense: suspenseItems.at(programId, depositId) } };
  const status = isOwn ? (suspense ? "suspense" : "applied") : "duplicate";
  const isNew = place !== undefined && !places.includes(place);
  if (!isNew && (account === undefined || payment.account !== undefined))
    return { done: { status, payment } };
  const set = {
    ...(isNew && { places: [...places, place].slice(-mostPlaces) }),
    ...(account !== undefined && { account }),
  };
  const asRead = { places: payment.places ?? absent, account: payment.account ?? absent };
  const noted = bankPayments.at(programId, depositId).update({ set }, asRead);
  return { writes: [noted], answer: { status, payment } };
}

function decidePayment(
  { programId, event, origin, given, matched }: Report,
  known: Known,
  found: Found,
  at: Date,
): ReturnType<PaymentChange["decide"]> {
  const suspend = toSuspension(event, known);
  if (!suspend && found.expected === unread) {
    const expected = foundAnew(() => findExpected(programId, event, matched?.account));
    return { readMore: { expected } };
  }
  const { amount: amountMinor, currency } = event;
  const expected = suspend || found.expected === unread ? undefined : found.expected;
  const settled = expected?.isOpen && settleReported(expected.deposit, amountMinor, at, found);
  const isOther = !settled || "rejected" in settled;
  const account = matched?.account ?? expected?.deposit.account;
  // Neither a Wallet nor a Card is named, but a deposit that another report has claimed.
  if (isOther && account && !matched && !found.account)
    return { readMore: { account: takerAt(programId, account) } };
  const depositId = isOther ? newId("deposit") : expected.deposit.depositId;
  const details = toArrival(event, account, matched?.reference);
  const arrival = { programId, depositId, amountMinor, currency, suspend, ...details };
  const there = account ? found : { ...found, account: undefined };
  const decided = isOther ? decideArrival(arrival, there, at) : settled;
  if ("readMore" in decided || "rejected" in decided) return decided;
  const { place, isNumbered: _, ...described } = given;
  const payment: BankPayment = {
    ...described,
    ...{ programId, depositId, origin },
    ...(place !== undefined && { places: [place] }),
    ...(known.alike && { isDoubtful: true }),
  };
  const status = decided.answer.suspenseId === undefined ? "applied" : "suspense";
  const writes = [...decided.writes, ...paymentWrites(payment, given, known)];
  return { ...decided, writes, answer: { status, payment } };
}

/** No text of the payer's as the account: it could be the id of one that does not match. */
function toArrival({ remittance }: BankDeposited, account: Account | undefined, written?: string) {
  const reference = written ?? remittance[0]?.slice(0, 140);
  return {
    account: account ?? { kind: "wallet", accountId: "none" },
    status: DepositStatus.cleared,
    channel: "bank",
    suspendUnknown: true,
    ...(reference !== undefined && { reference }),
  } as const;
}

function toSuspension({ suspend: note }: BankDeposited, { alike }: Known): Arrival["suspend"] {
  if (alike) return { reason: "POSSIBLE_DUPLICATE", duplicateOf: alike.depositId, ...(note && { note }) };
  return note === undefined ? undefined : { reason: "ENTRY_UNCLEAR", note };
}

/** Takes the free place of each name that may identify it: if two come at once, one writes it. */
function paymentWrites(payment: BankPayment, given: Described, { counts }: Known): WriteAction[] {
  const { programId, depositId, references } = payment;
  const identity = [...toIdentity(given), ...creditsIn(given)];
  const item = { programId, depositId };
  const others = [...namesIn(references), ...amountsIn(given)].filter((name) => !identity.includes(name));
  // A few payments lead to an entry of thousands.
  const isNeeded = (name: string) => !name.startsWith("sum:") || (counts.get(name) ?? 0) < mostOfSum;
  return [
    bankPayments.at(programId, depositId).create(payment),
    ...identity.filter(isNeeded).map((name) => {
      const count = counts.get(name) ?? 0;
      const place = count > mostAlike ? depositId : String(count).padStart(3, "0");
      return paymentNames.at(name, programId, place).put(item, any(isFree, item));
    }),
    ...others.map((name) => paymentNames.at(name, programId, depositId).put(item)),
  ];
}

/**
 * Applies what a bank reports, once, however it came. Repeated after a failure, it has its first
 * outcome. What differs from what was reported before goes to suspense. A return that comes before
 * its deposit is rejected, and remembered: the deposit is returned when it comes.
 * @throws ContendedError
 */
export async function applyBankEvent(report: BankReport): Promise<BankOutcome> {
  const { origin, file } = report;
  const { references } = report.event;
  // Banks write the letters of a UETR in either case.
  const uetr = references.uetr?.toLowerCase();
  const event = { ...report.event, references: { ...references, ...(uetr !== undefined && { uetr }) } };
  const program = await findProgram(report);
  if (!program && (event.account !== undefined || event.kind === "deposited"))
    return { status: "rejected", reason: `No Program collects on ${event.account}.` };
  if (event.kind === "returned") return applyReturn(event, program?.programId, origin);
  const { programId = "" } = program ?? {};
  const matched = await matchAccount(programId, event);
  const given = describe(event, matched?.account.accountId, file);
  const outcome = await execute(reportedPayment, { programId, event, origin, given, matched });
  if ("rejected" in outcome) throw new Error(`The Program ${programId} does not exist.`);
  const { status, payment } = outcome.answer;
  await returnEarly(payment);
  return { status, programId };
}

async function findProgram({ event: { account }, programId }: BankReport): Promise<Program | undefined> {
  if (programId !== undefined) return readProgram(programId);
  return account === undefined ? undefined : findProgramOfAccount(account);
}
