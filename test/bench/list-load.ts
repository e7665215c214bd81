import { moveDate } from "../../infra/local/moved-date.ts";
import { timestamp } from "../../shared/clock.ts";
import { newId } from "../../shared/id.ts";
import { changePut } from "../../shared/listing/change-row.ts";
import type { Entry } from "../../shared/listing/entry.ts";
import { entryOf, type ListedKind } from "../../shared/listing/listed-kind.ts";
import { takeIn } from "../../shared/listing/take-in.ts";
import { issuingKey, type Key } from "../../shared/table/keys.ts";
import { writeBatch } from "../../shared/table/write-batch.ts";
import { measure } from "../harness/measure.ts";
import { progress } from "./report.ts";

/** Moves the time of this process on, so that what is loaded within minutes spreads over days. */
const offset = new SharedArrayBuffer(8);
moveDate(offset);
export function passTime(ms: number): void {
  Atomics.add(new BigInt64Array(offset), 0, BigInt(ms));
}

/** What is known of all that was loaded: enough to say what any page has to be. */
export interface Loaded {
  readonly kind: ListedKind;
  readonly programId: string;
  readonly entries: Entry[];
  /** Write units of all that keeps the list fast, beside the changes themselves. */
  readonly indexUnits: number;
}

type Stored = Key & Record<string, unknown>;

/** Records of a kind, as their operations write them, as far as lists go. */
const records: Partial<Record<ListedKind, (programId: string, index: number) => Stored>> = {
  transactions: (programId, index) => {
    const [transId, createdAt] = [newId("transaction"), timestamp()];
    const cardId = pick(cardIds, index * 31);
    const purchase = {
      transType: pick([20, 20, 20, 80, 18, 10], index),
      transStatus: pick([3, 3, 3, 2, 3, 3, 4], index),
    };
    return {
      ...issuingKey.transaction(programId, cardId, transId),
      ...{ entityId: transId, programId, transId, cardId, cardholderId: pick(cardholderIds, index) },
      ...{ ...purchase, type: "DR", amountMinor: (index * 7_919) % 25_013, currency: 0 },
      ...{
        srcAmountMinor: 1,
        srcCurrency: "840",
        merchantName: "Corner shop",
        mcc: "5411",
        referenceCode: transId,
      },
      ...{ description: "Purchase", createdAt, postDate: createdAt },
      transDate:
        index % 3 === 0 ? timestamp(new Date(Date.now() - ((index * 7_919) % 3) * 86_400_000)) : createdAt,
    };
  },
  cards: (programId, index) => {
    const cardId = newId("card");
    return {
      ...issuingKey.card(programId, cardId),
      ...{
        entityId: cardId,
        cardholderId: pick(cardholderIds, index * 31),
        cardHolderLastName: lastName(index),
      },
      ...{ cardStatus: 1, issuerCardStatus: pick([1, 1, 1, 2, 3, 4], index), cardForm: 0, cardType: 0 },
      ...{
        bin: "400000",
        lastFour: "0002",
        expiryMonth: 1,
        expiryYear: 2030,
        currency: 0,
        createdAt: timestamp(),
      },
    };
  },
  cardholders: (programId, index) => {
    const cardholderId = newId("cardholder");
    return {
      ...issuingKey.cardholder(programId, cardholderId),
      ...{ entityId: cardholderId, status: pick([4, 3, 1, 1, 1, 2, 5], index) },
      ...{ firstName: "Ada", lastName: lastName(index), email: "ada@example.com", createdAt: timestamp() },
    };
  },
};

const cardIds = Array.from({ length: 5_000 }, () => newId("card"));
const cardholderIds = Array.from({ length: 4_000 }, () => newId("cardholder"));

function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length] as T;
}

function lastName(index: number): string {
  const syllables = ["ber", "ka", "lo", "min", "ro", "sta", "ti", "vel"];
  const letters = Array.from({ length: 4 }, (_, at) =>
    pick(syllables, Math.floor((index * 7_919) / 8 ** at)),
  );
  return `X${letters.join("")}`;
}

const batch = 3_000;
const settleMs = 20_000;

/** Loads a list with so many records, and takes them in as the indexer does; some of them change meanwhile. */
export async function load(programId: string, kind: ListedKind, count: number): Promise<Loaded> {
  const entries: Entry[] = [];
  let indexUnits = 0;
  for (let done = 0; done < count; ) {
    progress(`${kind}: ${done} of ${count}`);
    const writes: { put: Key }[] = [];
    for (const end = Math.min(count, done + batch); done < end; done += 1) {
      if (done % 25 === 0) passTime(1_000);
      const record = records[kind]?.(programId, done);
      if (!record) throw new Error(`The bench has no ${kind}.`);
      const entry = entryOf(kind, String(record.entityId), record);
      const changes = [[entry], ...(done % 50 === 7 ? [changed(entries, done)] : [])];
      writes.push({ put: record });
      for (const change of changes) {
        writes.push({ put: rowOf(programId, kind, change) });
        entries.push(...change);
      }
    }
    await writeBatch(writes);
    passTime(settleMs);
    indexUnits += (await measure(() => takeIn({ programId, kind }))).cost.writeUnits;
  }
  return { kind, programId, entries, indexUnits };
}

const changedIds = new Set<string>();

/** An earlier record gets another status, one that was created long ago as likely as a new one. */
function changed(entries: readonly Entry[], index: number): Entry[] {
  const entry = entries[(index * 7_919) % Math.max(1, entries.length)];
  if (!entry || changedIds.has(entry.id)) return [];
  changedIds.add(entry.id);
  const at = entry.values.length > 3 ? 1 : 0;
  const values = entry.values.with(at, 2);
  return [
    { ...entry, weight: -1 },
    { ...entry, values, weight: 1 },
  ];
}

function rowOf(programId: string, kind: ListedKind, entries: readonly Entry[]): Key {
  const action = changePut(kind, programId, entries);
  if (!("Put" in action)) throw new Error("A change is written by a put.");
  return action.Put.Item as unknown as Key;
}
