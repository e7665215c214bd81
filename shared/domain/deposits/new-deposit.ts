import { CardStatus, DepositStatus } from "../../contract/enums.ts";
import { deadlinePut } from "../../platform/deadlines.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { hasStatusIn } from "../cards/card.ts";
import type { AccountChange } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { type ContraAccount, depositCleared, depositPending } from "../ledger/postings.ts";
import { type Deposit, fundingOf, type NewDeposit } from "./deposit.ts";
import { depositEvents } from "./deposit-event.ts";
import { depositListInserts } from "./deposit-lists.ts";
import { depositRecordPuts } from "./deposit-record.ts";

/** A card takes deposits once its issuance is approved and until it is closed. */
const acceptingStatuses: readonly CardStatus[] = [
  CardStatus.active,
  CardStatus.onHold,
  CardStatus.notActivated,
];

export function takesDeposits(status: CardStatus): boolean {
  return acceptingStatuses.includes(status);
}

/**
 * Pending, or cleared without having been pending. The transaction writes the deadline of automatic clearing.
 * Failed conditions: `account` and `deposit`.
 */
export function newDeposit(
  given: NewDeposit,
  at: Date,
  from: ContraAccount = fundingOf[given.channel],
): Commit {
  const { programId, depositId, account, amountMinor, clearsAt } = given;
  const pending = given.status === DepositStatus.pending;
  const deposit: NewDeposit =
    account.kind === "card"
      ? { ...given, [pending ? "pendingTransIdSc" : "clearedTransIdSc"]: newId("notification") }
      : given;
  const postings = (pending ? depositPending : depositCleared)(account.accountId, from, amountMinor);
  return {
    programId,
    at,
    entry: journalEntry(
      pending ? "deposit_pending" : "deposit_cleared",
      depositId,
      postings,
      at,
      given.reference,
    ),
    accounts: [depositAccount(deposit)],
    writes: [
      {
        name: "deposit",
        Put: {
          TableName: environment.issuingTable,
          Item: { ...issuingKey.deposit(programId, depositId), ...deposit },
          ConditionExpression: "attribute_not_exists(pk)",
        },
        alongside: depositListInserts(deposit),
      },
      ...depositRecordPuts(deposit),
      ...depositEvents(deposit, at),
      ...(clearsAt
        ? [
            deadlinePut({
              ownerId: programId,
              deadlineId: depositId,
              kind: "clear_deposit",
              dueAt: new Date(clearsAt),
            }),
          ]
        : []),
    ],
  };
}

function depositAccount({ account }: Deposit): AccountChange {
  return account.kind === "card"
    ? { name: "account", account, require: hasStatusIn(acceptingStatuses) }
    : { name: "account", account };
}
