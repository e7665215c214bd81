import type { CardIdentity } from "../cards/card.ts";
import { toRedelivery } from "../changes/redelivery.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { renderCardNotifications } from "../notifications/card-notifications.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Fee, feePut } from "../transactions/fee.ts";
import { transactionWrites } from "../transactions/reference.ts";
import type { RecordedCard, Transaction } from "../transactions/transaction.ts";

/** What one event records: a transaction, with its fee. */
interface Recorded {
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  readonly placedMinor?: number | undefined;
}

/** The records' writes, with their notifications and the outbox item. */
export function recordWrites(
  card: CardIdentity,
  outboxKind: OutboxEvent["kind"] | undefined,
  detail: Recorded & Readonly<Record<string, unknown>>,
  at: Date,
) {
  const { programId } = card;
  const { transaction, fee } = detail;
  const { outboxDetail, writes, writesWithBalance } = renderCardNotifications(outboxKind, card, detail);
  const records = { transaction: withoutCard(transaction), fee: withoutCard(fee), ...outboxDetail };
  const all: WriteAction[] = [
    ...(transaction ? transactionWrites(transaction) : []),
    ...(fee ? [feePut(fee)] : []),
    ...writes,
    ...(outboxKind ? [outboxPut(programId, outboxKind, { card, ...detail, ...records }, at)] : []),
  ];
  return {
    writes: all,
    writesWithBalance,
    redelivery: outboxKind && toRedelivery(outboxKind, outboxDetail.notificationIds),
  };
}

/** The event names the card once: an outbox item above 1 KB would cost two more write units. */
function withoutCard(record: RecordedCard | undefined): object | undefined {
  if (!record) return undefined;
  const { programId: _, cardId: __, cardholderId: ___, currency: ____, ...others } = record;
  const {
    counted: _5,
    event: _6,
    interchangeMinor: _7,
    gaveBack: _8,
    ...fields
  } = others as Partial<Transaction>;
  return fields;
}
