import { EventType } from "../../contract/enums.ts";
import { notificationsKeptSeconds } from "../../contract/notifications.ts";
import { now } from "../../platform/clock.ts";
import { inLanes } from "../../platform/in-lanes.ts";
import { readItems, toPartitionQuery } from "../../platform/table/query.ts";
import type { ReportDay } from "../../settlements/compare-files.ts";
import { stated } from "../../settlements/posted.ts";
import type { CompareWebhooks } from "../../settlements/reconcile.ts";
import { note, type Tally } from "../../settlements/tally.ts";
import type { Transaction } from "../../transactions/transaction.ts";
import type { Notification } from "../notification.ts";
import { readNotificationSpan } from "../notification-page.ts";
import { readNotifications } from "../stored-notification.ts";
import { attempts } from "./attempt.ts";
import { type Endpoint, readEndpoints } from "./endpoint.ts";

/** Notifications are rendered as their transaction is planned: other clocks differ by less. */
const usualMarginMs = 2_000;
const widestMarginMs = 60_000;

/** Compares settlements with their ACTTXN: rendered once, with their amount, and delivered. */
export const compareWebhooks: CompareWebhooks = async (day, posted) => {
  const subscribed = (await readEndpoints(day.programId))
    .map(({ endpoint }) => endpoint)
    .filter(({ active, eventTypes }) => active && eventTypes.includes(EventType.settlement));
  const isKept = now().getTime() - day.start.getTime() < notificationsKeptSeconds * 1000 - widestMarginMs;
  if (subscribed.length === 0 || !isKept) return undefined;
  const moved = posted.map(({ transaction }) => transaction).filter(({ amountMinor }) => amountMinor !== 0);
  const rendered = await findRendered(day, moved);
  const undelivered = await inLanes(moved, (transaction) =>
    findUndelivered(transaction, rendered.get(transaction.referenceCode)?.[0], subscribed),
  );
  return (tally) => {
    for (const [index, transaction] of moved.entries()) {
      const found = rendered.get(transaction.referenceCode) ?? [];
      noteRendered(tally, transaction, found);
      for (const webhookId of undelivered[index] ?? [])
        note(tally, "missing", { ...nameOf(transaction, found[0]), ...stated(transaction), webhookId });
    }
  };
};

type Rendered = Pick<Notification, "transIdSc"> & { readonly stated: ReturnType<typeof stated> };

function nameOf({ referenceCode, transId }: Transaction, rendered: Rendered | undefined) {
  const named = { side: "webhook", referenceCode, transId } as const;
  return { ...named, ...(rendered && { transIdSc: rendered.transIdSc }) };
}

function noteRendered(tally: Tally, transaction: Transaction, found: readonly Rendered[]): void {
  const { interchange: _, ...facts } = stated(transaction);
  const [first, ...more] = found;
  if (!first) note(tally, "missing", { ...nameOf(transaction, undefined), ...facts });
  for (const one of more) note(tally, "doubled", { ...nameOf(transaction, one), ...one.stated });
  for (const one of found) {
    const { type, amount } = one.stated;
    if (type === facts.type && amount === facts.amount) continue;
    note(tally, "differing", { ...nameOf(transaction, one), stated: one.stated, ledger: facts });
  }
}

/** By reference code. What is not found beside its transaction is looked for further away. */
async function findRendered(day: ReportDay, moved: readonly Transaction[]): Promise<Map<string, Rendered[]>> {
  const [first, last] = [moved[0], moved.at(-1)];
  if (!first || !last) return new Map();
  const within = async (marginMs: number) => {
    const since = new Date(Date.parse(first.createdAt) - marginMs);
    const until = new Date(Date.parse(last.createdAt) + marginMs);
    const span = { since, until };
    const page = await readNotificationSpan(day.programId, span, {
      offset: 0,
      limit: Number.POSITIVE_INFINITY,
    });
    const ids = page.items.filter(({ eventType }) => eventType === EventType.settlement);
    const found = await readNotifications(
      day.programId,
      ids.map(({ transIdSc }) => transIdSc),
    );
    return Map.groupBy(found.map(toRendered), ({ referenceCode }) => referenceCode);
  };
  const usual = await within(usualMarginMs);
  return moved.every(({ referenceCode }) => usual.has(referenceCode)) ? usual : within(widestMarginMs);
}

function toRendered({ transIdSc, body }: Notification): Rendered & { readonly referenceCode: string } {
  const envelope = JSON.parse(body);
  const data = JSON.parse(envelope.SpData);
  const { payload } = JSON.parse(data.OriginalDataFromSp);
  const { type, currencyCode: currency } = payload;
  return {
    transIdSc,
    referenceCode: data.referenceCode,
    stated: { type, amount: Math.round(payload.amount * 100), currency },
  };
}

/** Endpoints that were there, and have not taken it. */
async function findUndelivered(
  { programId, createdAt }: Transaction,
  rendered: Rendered | undefined,
  subscribed: readonly Endpoint[],
): Promise<string[]> {
  const missing = new Set(
    subscribed.filter((endpoint) => endpoint.createdAt <= createdAt).map(({ webhookId }) => webhookId),
  );
  if (!rendered || missing.size === 0) return [];
  const { pk } = attempts.key(programId, rendered.transIdSc, "");
  for await (const item of readItems(toPartitionQuery(pk, "ATTEMPT#"))) {
    const { endpointId, delivered } = attempts.parse(item);
    if (delivered && endpointId !== undefined) missing.delete(endpointId);
    if (missing.size === 0) return [];
  }
  return [...missing];
}
