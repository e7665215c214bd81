import { findNetworkFacts } from "../../contract/card-network.ts";
import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { findTypeFacts } from "../../contract/transaction-types.ts";
import { listChange } from "../../lists/entry.ts";
import { defineList, rides, type StoredRecord, toEntry, toTombstone } from "../../lists/kind.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Transaction } from "../../transactions/transaction.ts";
import { type Presentation, presented } from "../../verification/presentation.ts";
import { type Hold, holds } from "./hold.ts";
import { emptyHold, outstandingMinor } from "./hold-rules.ts";
import { countEvents, isNear, lastTime, namedEvents } from "./named-events.ts";

/** What is shown of an authorization: each but the requested amount is a sum over its events. */
export interface Sums {
  readonly requestedMinor: number;
  readonly authorizedMinor: number;
  readonly releasedMinor: number;
  readonly clearedMinor: number;
  readonly refundedMinor: number;
}

/** What an event added. */
export type Added = Omit<Sums, "requestedMinor">;
/** What of that the hold has. */
type Held = Pick<Added, "authorizedMinor" | "releasedMinor">;

export function toSums(hold: Hold): Sums {
  const { clearedMinor, undoneMinor = 0, shown = {} } = hold;
  const refundedMinor = (hold.refundedMinor ?? 0) + undoneMinor;
  const { authorizedMinor = hold.authorizedMinor } = shown;
  const { requestedMinor = authorizedMinor, releasedMinor = restMinor(hold, authorizedMinor) } = shown;
  return { requestedMinor, authorizedMinor, releasedMinor, clearedMinor, refundedMinor };
}

/** What was released if nothing more was cleared than held. */
function restMinor(hold: Hold, authorizedMinor: number): number {
  return Math.max(0, authorizedMinor - hold.clearedMinor - outstandingMinor(hold));
}

/** What the authorization still holds follows from the sums before and after. */
function addedBy(before: Hold, after: Hold): Held {
  const sums = toSums(before);
  const isTotal = after.totals?.set !== before.totals?.set;
  const newMinor = isTotal ? 0 : Math.max(0, after.authorizedMinor - before.authorizedMinor);
  const leftMinor = sums.authorizedMinor - sums.releasedMinor - after.clearedMinor + newMinor;
  const openMinor = outstandingMinor(after);
  const missingMinor = openMinor > 0 ? Math.max(0, openMinor - leftMinor) : 0;
  return {
    authorizedMinor: newMinor + missingMinor,
    releasedMinor: Math.max(0, leftMinor - openMinor),
  };
}

const clearingType = TransactionType.authorization_clearing;

/** What a transaction of its type and amounts adds, unless it says otherwise. */
export function toAdded(transaction: Transaction): Added {
  const { transType, transStatus, amountMinor, releasedMinor = 0, event, gaveBack, added } = transaction;
  const nothing = { authorizedMinor: 0, releasedMinor: 0, clearedMinor: 0, refundedMinor: 0 };
  if (transStatus === TransactionStatus.declined) return { ...nothing, ...added };
  if (findTypeFacts(transType).isHeld) return { ...nothing, authorizedMinor: amountMinor, ...added };
  if (gaveBack) return { ...nothing, refundedMinor: amountMinor, ...added };
  if (transType !== clearingType) return { ...nothing, releasedMinor: amountMinor, ...added };
  const restMinor = event?.final ? Math.max(0, releasedMinor - amountMinor) : 0;
  return { ...nothing, clearedMinor: amountMinor, releasedMinor: restMinor, ...added };
}

export type AuthorizationStatus = "pending" | "cleared" | "reversed" | "expired" | "declined";

/** What ended it, unless money moved; a decline stays one whatever takes it back. */
export function findStatus(hold: Hold): AuthorizationStatus {
  const { closedBy, clearedMinor, decline } = hold;
  if (closedBy === undefined) return "pending";
  if (clearedMinor > 0) return "cleared";
  return decline && toSums(hold).authorizedMinor === 0 ? "declined" : closedBy;
}

/** Cash is posted, and no authorization. */
export function isAuthorization({ withdrawal, isCash }: Hold): boolean {
  return withdrawal === undefined && !isCash;
}

export const authorizationList = defineList({
  name: "authorizations",
  filters: ["status"],
  carried: ["requestedMinor", "mcc", "merchantCountry", "clearedMinor"],
  ...rides,
  recordKey: ({ programId }, authorizationId) => holds.key(programId, authorizationId),
  toRecord: (stored) => toListed(holds.parse(stored)),
});

/** What lists know of it, beside the hold. Undefined for cash. */
export function toListed(hold: Hold): StoredRecord | undefined {
  if (hold.version === 0 || !isAuthorization(hold)) return undefined;
  const { authorizationId, merchant } = hold;
  const { mcc, merchantCountry, merchantId, merchantName } = merchant;
  const known = { mcc, merchantCountry, merchantId, merchantName };
  const { requestedMinor, clearedMinor } = toSums(hold);
  const status = findStatus(hold);
  return { ...hold, entityId: authorizationId, status, requestedMinor, clearedMinor, ...known };
}

/** Before its first event, it is in no list. */
function listChanges(before: Hold, after: Hold): WriteAction[] {
  const { programId, cardId, authorizationId } = after;
  const toEntries = (hold: Hold) => {
    const record = toListed(hold);
    return record ? [toEntry(authorizationList, authorizationId, record)] : [];
  };
  const [old, next] = [toEntries(before), toEntries(after)];
  if (JSON.stringify(old) === JSON.stringify(next)) return [];
  return [listChange({ programId, kind: authorizationList }, [...old.map(toTombstone), ...next], cardId)];
}

/** The hold's part of a plan. */
interface Planned {
  readonly transaction?: Transaction;
  readonly writes?: readonly WriteAction[];
  readonly question?: unknown;
}

/** What happens, with the hold as it was stored. */
interface Happening {
  readonly event: { readonly kind: string };
  readonly hold?: Hold | undefined;
}

type Asking = Happening["event"] & { readonly amount?: number | undefined };

/** The plan with what is shown of it, and with the change in the list of authorizations. */
export function withHistory<Plan extends Planned>(plan: Plan, { event, hold }: Happening): Plan {
  const { writes = [], transaction } = plan;
  const write = writes.find((one) => one.name === "hold" && "Put" in one);
  if (!write || !("Put" in write)) return plan;
  const after = write.Put.Item as unknown as Hold;
  const before = hold ?? emptyHold(after, after.authorizationId, after.createdAt);
  const isCash = event.kind === "atm_withdrawal" || (before.isCash && event.kind !== "authorization_advice");
  const { hold: named, dropped } = nameEvent(before, after, transaction);
  const noted = {
    ...named,
    ...decidedIn(plan, before, event),
    ...presentedIn(before, event),
    isCash: (isCash && !after.withdrawal) || undefined,
  };
  const added = isAuthorization(noted) ? addedBy(before, after) : undefined;
  const next = { ...noted, shown: added && toShown(after, toSums(before), added, event) };
  const alongside = [...(write.alongside ?? []), ...listChanges(before, next)];
  const put = { ...write, Put: { ...write.Put, Item: next as never }, alongside };
  const recorded = transaction && withAdded(transaction, added, dropped);
  return {
    ...plan,
    ...(recorded && { transaction: recorded }),
    writes: writes.map((one) => (one === write ? put : one)),
  };
}

/** A hold grows with each that it names. */
const keptEvents = 24;

interface Named {
  readonly hold: Hold;
  /** What the transaction names from now on, in place of the hold. */
  readonly dropped?: readonly string[];
}

/** The hold after the transaction, with the names of all. */
function nameEvent(before: Hold, after: Hold, transaction: Transaction | undefined): Named {
  const isFirst = countEvents(before) === 0;
  if (!transaction) return { hold: isFirst ? { ...after, namesFirst: true } : after };
  const { transId, createdAt } = transaction;
  const { disputable = [], earlierEvents = 0 } = after;
  const isFound = isFirst && !disputable.includes(transId) && isNear(transId, after);
  const names = new Set(isFound ? [] : [...namedEvents(before), transId]);
  const events = [...names].filter((id) => !disputable.includes(id));
  const dropped = events.length > keptEvents ? events.filter((id) => id !== transId) : [];
  const kept = events.slice(dropped.length);
  const hold = {
    ...after,
    ...(isFirst && { namesFirst: isFound ? undefined : true }),
    events: kept.length > 0 ? kept : undefined,
    ...(dropped.length > 0 && { earlierEvents: earlierEvents + dropped.length }),
  };
  const late = Date.parse(createdAt) - lastTime(hold);
  return { hold: { ...hold, late: late === 0 ? undefined : late }, ...(dropped.length > 0 && { dropped }) };
}

/** The requested amount counts when it is asked for, not again when that is decided. */
function toShown(after: Hold, sums: Sums, added: Held, event: Asking) {
  const authorizedMinor = sums.authorizedMinor + added.authorizedMinor;
  const releasedMinor = sums.releasedMinor + added.releasedMinor;
  const askedMinor = findNetworkFacts(event).asks === "hold" ? (event.amount ?? 0) : 0;
  const requestedMinor = Math.max(sums.requestedMinor + askedMinor, authorizedMinor);
  const shown = {
    ...(authorizedMinor !== after.authorizedMinor && { authorizedMinor }),
    ...(requestedMinor !== authorizedMinor && { requestedMinor }),
    ...(releasedMinor !== restMinor(after, authorizedMinor) && { releasedMinor }),
  };
  return Object.keys(shown).length > 0 ? shown : undefined;
}

/** What was sent with the authorization, or with the advice that came in its place. */
function presentedIn({ version }: Hold, event: Happening["event"]): Presentation {
  const isFirst = event.kind === "authorization_advice" && version === 0;
  return event.kind === "authorization" || isFirst ? presented(event as Presentation) : {};
}

/** How the authorization itself was decided. */
function decidedIn({ transaction, question }: Planned, before: Hold, event: Happening["event"]) {
  const { entryMode } = event as Pick<Hold, "entryMode">;
  if (question) return event.kind === "authorization" && entryMode ? { entryMode } : {};
  if (transaction?.event?.kind !== "authorization") return {};
  const { decidedBy, declineReason: reason, amountMinor, controlId, refusal } = transaction;
  return {
    entryMode: transaction.event.entryMode,
    decidedBy,
    ...(reason && !before.closedBy && { decline: { amountMinor, reason, controlId, refusal } }),
  };
}

function withAdded(
  transaction: Transaction,
  added: Held | undefined,
  earlierEvents: readonly string[] | undefined,
): Transaction {
  const usual = toAdded(transaction);
  const isUsual =
    !added ||
    (added.authorizedMinor === usual.authorizedMinor && added.releasedMinor === usual.releasedMinor);
  const { authorizedMinor = 0, releasedMinor = 0 } = added ?? {};
  return {
    ...transaction,
    ...(!isUsual && { added: { authorizedMinor, releasedMinor } }),
    ...(earlierEvents && { earlierEvents: [...earlierEvents] }),
  };
}
