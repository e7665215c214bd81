import { isDeepStrictEqual } from "node:util";
import { type Hold, holds } from "../authorizations/holds/hold.ts";
import { cards, toFunding } from "../cards/card.ts";
import { TransactionStatus } from "../contract/enums.ts";
import { noCardControls, noCardholderControls, noProgramControls } from "../controls/rulebooks.ts";
import type { AccountBalances } from "../ledger/account.ts";
import type { CardEvent } from "../network-events/card-event.ts";
import { earliestId } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { type Movement, type StoredMovement, toMovement, withFee } from "./movement.ts";
import type { CardStart } from "./simulated-card.ts";
import { type RunRules, SimulationRun } from "./simulation-run.ts";

export interface CardHistory {
  readonly start: CardStart;
  /** They are in order. */
  readonly movements: readonly Movement[];
}

export class TooManyRecordsError extends Error {}

interface HistorySpan {
  readonly from: Date;
  readonly until: Date;
  readonly settings: RunRules["settings"];
  /** Asked before each record. */
  readonly mayRead: () => boolean;
}
type Reading = Pick<HistorySpan, "from" | "mayRead">;

/**
 * A Card as it was at `from`, and what happened to it until `until`.
 * @throws TooManyRecordsError
 */
export async function readHistory(
  programId: string,
  cardId: string,
  { from, until, settings, mayRead }: HistorySpan,
): Promise<CardHistory | undefined> {
  const { account: card, found } = await readStable(
    () => cards.at(programId, cardId).get(),
    () => readMovements(programId, cardId, { from, mayRead }),
  );
  if (!card) return undefined;
  const all = found.filter(({ movement }) => movement.atMs >= from.getTime());
  const changeMinor = all.reduce((sum, { movement }) => sum + movement.availableMinor, 0);
  const movements = all.map(({ movement }) => movement).filter(({ atMs }) => atMs < until.getTime());
  const { cardholderId, currency } = card;
  const identity = { cardId, cardholderId, currency };
  const touched = await readEarlierHolds(programId, cardId, all, from);
  const holds = await readAsOf(programId, identity, touched, { from, settings, mayRead });
  const availableMinor = card.availableMinor - changeMinor;
  const paid = [...all.map(({ movement }) => movement), ...holds].flatMap((one) => one.fundingWalletId ?? []);
  const funding = { limit: toFunding(card)?.limit, walletIds: [...new Set(paid)] };
  return {
    start: { ...identity, availableMinor, holds, fromMs: from.getTime(), ...funding },
    movements,
  };
}

export function compareMovements(left: Movement, right: Movement): number {
  return left.atMs - right.atMs || (left.ulid < right.ulid ? -1 : 1);
}

const maximumReads = 5;

/** An account with what led to its balances: read again if they changed meanwhile. */
export async function readStable<Account extends AccountBalances, Found>(
  readAccount: () => Promise<Account | undefined>,
  readFound: () => Promise<Found>,
) {
  let account = await readAccount();
  for (let reads = 1; ; reads += 1) {
    const found = await readFound();
    const after = await readAccount();
    if (reads === maximumReads || isDeepStrictEqual(toBalances(account), toBalances(after)))
      return { account, found };
    account = after;
  }
}

const toBalances = (account: AccountBalances | undefined) =>
  account && [account.availableMinor, account.heldMinor, account.pendingDepositMinor, account.ledgerMinor];

const recordKinds = [
  ["TRANSACTION", "transaction"],
  ["FEE", "fee"],
  ["ENTRY", "journalEntry"],
  ["REFUSED", "event"],
] as const;

async function readMovements(programId: string, cardId: string, { from, mayRead }: Reading) {
  const { pk } = cards.key(programId, cardId);
  const found: StoredMovement[] = [];
  const feeMinorById = new Map<string, number>();
  const read = async ([prefix, kind]: (typeof recordKinds)[number]) => {
    const keys = { first: `${prefix}#${earliestId(kind, from)}`, last: `${prefix}#~` };
    for await (const item of readItems(toPartitionQuery(pk, keys))) {
      if (!mayRead()) throw new TooManyRecordsError();
      if (prefix === "FEE") feeMinorById.set(String(item.feeId), Number(item.amountMinor));
      const stored = toMovement(programId, cardId, item);
      if (stored) found.push(stored);
    }
  };
  await Promise.all(recordKinds.map(read));
  const charged = found.map((stored) => {
    const { fundingWalletId, feeId = "" } = stored.movement;
    const feeMinor = fundingWalletId === undefined ? undefined : feeMinorById.get(feeId);
    return feeMinor === undefined ? stored : withFee(stored, feeMinor);
  });
  return charged.sort((left, right) => compareMovements(left.movement, right.movement));
}

/** The holds that began earlier and changed since, as they are now. */
async function readEarlierHolds(
  programId: string,
  cardId: string,
  found: readonly StoredMovement[],
  from: Date,
): Promise<Hold[]> {
  const ids = found.flatMap(({ movement: { event } }) => (event && findAuthorizationId(event)) ?? []);
  const stored = await readBatch([...new Set(ids)].map((id) => holds.at(programId, id).key));
  return stored
    .map((item) => holds.parse(item))
    .filter((hold) => hold.cardId === cardId && Date.parse(hold.createdAt) < from.getTime());
}

/** An id can be a minute older than its record. */
const marginMs = 60_000;

/** These holds as they were at `from`, from all that is recorded of them until then. */
async function readAsOf(
  programId: string,
  card: Parameters<typeof rebuildHolds>[1],
  current: readonly Hold[],
  { from, settings, mayRead }: Omit<HistorySpan, "until">,
): Promise<Hold[]> {
  const byId = new Map(current.map((hold) => [hold.authorizationId, hold]));
  if (byId.size === 0) return [];
  const begunMs = Math.min(...current.map(({ createdAt }) => Date.parse(createdAt)));
  const since = { from: new Date(begunMs - marginMs), mayRead };
  const records = (await readMovements(programId, card.cardId, since)).filter(
    ({ movement: { atMs, event } }) =>
      atMs < from.getTime() && event && byId.has(findAuthorizationId(event) ?? ""),
  );
  const findHold = rebuildHolds({ programId, settings }, card, records);
  return current.flatMap(({ authorizationId, createdAt, counted, fundingWalletId }) => {
    const hold = findHold(authorizationId);
    // What was counted before counts no more, but says where the authorization was counted.
    const before = counted?.filter(({ at }) => at < from.getTime());
    const paid = fundingWalletId === undefined ? {} : { fundingWalletId };
    return hold ? { ...hold, createdAt, counted: before, ...paid } : [];
  });
}

function findAuthorizationId(event: object): string | undefined {
  return "authorizationId" in event ? (event.authorizationId as string | undefined) : undefined;
}

const noControls = {
  program: { ...noProgramControls, timeZone: "Etc/UTC" },
  cardholder: noCardholderControls,
  card: noCardControls,
};

/** More than any Card needs: only what was declined is declined again. */
const plentyMinor = 1e14;

/** The holds that these records led to: their events happen again, decided as they were. */
export function rebuildHolds(
  { programId, settings }: Pick<RunRules, "programId" | "settings">,
  card: Pick<CardStart, "cardId" | "cardholderId" | "currency">,
  records: readonly StoredMovement[],
): (authorizationId: string) => Hold | undefined {
  const run = new SimulationRun({ programId, settings, controlId: "", sinceMs: Number.POSITIVE_INFINITY });
  run.addCard({ ...card, availableMinor: plentyMinor, holds: [], fromMs: 0, walletIds: [] }, noControls);
  for (const record of records) run.take(asDecided(record));
  return (authorizationId) => run.findHold(authorizationId);
}

function asDecided({ movement, decided }: StoredMovement): Movement {
  const { event, declineReason, approvedMinor } = movement;
  if (!event || !decided) return movement;
  const again = { ...movement, dueAt: undefined, declineReason: undefined };
  const isDeclined = decided.transStatus === TransactionStatus.declined;
  // Cash after its reversal is declined again, and so is what was asked about.
  const isReversed = event.kind === "atm_withdrawal" && declineReason === "AUTHORIZATION_FINISHED";
  const isForced = isDeclined && !isReversed && approvedMinor === undefined;
  if (isForced) return { ...again, event: { ...event, failedCheck: "PIN_WRONG" } as CardEvent };
  const isPart = event.kind === "authorization" && !isDeclined;
  return isPart ? { ...again, event: { ...event, amount: decided.amountMinor } } : again;
}
