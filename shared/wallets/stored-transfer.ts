import * as z from "zod";
import { transferKey } from "../ledger/journal-entry.ts";
import type { StoredRecord } from "../lists/kind.ts";
import { ApiError } from "../platform/http/api-error.ts";
import {
  findByExternalId,
  type LabelChange,
  planLabels,
  requireUnique,
  withoutLabels,
} from "../platform/labels.ts";
import { readBatch } from "../platform/table/batch.ts";
import { all, exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact } from "../platform/table/transact.ts";
import { getDestination, getSource, type Transfer } from "./transfer.ts";

/** A Wallet's copy. Its texts were validated when they were written. */
const storedTransfers = defineEntity({
  name: "transfer",
  schema: z.custom<Transfer>((stored) => typeof stored === "object" && stored !== null),
  key: transferKey,
});

export async function findNamedTransfers(programId: string, externalId: string): Promise<StoredRecord[]> {
  const pointers = await findByExternalId(programId, "transfer", externalId);
  const found = await readBatch(
    pointers.map(({ recordId, ownerId = "" }) => transferKey(programId, ownerId, recordId)),
  );
  return found
    .map((item) => storedTransfers.parse(item))
    .filter((transfer) => transfer.externalId === externalId)
    .map((transfer) => ({ ...transfer, entityId: transfer.transferId }));
}

/**
 * One of the Program's Wallets has it.
 * @throws ApiError NOT_FOUND
 */
export async function getTransfer(
  programId: string,
  transferId: string,
  walletIds: readonly string[],
): Promise<Transfer> {
  const [found] = await readBatch(walletIds.map((walletId) => transferKey(programId, walletId, transferId)));
  if (!found) throw new ApiError("NOT_FOUND");
  return storedTransfers.parse(found);
}

interface TransferPlace {
  readonly programId: string;
  readonly transferId: string;
  readonly walletIds: readonly string[];
}

/**
 * Changes the copies of both Wallets.
 * @throws ApiError NOT_FOUND, EXTERNAL_ID_EXISTS, VALIDATION_FAILED
 */
export function changeTransferLabels(
  { programId, transferId, walletIds }: TransferPlace,
  change: LabelChange,
) {
  return retryDecision(async () => {
    const stored = await getTransfer(programId, transferId, walletIds);
    const [source, destination] = [getSource(stored), getDestination(stored)];
    const owners = [source, destination].filter(({ kind }) => kind === "wallet");
    const ownerId = owners[0]?.accountId;
    const of = { programId, kind: "transfer", recordId: transferId, ownerId } as const;
    const plan = await planLabels(of, stored, change);
    const set = plan.set as Partial<Transfer>;
    const outcome = await transact([
      ...owners.map(({ accountId }) =>
        storedTransfers
          .at(programId, accountId, transferId)
          .update({ set, remove: plan.remove }, all<Transfer>(exists, plan.condition)),
      ),
      ...plan.writes,
    ]);
    if (outcome.committed) {
      const changed = withoutLabels<Transfer>({ ...stored, ...plan.set }, plan);
      return { changed, metadata: plan.metadata };
    }
    requireUnique(outcome.failedConditions, of);
    return new Conflict(...outcome.failedConditions.keys());
  });
}
