import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import type { Resolved } from "./answers.ts";
import type { DisputeRequest } from "./real-disputes.ts";
import { isSettlement, settled } from "./settlements.ts";

/** What is no event of the network. */
type Local =
  | { do: "deadline" | "status" | "block" | "split" | "close" | "replace" | "activate" | "endOlder" }
  | { do: "authenticate" | "challenge" | "tokenStep" }
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
  const disputeId = () => idOf("disputeId", "dispute");
  const depositId = () => idOf("depositId", "deposit");
  if (isSettlement(command)) {
    const { kind } = settled[command.do];
    return { kind, amount: command.amount, ...interchangeOf(command), ...referenceOf(command) };
  }
  const amount = "amount" in command ? command.amount : undefined;
  const ofSlot = (
    kind: "authorization" | `authorization_${string}` | "clearing",
    slot: number,
    more: object,
  ) => ({ kind, authorizationId: slotName(slot), amount, ...more }) as Partial<ProcessorEvent>;
  switch (command.do) {
    case "authorization":
      return ofSlot("authorization", command.slot, { partialApprovalSupported: command.supportsPartial });
    case "increment":
      return ofSlot("authorization_incremental", command.slot, { lastAttempt: command.isLast });
    case "incrementReversal":
      return {
        kind: "authorization_reversal",
        authorizationId: (answers.get(command.target ?? "")?.authorizationId as string) ?? slotName(0),
        incrementEventId: command.target ?? "unknown",
      };
    case "datedAdvice":
    case "datedReversal": {
      const kind = command.do === "datedAdvice" ? "authorization_advice" : "authorization_reversal";
      const occurredAt = `2026-01-01T00:00:0${command.occurred}.000Z`;
      return ofSlot(kind, command.dated, { total: true, occurredAt });
    }
    case "advice":
      return ofSlot("authorization_advice", command.slot, { total: command.total });
    case "reversal":
    case "postedReversal":
      return ofSlot("authorization_reversal", command.slot, {
        total: command.total && amount !== undefined,
        mayBeDone: command.mayBeDone,
        ...(command.do === "postedReversal" && { ofPosted: true }),
      });
    case "cashReversal": {
      const authorizationId = cashName(command.cash);
      return { kind: "authorization_reversal", authorizationId, amount, total: amount !== undefined };
    }
    case "cashClearing": {
      const final = command.final === undefined ? {} : { final: command.final };
      return { kind: "clearing", authorizationId: cashName(command.cash), amount: command.amount, ...final };
    }
    case "expiry":
      return { kind: "authorization_expiry", authorizationId: slotName(command.slot) };
    case "clearing": {
      const { final } = command;
      return ofSlot("clearing", command.slot, { final, ...interchangeOf(command), ...referenceOf(command) });
    }
    case "refundOf": {
      const originalTransId = idOf("transId", "transaction");
      return { kind: "refund", amount: command.amount, originalTransId, ...interchangeOf(command) };
    }
    case "refundReversal":
      return { kind: "refund_reversal", transId: idOf("transId", "transaction") };
    case "atm": {
      const { fee: feeAmount, advice, total } = command;
      return {
        ...{ kind: "atm_withdrawal", amount: command.amount, feeAmount, advice, total },
        ...interchangeOf(command),
        ...referenceOf(command),
        ...(command.cash !== undefined && { authorizationId: cashName(command.cash) }),
      };
    }
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
      return { kind: "chargeback", transId: idOf("transId", "transaction"), amount };
    case "outcome":
      return { kind: "chargeback_outcome", chargebackId: disputeId(), status: command.status };
    case "disputeOutcome":
      return { kind: "dispute_outcome", disputeId: disputeId(), status: command.status };
    case "deposit": {
      const kind = command.pending ? "deposit_pending" : "deposit_cleared";
      return { kind, accountType: 1, accountId: cardId, amount: command.amount, channel: "crypto" };
    }
    case "clearDeposit":
      return { kind: "deposit_cleared", depositId: depositId() };
    case "reverseDeposit":
      return { kind: "deposit_reversed", depositId: depositId() };
    case "returnDeposit":
      return { kind: "deposit_returned", depositId: depositId(), amount };
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
