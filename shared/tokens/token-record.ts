import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import type { TokenActor, TokenTrigger } from "../contract/tokens.ts";
import { listUpdate } from "../lists/entry.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { cardRecord } from "../transactions/card-record.ts";
import { type Transaction, transactionList, transactions } from "../transactions/transaction.ts";
import { type RecordedCard, transactionPut } from "../transactions/transaction-rules.ts";
import { type Token, tokenEvents } from "./token.ts";

const walletNames: Readonly<Record<Token["wallet"], string>> = {
  apple_pay: "Apple Pay",
  google_pay: "Google Pay",
  samsung_pay: "Samsung Pay",
  merchant: "a merchant",
  other: "a wallet",
};

const requestStatus = {
  approved: TransactionStatus.completion,
  step_up: TransactionStatus.pending,
  declined: TransactionStatus.declined,
} as const;

type Recorded = Pick<Token, "tokenId" | "transId" | "wallet" | "outcome" | "declineReason" | "decidedBy">;

/** The Card's record of a token's request (55). */
export function requestRecord(card: RecordedCard, token: Recorded, at: Date, occurredAt?: string) {
  const { tokenId, transId, wallet, outcome, declineReason, decidedBy } = token;
  const transStatus = requestStatus[outcome];
  return transactionPut(
    cardRecord(card, at, {
      ...{ transId, tokenId, relatedId: tokenId, referenceCode: transId },
      transType: TransactionType.token_activation_request,
      transStatus,
      type: "DR",
      amountMinor: 0,
      description: `Token requested by ${walletNames[wallet]}`,
      ...(occurredAt !== undefined && { transDate: occurredAt }),
      ...(transStatus === TransactionStatus.declined && { postDate: undefined }),
      ...(declineReason && { declineReason }),
      decidedBy,
    }),
  );
}

/** The request's record of a token whose verification ends. */
export function requestUpdate(
  before: Transaction,
  after: Pick<Transaction, "transStatus" | "declineReason">,
  at: Date,
): WriteAction {
  const { programId, cardId, transId, transStatus } = before;
  const isPosted = after.transStatus === TransactionStatus.completion;
  const set = { ...after, ...(isPosted && { postDate: timestamp(at) }) };
  return {
    ...transactions.at(programId, cardId, transId).update({ set }, { transStatus }),
    alongside: [listUpdate(transactionList, programId, transId, before, { ...before, ...set })],
    name: "requested",
  };
}

const stepTexts: Partial<Readonly<Record<TokenTrigger, string>>> = {
  confirm: "Token activated",
  fail: "Token declined",
  expire: "Token declined",
  suspend: "Token suspended",
  resume: "Token resumed",
};

/** The Card's record of a later step of a token (56), and the token's event. */
export function stepWrites(
  card: RecordedCard,
  token: Pick<Token, "tokenId" | "wallet" | "state">,
  step: { readonly trigger: TokenTrigger; readonly by: TokenActor; readonly reason?: string | undefined },
  at: Date,
  occurredAt?: string,
): WriteAction[] {
  const { tokenId, wallet } = token;
  const transId = newId("transaction");
  const record = cardRecord(card, at, {
    ...{ transId, tokenId, relatedId: tokenId, referenceCode: transId },
    transType: TransactionType.token_advice,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: 0,
    description: `${stepTexts[step.trigger] ?? "Token deleted"}: ${walletNames[wallet]}`,
    ...(occurredAt !== undefined && { transDate: occurredAt }),
  });
  return [transactionPut(record), eventPut(card.programId, token, { ...step, transId }, at)];
}

interface Happened {
  readonly trigger: TokenTrigger;
  readonly by: TokenActor;
  readonly reason?: string | undefined;
  readonly transId: string;
}

export function eventPut(
  programId: string,
  { tokenId, state }: Pick<Token, "tokenId" | "state">,
  { trigger, by, reason, transId }: Happened,
  at: Date,
): WriteAction {
  const entityId = newId("event");
  const createdAt = timestamp(at);
  return tokenEvents
    .at(programId, tokenId, entityId)
    .create({ entityId, trigger, state, by, ...(reason !== undefined && { reason }), transId, createdAt });
}
