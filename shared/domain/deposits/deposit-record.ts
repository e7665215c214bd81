import { DepositStatus, TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { listUpdate } from "../../lists/change.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { isListed, sourceAmount, transactionList, transactionPut } from "../transactions/transaction.ts";
import type { Deposit, DepositTrigger, NewDeposit } from "./deposit.ts";

/** A return leaves the credit as it was; the debit is a separate record. */
type CreditStatus = Exclude<DepositStatus, typeof DepositStatus.returned>;

const types = {
  [DepositStatus.pending]: TransactionType.gpa_credit_pending,
  [DepositStatus.cleared]: TransactionType.gpa_credit,
  [DepositStatus.reversed]: TransactionType.gpa_credit_pending_reversal,
} as const satisfies Record<CreditStatus, TransactionType>;

const statuses = {
  [DepositStatus.pending]: TransactionStatus.pending,
  [DepositStatus.cleared]: TransactionStatus.cleared,
  [DepositStatus.reversed]: TransactionStatus.completion,
} as const satisfies Record<CreditStatus, TransactionStatus>;

const names = { bank: "Bank deposit", crypto: "Digital-asset deposit" } as const;

/** The card's record of a new deposit; none for a wallet. */
export function depositRecordPuts(deposit: NewDeposit): WriteAction[] {
  const { programId, account, cardholderId, transId, amountMinor, currency, status, createdAt } = deposit;
  if (account.kind !== "card" || cardholderId === undefined || transId === undefined) return [];
  return [
    transactionPut({
      programId,
      transId,
      cardId: account.accountId,
      cardholderId,
      transType: types[status],
      transStatus: statuses[status],
      type: "CR",
      amountMinor,
      currency,
      ...sourceAmount({}, amountMinor, currency),
      referenceCode: deposit.reference ?? deposit.depositId,
      description: names[deposit.channel],
      transDate: createdAt,
      ...(status !== DepositStatus.pending && { postDate: createdAt }),
      createdAt,
      relatedId: deposit.depositId,
    }),
  ];
}

function returnRecordPuts(deposit: Deposit, at: Date): WriteAction[] {
  const { programId, account, cardholderId, amountMinor, currency } = deposit;
  if (account.kind !== "card" || cardholderId === undefined) return [];
  return [
    transactionPut({
      programId,
      transId: newId("transaction"),
      cardId: account.accountId,
      cardholderId,
      transType: TransactionType.gpa_credit_reversal,
      transStatus: TransactionStatus.cleared,
      type: "DR",
      amountMinor,
      currency,
      ...sourceAmount({}, amountMinor, currency),
      referenceCode: deposit.reference ?? deposit.depositId,
      description: `${names[deposit.channel]} returned`,
      transDate: timestamp(at),
      postDate: timestamp(at),
      createdAt: timestamp(at),
      relatedId: deposit.depositId,
    }),
  ];
}

/** The settlement of a deposit on the card's statement. A reversed one leaves the lists. */
export function depositRecordUpdates(deposit: Deposit, trigger: DepositTrigger, at: Date): WriteAction[] {
  if (trigger === "return") return returnRecordPuts(deposit, at);
  const { programId, account, transId, createdAt } = deposit;
  if (account.kind !== "card" || transId === undefined) return [];
  const status = trigger === "clear" ? DepositStatus.cleared : DepositStatus.reversed;
  const transType = types[status];
  const pending = {
    transType: types[DepositStatus.pending],
    transStatus: statuses[DepositStatus.pending],
    transDate: createdAt,
    amountMinor: deposit.amountMinor,
    cardId: account.accountId,
    createdAt,
  };
  const settled = { ...pending, transType, transStatus: statuses[status] };
  return [
    {
      name: "transaction",
      Update: {
        TableName: environment.issuingTable,
        Key: issuingKey.transaction(programId, account.accountId, transId),
        UpdateExpression:
          "SET transType = :transType, transStatus = :transStatus, postDate = :postDate" +
          (isListed({ transType }) ? "" : " REMOVE entityId"),
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: {
          ":transType": transType,
          ":transStatus": statuses[status],
          ":postDate": timestamp(at),
        },
      },
      alongside: [
        // The same transaction requires that the deposit is pending.
        listUpdate(
          transactionList,
          programId,
          transId,
          pending,
          isListed({ transType }) ? settled : undefined,
        ),
      ],
    },
  ];
}
