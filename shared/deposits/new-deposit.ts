import { type Redelivery, toRedelivery } from "../changes/change.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import type { ContraAccount } from "../ledger/postings.ts";
import { listInsert } from "../lists/entry.ts";
import { timestamp } from "../platform/clock.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { pick } from "../platform/pick.ts";
import {
  accountDepositList,
  type Deposit,
  depositCleared,
  depositList,
  depositPending,
  deposits,
  fundingAccounts,
  type NewDeposit,
} from "./deposit.ts";
import { takers } from "./takers.ts";

export interface DepositChange {
  readonly commit: Commit;
  /** Its notification, which a repetition of its event sends again. */
  readonly redelivery: Redelivery | undefined;
}

/**
 * Pending, or cleared without having been pending.
 * Failed conditions: `account` and `deposit`.
 */
export function newDeposit(
  given: NewDeposit,
  at: Date,
  from: ContraAccount = fundingAccounts[given.channel],
): DepositChange {
  const { programId, depositId, account, amountMinor } = given;
  const isPending = given.status === DepositStatus.pending;
  const taker = takers[account.kind];
  const deposit = { ...given, createdAt: timestamp(at), ...taker.newIds(given) };
  const postings = (isPending ? depositPending : depositCleared)(account.accountId, from, amountMinor);
  const kind = isPending ? "deposit_pending" : "deposit_cleared";
  const event = depositEvent(deposit, at);
  return {
    commit: {
      programId,
      at,
      entry: journalEntry(kind, depositId, postings, at, given.reference),
      accounts: [{ name: "account", account, require: taker.require }],
      writes: [
        {
          ...deposits.at(programId, depositId).create(deposit),
          alongside: [
            listInsert(depositList, programId, depositId, deposit),
            listInsert(accountDepositList, programId, depositId, deposit, account.accountId),
          ],
        },
        ...taker.credit(deposit, at),
        ...event.writes,
      ],
    },
    redelivery: event.redelivery,
  };
}

const outboxKinds = {
  [DepositStatus.pending]: "deposit.pending",
  [DepositStatus.cleared]: "deposit.cleared",
  [DepositStatus.reversed]: "deposit.reversed",
  [DepositStatus.returned]: "deposit.returned",
} as const satisfies Record<DepositStatus, OutboxEvent["kind"]>;

/** The outbox event of the deposit's current status, with its notification. */
export function depositEvent(deposit: Deposit, at: Date) {
  const { programId, account } = deposit;
  const kind = outboxKinds[deposit.status];
  const told = takers[account.kind].tell(deposit, at);
  const notificationIds = told && [told.notificationId];
  const detail = {
    ...pick(deposit, "depositId", "transId", "cardholderId"),
    ...(account.kind === "card" ? { cardId: account.accountId } : { walletId: account.accountId }),
    ...(deposit.cardId !== undefined && { cardId: deposit.cardId }),
    ...pick(deposit, "amountMinor", "currency", "channel", "chain", "asset", "txHash"),
    ...(notificationIds && { notificationIds }),
  };
  return {
    writes: [...(told ? [told.write] : []), outboxPut(programId, kind, detail, at)],
    redelivery: toRedelivery(kind, notificationIds),
  };
}
