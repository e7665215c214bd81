import { createHash, createPublicKey } from "node:crypto";
import { askVault } from "../../shared/cards/ask-vault.ts";
import { maximumBatch, type PublicJwk } from "../../shared/contract/vault.ts";
import {
  countPlastics,
  isCardWaiting,
  isWanted,
  listBatches,
  makeBatch,
  type ProducedPlastic,
  type ProductionBatch,
  productionBatches,
  readPlastics,
  toProductionCard,
} from "../../shared/plastics/production.ts";
import { log } from "../../shared/platform/log.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { auditProgram } from "../../shared/tenancy/audit-log.ts";
import { type Command, requireProgram } from "./command.ts";

/**
 * A new batch of Cards that are in none or, with `batchId`, a batch again. Each export is audited
 * before the vault makes it. What was closed, stopped or replaced since is left out, and counted.
 * @throws CommandRejected if the Program, or the batch, does not exist, or the key is no point of
 * P-256; if the vault does not answer, naming the batch to repeat
 */
export const exportProduction: Command<"export-production"> = async (input, actor) => {
  const { programId, publicKey, batchId: repeated } = input;
  const program = await requireProgram(programId);
  requirePoint(publicKey);
  const batch =
    repeated === undefined ? await makeBatch(programId, maximumBatch) : await findBatch(programId, repeated);
  const more = await isCardWaiting(programId);
  if (!batch) return { cards: 0, more };
  const { batchId } = batch;
  const firsts = batch.cardIds.map((cardId) => ({ cardId }));
  const found = await readPlastics(programId, [...firsts, ...(batch.plastics ?? [])]);
  const open = found.filter(isWanted);
  const closed = found.length - open.length;
  const after = { cards: open.length, publicKey: thumbprint(publicKey) };
  await transact([auditProgram(actor, program, "production.export", { before: null, after }, batchId)]);
  const counts = { batchId, cards: open.length, ...(closed > 0 && { closed }), more };
  if (open.length === 0) return counts;
  return { ...counts, jwe: await encryptBatch(programId, batchId, open, publicKey) };
};

/** The oldest first. */
export const listProduction: Command<"list-production"> = async ({ programId, limit, after }) => {
  await requireProgram(programId);
  const found = await listBatches(programId, limit, after);
  return {
    batches: found.map((batch) => ({
      batchId: batch.batchId,
      cards: countPlastics(batch),
      dateCreated: batch.createdAt,
    })),
  };
};

async function findBatch(programId: string, batchId: string): Promise<ProductionBatch> {
  const batch = await productionBatches.at(programId, batchId).get();
  if (!batch) throw new CommandRejected(`${batchId} of Program ${programId} does not exist.`);
  return batch;
}

async function encryptBatch(
  programId: string,
  batchId: string,
  open: readonly ProducedPlastic[],
  publicKey: PublicJwk,
): Promise<string> {
  const cards = open.map((one) => toProductionCard(programId, one));
  const answer = await askVault("export-production", { batchId, publicKey, cards }).catch(
    (error: unknown) => {
      log.error("The vault did not export the batch.", { programId, batchId, error });
      throw new CommandRejected(`The vault did not answer. Repeat the command with "batchId": "${batchId}".`);
    },
  );
  if (answer.outcome === "exported") return answer.jwe;
  throw new CommandRejected("publicKey: is not a point of P-256");
}

/** Before a batch is made for it. */
function requirePoint({ kty, crv, x, y }: PublicJwk): void {
  try {
    createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
  } catch {
    throw new CommandRejected("publicKey: is not a point of P-256");
  }
}

/** RFC 7638. */
function thumbprint({ crv, kty, x, y }: PublicJwk): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
