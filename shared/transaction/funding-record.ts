import type { CardIdentity } from "../card/card-identity.ts";
import { timestamp } from "../clock.ts";
import { TransactionStatus } from "../contract/enums.ts";
import type { Deposit, DepositStatus } from "../deposit/deposit.ts";
import { environment } from "../environment.ts";
import { newId } from "../id.ts";
import { listedChange } from "../listing/change-row.ts";
import { issuingKey } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";
import { sourceAmount } from "./source-amount.ts";
import { isListed, type Transaction, transactionPut } from "./transaction.ts";

/** Money that comes on a card otherwise than by the card network is on its statement too, which would not add up without. */

const typeOf = { 0: 24, 1: 18, 2: 25 } as const satisfies Record<DepositStatus, Transaction["transType"]>;

const statusOf = {
  0: TransactionStatus.pending,
  1: TransactionStatus.cleared,
  2: TransactionStatus.completion,
} as const satisfies Record<DepositStatus, TransactionStatus>;

/** The card's record of a new deposit; none for a wallet. */
export function depositRecordPuts(deposit: Deposit): WriteAction[] {
  const { programId, account, cardholderId, transId, amountMinor, currency, status, createdAt } = deposit;
  if (account.kind !== "card" || cardholderId === undefined || transId === undefined) return [];
  const from = deposit.channel === "bank" ? "Bank deposit" : "Digital-asset deposit";
  return [
    transactionPut({
      programId,
      transId,
      cardId: account.accountId,
      cardholderId,
      transType: typeOf[status],
      transStatus: statusOf[status],
      type: "CR",
      amountMinor,
      currency,
      ...sourceAmount({}, amountMinor, currency),
      referenceCode: deposit.reference ?? deposit.depositId,
      description: from,
      transDate: createdAt,
      ...(status !== 0 && { postDate: createdAt }),
      createdAt,
      relatedId: deposit.depositId,
    }),
  ];
}

/** The card's record of a deposit that is cleared or reversed. A reversed one leaves the lists: it never was money of the card's. */
export function depositRecordUpdates(deposit: Deposit, status: 1 | 2, at: Date): WriteAction[] {
  const { programId, account, transId, createdAt } = deposit;
  if (account.kind !== "card" || transId === undefined) return [];
  const transType = typeOf[status];
  const pending = {
    ...{ transType: typeOf[0], transStatus: statusOf[0], transDate: createdAt },
    ...{ amountMinor: deposit.amountMinor, cardId: account.accountId, createdAt },
  };
  const settled = { ...pending, transType, transStatus: statusOf[status] };
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
          ":transStatus": statusOf[status],
          ":postDate": timestamp(at),
        },
      },
      alongside: [
        // That it is pending until now is required of the deposit itself, in the same transaction.
        listedChange(
          "transactions",
          programId,
          transId,
          pending,
          isListed({ transType }) ? settled : undefined,
        ),
      ],
    },
  ];
}

/** A transfer from or to a wallet as the card sees it: it is loaded (80), or unloaded when its money is swept as it closes (88). */
export function transferRecordPut(
  { programId, cardId, cardholderId, currency }: CardIdentity,
  { amountMinor, loads, relatedId, at }: { amountMinor: number; loads: boolean; relatedId: string; at: Date },
): WriteAction {
  return transactionPut({
    programId,
    transId: newId("transaction"),
    cardId,
    cardholderId,
    transType: loads ? 80 : 88,
    transStatus: TransactionStatus.cleared,
    type: loads ? "CR" : "DR",
    amountMinor,
    currency,
    ...sourceAmount({}, amountMinor, currency),
    referenceCode: relatedId,
    description: loads ? "Card load" : "Card unload",
    transDate: timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    relatedId,
  });
}
