import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import type { Resolved } from "./answers.ts";
import type { DisputeRequest } from "./real-disputes.ts";
import { isSettlement, settled } from "./settlements.ts";

/** What is no event of the network. */
type Local =
  | {
      do:
        | "deadline"
        | "status"
        | "block"
        | "split"
        | "close"
        | "replace"
        | "activate"
        | "endOlder"
        | "authenticate"
        | "challenge"
        | "tokenStep";
    }
  | DisputeRequest;
export type EventCommand = Exclude<Resolved, Local>;

/** `answers`: what earlier events were answered, for the ids that this one names. */
export function toEvent(
  command: EventCommand,
  cardId: string,
  answers: ReadonlyMap<string, Record<string, unknown>>,
): Partial<ProcessorEvent> {
  const idOf = (name: string, kind: Parameters<typeof newId>[0]) =>
    (answers.get(command.target ?? "")?.[name] as string | undefined) ?? newId(kind);
  if (isSettlement(command)) {
    const { kind } = settled[command.do];
    return { kind, amount: command.amount, ...interchangeOf(command), ...referenceOf(command) };
  }
  switch (command.do) {
    case "authorization":
      return {
        kind: "authorization",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        partialApprovalSupported: command.supportsPartial,
      };
    case "increment":
      return {
        kind: "authorization_incremental",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        lastAttempt: command.isLast,
      };
    case "incrementReversal":
      return {
        kind: "authorization_reversal",
        authorizationId: (answers.get(command.target ?? "")?.authorizationId as string) ?? slotName(0),
        incrementEventId: command.target ?? "unknown",
      };
    case "datedAdvice":
    case "datedReversal":
      return {
        kind: command.do === "datedAdvice" ? "authorization_advice" : "authorization_reversal",
        authorizationId: slotName(command.dated),
        amount: command.amount,
        total: true,
        occurredAt: `2026-01-01T00:00:0${command.occurred}.000Z`,
      };
    case "advice":
      return {
        kind: "authorization_advice",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        total: command.total,
      };
    case "reversal":
    case "postedReversal":
      return {
        kind: "authorization_reversal",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        total: command.total && command.amount !== undefined,
        mayBeDone: command.mayBeDone,
        ...(command.do === "postedReversal" && { ofPosted: true }),
      };
    case "cashReversal":
      return {
        kind: "authorization_reversal",
        authorizationId: cashName(command.cash),
        amount: command.amount,
        total: command.amount !== undefined,
      };
    case "cashClearing":
      return {
        kind: "clearing",
        authorizationId: cashName(command.cash),
        amount: command.amount,
        ...(command.final !== undefined && { final: command.final }),
      };
    case "expiry":
      return { kind: "authorization_expiry", authorizationId: slotName(command.slot) };
    case "clearing":
      return {
        kind: "clearing",
        authorizationId: slotName(command.slot),
        amount: command.amount,
        final: command.final,
        ...interchangeOf(command),
        ...referenceOf(command),
      };
    case "refundOf":
      return {
        kind: "refund",
        amount: command.amount,
        originalTransId: idOf("transId", "transaction"),
        ...interchangeOf(command),
      };
    case "refundReversal":
      return { kind: "refund_reversal", transId: idOf("transId", "transaction") };
    case "atm":
      return {
        kind: "atm_withdrawal",
        amount: command.amount,
        feeAmount: command.fee,
        advice: command.advice,
        total: command.total,
        ...interchangeOf(command),
        ...referenceOf(command),
        ...(command.cash !== undefined && { authorizationId: cashName(command.cash) }),
      };
    case "fee":
      return { kind: "fee", feeType: command.feeType, amount: command.amount };
    case "feeReversal":
      return { kind: "fee_reversal", feeId: idOf("feeId", "fee") };
    case "token":
      return {
        ...{ kind: "token_request", network: "visa", requestorId: "1" },
        wallet: command.steppedUp ? "apple_pay" : "google_pay",
        tokenReference: tokenName(command.reference),
      };
    case "inquiry":
      return { kind: "balance_inquiry" };
    case "refundAuthorization":
      return { kind: "refund_authorization", amount: command.amount };
    case "chargeback":
      return { kind: "chargeback", transId: idOf("transId", "transaction"), amount: command.amount };
    case "outcome":
      return {
        kind: "chargeback_outcome",
        chargebackId: idOf("disputeId", "dispute"),
        status: command.status,
      };
    case "disputeOutcome":
      return {
        kind: "dispute_outcome",
        disputeId: idOf("disputeId", "dispute"),
        status: command.status,
      };
    case "deposit":
      return {
        kind: command.pending ? "deposit_pending" : "deposit_cleared",
        accountType: 1,
        accountId: cardId,
        amount: command.amount,
        channel: "crypto",
      };
    case "clearDeposit":
      return { kind: "deposit_cleared", depositId: idOf("depositId", "deposit") };
    case "reverseDeposit":
      return { kind: "deposit_reversed", depositId: idOf("depositId", "deposit") };
    case "returnDeposit":
      return {
        kind: "deposit_returned",
        depositId: idOf("depositId", "deposit"),
        amount: command.amount,
      };
  }
}

/** Whether its sender tells another request with the same id from a repetition. */
export const hasHash = (command: Resolved) => "reply" in command;

const referenceOf = ({ reference }: { readonly reference?: number | undefined }) =>
  reference === undefined ? {} : { referenceCode: `settlement-${reference}` };

/** No balance of a Card depends on it: the books must add up all the same. */
function interchangeOf({ amount }: { readonly amount: number }): { interchange?: number } {
  return amount % 3 === 0 ? {} : { interchange: amount % 3 === 1 ? Math.ceil(amount / 50) : -amount };
}

const cashName = (cash: number) => `withdrawal-${cash}`;

export const tokenName = (reference: number) => `token-${reference}`;

export const slotName = (slot: number) => `authorization-${slot}`;
