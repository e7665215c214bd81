import { type IdKind, idPrefixes } from "../contract/identifiers.ts";
import { type Account, accountAt } from "../ledger/account.ts";
import { journalParts, readJournalItems } from "../ledger/closed-journal.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { balanceChanges } from "../ledger/postings.ts";
import { findPaid, findSwept, type PaidRecord, parseEntry } from "../ledger/stored-entry.ts";
import { changeIdTime, earliestChangeId, withoutPrefix } from "../platform/id.ts";

type Item = Readonly<Record<string, unknown>>;

/**
 * A journal entry that changed an account's balance without pending deposits, or that gave what
 * came back on a Card's own account to the Wallet that pays now: then the change may be 0.
 */
export interface Movement {
  /** The item that has the entry: its time decides the month, and it the order. */
  readonly ulid: string;
  readonly atMs: number;
  readonly amountMinor: number;
  readonly entry: JournalEntry;
  /** The entry itself, or the record that carries it. */
  readonly item: Item;
}

/** A record of what a Wallet paid for a Card: it moves nothing that is the Card's own. */
export interface Paid extends PaidRecord {
  readonly ulid: string;
  readonly atMs: number;
  readonly amountMinor: 0;
  readonly item: Item;
}

/** Between movements that are far apart: a reader can stop, and continue after it. */
interface Pause {
  readonly ulid: string;
  readonly amountMinor: 0;
}
export type Read = Movement | Paid | Pause;

export function isMovement(read: Read): read is Movement {
  return "entry" in read;
}

export function isPaid(read: Read): read is Paid {
  return "walletId" in read;
}

const itemsWithoutPause = 500;

export interface Span {
  /** Undefined: from the account's first entry. */
  readonly from?: Date | undefined;
  readonly until: Date;
  /** Continues after the movement with this ULID. */
  readonly after?: string | undefined;
}

/** In the order of their ULIDs: holds and pending deposits move nothing here. */
export async function* readMovements(
  programId: string,
  account: Account,
  span: Span,
): AsyncGenerator<Read, void> {
  const { pk } = accountAt(programId, account).key;
  // No id has a character before the digits.
  const first = span.after === undefined ? span.from && earliestChangeId(span.from) : `${span.after}!`;
  const streams = Object.entries<IdKind>(journalParts[account.kind]).map(([part, kind]) => {
    const start = `${part}#${idPrefixes[kind]}_`;
    const keys = { first: `${start}${first ?? ""}`, last: `${start}${earliestChangeId(span.until)}` };
    return readPart(account, pk, keys);
  });
  yield* inOrder(streams);
}

async function* readPart(
  { accountId }: Account,
  pk: string,
  keys: { first: string; last: string },
): AsyncGenerator<Read, void> {
  let skipped = 0;
  for await (const item of readJournalItems(pk, keys)) {
    const entry = parseEntry(item);
    const amountMinor = entry ? statementChange(entry, accountId) : 0;
    const ulid = withoutPrefix(String(item.sk));
    const isMoved = entry && (amountMinor !== 0 || (accountId === entry.cardId && findSwept(entry)));
    if (isMoved) yield { ulid, atMs: changeIdTime(ulid), amountMinor, entry, item };
    else skipped += 1;
    const paid = findPaid(item);
    if (paid) yield { ulid, atMs: changeIdTime(ulid), amountMinor: 0, item, ...paid };
    if (skipped < itemsWithoutPause) continue;
    skipped = 0;
    yield { ulid, amountMinor: 0 };
  }
}

/** What the ledger balance changes by, without pending deposits. */
function statementChange({ postings }: JournalEntry, accountId: string): number {
  const change = balanceChanges(postings).get(accountId);
  return change ? change.availableMinor + change.heldMinor : 0;
}

type Stream = AsyncGenerator<Read, void>;

async function* inOrder(streams: readonly Stream[]): AsyncGenerator<Read, void> {
  const heads = new Map<Stream, Read>();
  const advance = async (stream: Stream) => {
    const { value } = await stream.next();
    if (value) heads.set(stream, value);
    else heads.delete(stream);
  };
  await Promise.all(streams.map(advance));
  while (heads.size > 0) {
    const [stream, next] = [...heads].reduce((least, one) => (one[1].ulid < least[1].ulid ? one : least));
    yield next;
    await advance(stream);
  }
}
