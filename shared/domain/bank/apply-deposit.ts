import type { BankDeposited } from "../../contract/bank.ts";
import { DestinationType } from "../../contract/enums.ts";
import { newId } from "../../platform/id.ts";
import { absent, any, isNew as isFree } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Deposit } from "../deposits/deposit.ts";
import { suspenseItems } from "../deposits/suspense.ts";
import { applyEvent } from "../network/execute-event.ts";
import type { DepositReport } from "../network/plan-deposit.ts";
import type { BankOutcome, BankReport } from "./apply-bank-event.ts";
import { findExpected } from "./claim-expected.ts";
import { type Described, describe, findKnown, identityOf, type Known, mostAlike } from "./known-payment.ts";
import { type Matched, matchAccount } from "./match-account.ts";
import { type BankPayment, bankPayments, namesIn, paymentNames } from "./payment.ts";
import { returnEarly } from "./return-early.ts";

/**
 * Books a payment with all its names in one commit: of two reports at once, the later one finds it.
 * What differs from what was reported before goes to suspense.
 * @throws ContendedError
 */
export async function applyDeposit(
  event: BankDeposited,
  programId: string,
  { origin, file }: Pick<BankReport, "origin" | "file">,
): Promise<BankOutcome> {
  const matched = await matchAccount(programId, event);
  const given = describe(event, matched?.account.accountId, file);
  const outcome = await retry(async () => {
    const known = await findKnown(programId, given);
    if (known.same) return repeat(known.same, given, origin);
    return (await book(event, { programId, origin, given, matched, known })) ?? new Conflict("bank payment");
  });
  await returnEarly(outcome.payment);
  return { status: outcome.status, programId };
}

interface Outcome {
  readonly status: "applied" | "duplicate" | "suspense";
  readonly payment: BankPayment;
}

/** Files that are remembered of one payment. */
const mostPlaces = 20;

/** Once in each file, and of one account: a second one there is another payment. */
async function repeat(
  payment: BankPayment,
  { place, account }: Described,
  origin: string,
): Promise<Outcome | Conflict> {
  const { programId, depositId, places = [] } = payment;
  const isNew = place !== undefined && !places.includes(place);
  if (isNew || (account !== undefined && payment.account === undefined)) {
    const set = {
      ...(isNew && { places: [...places, place].slice(-mostPlaces) }),
      ...(account !== undefined && { account }),
    };
    const asRead = {
      places: payment.places ?? absent,
      account: payment.account ?? absent,
    };
    const noted = await bankPayments.at(programId, depositId).updateNow({ set }, asRead);
    if (!noted.updated) return new Conflict("bank payment");
  }
  if (payment.origin !== origin) return { status: "duplicate", payment };
  const suspended = await suspenseItems.at(programId, depositId).get();
  return { status: suspended ? "suspense" : "applied", payment };
}

interface Booking {
  readonly programId: string;
  readonly origin: string;
  readonly given: Described;
  readonly matched: Matched | undefined;
  readonly known: Known;
}

/** Undefined if another report of it, or a change of the announced deposit, came between. */
async function book(
  event: BankDeposited,
  { programId, origin, given, matched, known }: Booking,
): Promise<Outcome | undefined> {
  const suspend = suspensionOf(event, known);
  const expected = suspend ? undefined : await findExpected(programId, event, matched?.account);
  const depositId = expected?.depositId ?? newId("deposit");
  const { place, isPart: _, ...described } = given;
  const payment: BankPayment = {
    ...described,
    programId,
    depositId,
    origin,
    ...(place !== undefined && { places: [place] }),
    ...(known.alike && { isDoubtful: true }),
  };
  const result = await applyEvent(
    {
      kind: "deposit_cleared",
      // A new one for each attempt: what is refused may be booked later.
      eventId: newId("event"),
      programId,
      depositId,
      amount: event.amount,
      currency: event.currency,
      channel: "bank",
      ...destination(event, matched, expected),
    },
    { suspendUnknown: true, report: { writes: writesOf(payment, given, known), suspend } },
  );
  if (result.outcome === "refused") return undefined;
  return { status: result.suspenseId === undefined ? "applied" : "suspense", payment };
}

/** No text of the payer's as the account: it could be the id of one that does not match. */
function destination(
  { remittance }: BankDeposited,
  matched: Matched | undefined,
  expected: Deposit | undefined,
) {
  const { kind = "wallet", accountId = "none" } = expected?.account ?? matched?.account ?? {};
  const reference = matched?.reference ?? remittance[0]?.slice(0, 140);
  return {
    accountType: kind === "card" ? DestinationType.card : DestinationType.wallet,
    accountId,
    ...(reference !== undefined && { reference }),
  };
}

function suspensionOf({ suspend: note }: BankDeposited, { alike }: Known): DepositReport["suspend"] {
  if (alike) return { reason: "POSSIBLE_DUPLICATE", duplicateOf: alike.depositId, ...(note && { note }) };
  return note === undefined ? undefined : { reason: "ENTRY_UNCLEAR", note };
}

/** Of names that may identify it, the place that was free: of two at once, one writes it. */
function writesOf(payment: BankPayment, given: Described, { counts }: Known): WriteAction[] {
  const { programId, depositId, references } = payment;
  const identity = identityOf(given);
  const item = { programId, depositId };
  const others = namesIn(references).filter((name) => !identity.includes(name));
  return [
    bankPayments.at(programId, depositId).create(payment),
    ...identity.map((name) => {
      const count = counts.get(name) ?? 0;
      const place = count > mostAlike ? depositId : String(count).padStart(3, "0");
      return paymentNames.at(name, programId, place).put(item, any(isFree, item));
    }),
    ...others.map((name) => paymentNames.at(name, programId, depositId).put(item)),
  ];
}
