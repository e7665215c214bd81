import { DepositStatus, TransactionStatus } from "../../contract/enums.ts";
import { TransactionType } from "../../contract/transactions.ts";
import { listedChange } from "../../lists/change-row.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { CardIdentity } from "../cards/card-identity.ts";
import type { Deposit, DepositTrigger, NewDeposit } from "../deposits/deposit.ts";
import { sourceAmount } from "./source-amount.ts";
import { isListed, type Transaction, transactionPut } from "./transaction.ts";

/** Money that comes on a card otherwise than by the card network is on its statement too, which would not add up without. */

/** A returned deposit's credit stays as it was; the debit is a record of its own. */
type CreditStatus = Exclude<DepositStatus, typeof DepositStatus.returned>;

const typeOf = {
  0: TransactionType.gpa_credit_pending,
  1: TransactionType.gpa_credit,
  2: TransactionType.gpa_credit_pending_reversal,
} as const satisfies Record<CreditStatus, TransactionType>;

const statusOf = {
  0: TransactionStatus.pending,
  1: TransactionStatus.cleared,
  2: TransactionStatus.completion,
} as const satisfies Record<CreditStatus, TransactionStatus>;

const nameOf = { bank: "Bank deposit", crypto: "Digital-asset deposit" } as const;

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
      transType: typeOf[status],
      transStatus: statusOf[status],
      type: "CR",
      amountMinor,
      currency,
      ...sourceAmount({}, amountMinor, currency),
      referenceCode: deposit.reference ?? deposit.depositId,
      description: nameOf[deposit.channel],
      transDate: createdAt,
      ...(status !== DepositStatus.pending && { postDate: createdAt }),
      createdAt,
      relatedId: deposit.depositId,
    }),
  ];
}

/** The card's debit for a cleared deposit that is returned. */
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
      description: `${nameOf[deposit.channel]} returned`,
      transDate: timestamp(at),
      postDate: timestamp(at),
      createdAt: timestamp(at),
      relatedId: deposit.depositId,
    }),
  ];
}

/** What the settlement of a deposit writes on the card's statement. A reversed one leaves the lists: it never was money of the card's. */
export function depositRecordUpdates(deposit: Deposit, trigger: DepositTrigger, at: Date): WriteAction[] {
  if (trigger === "return") return returnRecordPuts(deposit, at);
  const { programId, account, transId, createdAt } = deposit;
  if (account.kind !== "card" || transId === undefined) return [];
  const status = trigger === "clear" ? DepositStatus.cleared : DepositStatus.reversed;
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

/** A transfer from or to a wallet as the card sees it: it is loaded, or unloaded, also when its money is swept as it closes. */
export function transferRecordPut(
  identity: CardIdentity,
  { amountMinor, loads, relatedId, at }: { amountMinor: number; loads: boolean; relatedId: string; at: Date },
): WriteAction {
  return fundingRecordPut(identity, at, {
    transType: loads ? TransactionType.card_load : TransactionType.card_unload,
    type: loads ? "CR" : "DR",
    amountMinor,
    description: loads ? "Card load" : "Card unload",
    relatedId,
  });
}

/** The card's debt as the Program's reserve pays it. */
export function debtRecordPut(identity: CardIdentity, amountMinor: number, at: Date): WriteAction {
  return fundingRecordPut(identity, at, {
    transType: TransactionType.clear_negative_balance,
    type: "CR",
    amountMinor,
    description: "Negative balance cleared",
    relatedId: identity.cardId,
  });
}

function fundingRecordPut(
  { programId, cardId, cardholderId, currency }: CardIdentity,
  at: Date,
  fields: Pick<Transaction, "transType" | "type" | "amountMinor" | "description"> & { relatedId: string },
): WriteAction {
  return transactionPut({
    programId,
    transId: newId("transaction"),
    cardId,
    cardholderId,
    transStatus: TransactionStatus.cleared,
    currency,
    ...sourceAmount({}, fields.amountMinor, currency),
    referenceCode: fields.relatedId,
    transDate: timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  });
}
