import { getCard, toCardIdentity } from "../../shared/cards/card.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import { TransactionStatus, TransactionType } from "../../shared/contract/enums.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { newLabels } from "../../shared/platform/labels.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { cardRecord } from "../../shared/transactions/card-record.ts";
import { feePut } from "../../shared/transactions/fee.ts";
import { newFee } from "../../shared/transactions/fee-rules.ts";
import { transactionPut } from "../../shared/transactions/transaction-rules.ts";
import {
  transferOutcome,
  type UnmovedTransfer,
  unmovedTransfer,
} from "../../shared/wallets/pending-transfer.ts";

/** Nothing moves: the balances, the journal and the statement are without it. */
export const recordError: Operations["POST /cards/{cardId}/processing-errors"] = async ({
  scope: { programId },
  path: { cardId },
  body: { amount: amountMinor, feeType, description },
}) => {
  const card = toCardIdentity(programId, await getCard(programId, cardId));
  const at = now();
  const transStatus = TransactionStatus.error;
  if (feeType !== undefined) {
    const charged = newFee(
      { identity: card, at },
      { feeType, amountMinor, ...(description && { description }) },
    );
    await transact([feePut({ ...charged, transStatus })]);
    return { feeId: charged.feeId };
  }
  const transId = newId("transaction");
  const { postDate: _, ...record } = cardRecord(card, at, {
    ...{ transId, transStatus, type: "DR", amountMinor, relatedId: transId },
    transType: TransactionType.transaction_unknown,
    description: description ?? "Processing error",
  });
  await transact([transactionPut(record)]);
  return { transId };
};

/** Nothing moves yet. NOT_FOUND for an unknown Wallet or Card. */
export const recordTransfer: Operations["POST /wallets/transfers"] = async ({ scope, body, idempotency }) => {
  const { programId, currency } = scope;
  const { allowPartial: _, amount: requestedAmountMinor, externalId, metadata, ...fields } = body;
  const common = { transferId: newId("transfer"), transferredAmountMinor: 0, createdAt: timestamp() };
  const labels = newLabels({ externalId, metadata });
  const transfer: UnmovedTransfer = { ...fields, ...labels, ...common, requestedAmountMinor, currency };
  return answerRequest(unmovedTransfer, { programId, transfer, metadata }, idempotency);
};

/** ILLEGAL_TRANSITION unless it is Pending. Approved, it moves, or is declined as any transfer. */
export const decideTransfer: Operations["POST /wallets/{walletId}/transfers/{transferId}/outcome"] = ({
  scope: { programId },
  path,
  body,
  idempotency,
}) => answerRequest(transferOutcome, { programId, ...path, ...body }, idempotency);
