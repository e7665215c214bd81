import * as z from "zod";
import { type IdKind, idPrefixes } from "../contract/identifiers.ts";
import type { Account } from "../ledger/account.ts";
import { journalParts } from "../ledger/closed-journal.ts";
import { changeIdTime, earliestChangeId, ulidTimeLength } from "../platform/id.ts";
import { log } from "../platform/log.ts";
import { isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { optionally } from "../platform/table/retry.ts";
import { transact } from "../platform/table/transact.ts";

/**
 * What the older part of an account's journal and records adds up to, so that a proof reads only
 * the rest. It follows from the journal: the audit adds it up again.
 */
const Checkpoint = z.object({
  /** Each write requires the one before, so that an older checkpoint never replaces a newer. */
  version: z.int(),
  /** When its reading began, at the account's first entry. */
  begunAt: z.string(),
  parts: z.record(
    z.string(),
    z.object({
      /** The sort key before which all items of the part are added up. */
      before: z.string(),
      /** A hash over the part's journal entries in order. */
      digest: z.string(),
    }),
  ),
  journalEntries: z.int(),
  imbalanceMinor: z.int(),
  balances: z.object({
    availableMinor: z.int(),
    heldMinor: z.int(),
    pendingDepositMinor: z.int(),
    ledgerMinor: z.int(),
  }),
  depositsAndCreditsMinor: z.int(),
  settledDebitsMinor: z.int(),
  /** It leaves out the pending credits. */
  statementMinor: z.int(),
  /** What Wallets paid for a Card: absent if none has. */
  funding: z.object({ recordsMinor: z.int(), entriesMinor: z.int() }).optional(),
  /** Authorizations that held an amount, and deposits that were pending: read for each proof. */
  authorizationIds: z.array(z.string()),
  depositIds: z.array(z.string()),
  /** Payouts that a Wallet held money for. */
  payoutIds: z.array(z.string()).optional(),
  /** Transactions that leave the statement if their deposit is reversed. */
  pendingCredits: z.array(z.string()),
});
export type Checkpoint = Readonly<z.output<typeof Checkpoint>>;
export type NewCheckpoint = Omit<Checkpoint, "version">;

export const checkpoints = defineEntity({
  name: "checkpoint",
  schema: Checkpoint,
  // It is in the account's partition, before its entries.
  key: (programId: string, accountId: string) => ({ pk: `${programId}#${accountId}`, sk: "CHECKPOINT" }),
});

/** How long a commit may take: longer than the timeout of every function that commits. */
export const settleMs = 60_000;
/** With longer ids the item would be too large: the account keeps its last checkpoint. */
const maximumIdBytes = 300_000;

/**
 * Does nothing if another checkpoint was written since `seen`. Nothing depends on it, so it only
 * logs if it fails.
 */
export async function keepCheckpoint(
  programId: string,
  { accountId }: Account,
  next: NewCheckpoint,
  seen: Checkpoint | undefined,
): Promise<void> {
  const { authorizationIds, depositIds, payoutIds = [], pendingCredits } = next;
  const open = [...authorizationIds, ...depositIds, ...payoutIds, ...pendingCredits];
  // Each is stored with three bytes of its own.
  if (open.reduce((bytes, id) => bytes + Buffer.byteLength(id) + 3, 0) > maximumIdBytes) return;
  const { version = 0 } = seen ?? {};
  const item = checkpoints.at(programId, accountId);
  try {
    const put = item.put({ ...next, version: version + 1 }, seen ? { version } : isNew);
    await optionally(() => transact([put]));
  } catch (error) {
    log.warn("The checkpoint could not be written.", { programId, accountId, error });
  }
}

/** Each part of an account, with the sort key before which its items are from before `at`. */
export function accountParts({ kind }: Account, at: Date): { part: string; bound: string }[] {
  const time = earliestChangeId(at);
  return Object.entries<IdKind>(journalParts[kind]).map(([part, id]) => ({
    part,
    bound: `${part}#${idPrefixes[id]}_${time}`,
  }));
}

export function toPart(sk: string): string {
  return sk.split("#", 1)[0] ?? "";
}

export function isCovered({ parts }: Checkpoint, sk: string): boolean {
  return sk < (parts[toPart(sk)]?.before ?? "");
}

/** The time up to which all parts are added up. */
export function checkpointTime({ parts }: Checkpoint): Date {
  const times = Object.values(parts).map(({ before }) => {
    const id = before.slice(before.indexOf("_") + 1);
    return changeIdTime(id.slice(0, ulidTimeLength).padEnd(26, "0"));
  });
  return new Date(Math.min(...times));
}
