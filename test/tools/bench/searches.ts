import { authorizationList } from "../../../shared/authorizations/holds/history.ts";
import { cardholderList } from "../../../shared/cardholders/cardholder.ts";
import { cardList } from "../../../shared/cards/card-view.ts";
import { compactList, compactPast } from "../../../shared/lists/compaction.ts";
import { listChange } from "../../../shared/lists/entry.ts";
import { type List, type ListKind, toEntry } from "../../../shared/lists/kind.ts";
import { now, timestamp } from "../../../shared/platform/clock.ts";
import { earliestChangeId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
} from "../../harness/given-cards.ts";
import { fromAfar, measure } from "../../harness/measure.ts";
import { passTime } from "./list-load.ts";
import { progress, type Row } from "./report.ts";

export const searchColumns = ["search", "found", "round trips", "limit", "read units", "limit"];

type Query = Readonly<Record<string, string>>;

interface Filled {
  readonly kind: ListKind;
  /** What the list knows of the others. None of it is what is searched for. */
  readonly toRecord: (index: number) => object;
}

const since = Date.parse("2026-01-01T00:00:00.000Z");
const oldAt = (index: number) => timestamp(new Date(since + index * 1_000));
const sought = { lastName: "Zyxel", email: "zyxel@example.com", phone: "+4915199988877" };

/** No issued Card ends so, and the records of others are not there. */
const lastFours = ["none", "nane"];

const filled: readonly Filled[] = [
  {
    kind: cardholderList,
    toRecord: (index) => ({
      ...{ status: 1, firstName: "Ada", lastName: `Lovelace ${index}` },
      ...{ email: `${index}@example.com`, phone: `+44${index}` },
    }),
  },
  {
    kind: cardList,
    toRecord: (index) => ({
      ...{ issuerCardStatus: 1, cardholderId: `chd_${index}`, cardHolderLastName: `Lovelace ${index}` },
      ...{ lastFour: lastFours[index % lastFours.length], cardForm: 0 },
    }),
  },
  {
    kind: transactionList,
    toRecord: (index) => ({
      ...{ transType: 3, transStatus: 3, transDate: oldAt(index), amountMinor: 1_000 + (index % 5_000) },
      ...{ cardId: `crd_${index % 5_000}`, type: "DR", mcc: "5411" },
    }),
  },
  {
    kind: authorizationList,
    toRecord: (index) => ({
      ...{ status: "cleared", requestedMinor: 1_000 + (index % 5_000), clearedMinor: 1_000 },
      ...{ mcc: "5411", merchantCountry: "GB" },
    }),
  },
];

/** Exact: calls and units are counted. Of so many records of each list, one is found, or a few. */
export async function costsOfSearches(size: number): Promise<Row[]> {
  const program = await givenProgram();
  const { programId } = program;
  const cardholderId = await givenApprovedCardholder(program, sought as never);
  const { cardId, maskedCardNumber } = await givenCard(program, { cardholderId });
  const path = { cardId };
  await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 1_000 } });
  const purchase = { amount: 17, mcc: "7995" };
  await program.call("POST /cards/{cardId}/force-post", { path, body: purchase });
  await program.call("POST /cards/{cardId}/authorizations", { path, body: purchase });
  for (const { kind, toRecord } of filled) await fill({ programId, kind }, size, toRecord);
  // Rows of one riding list are passed by the others.
  for (const { kind } of filled) await compact({ programId, kind });
  const blocks = 20 + size / 128;
  const searches: readonly [string, Query, roundTrips: number, readUnits: number][] = [
    ["/cardholders", { email: sought.email }, 5, 40],
    ["/cardholders", { phone: sought.phone }, 5, 40],
    ["/cardholders", { name: "zyx" }, 5, 40],
    ["/cards", { lastFour: String(maskedCardNumber).slice(-4) }, 5, 40],
    ["/cards", { name: "zyx" }, 9, 60],
    ["/cards/transactions", { amountTo: "17" }, 5, 100],
    ["/cards/transactions", { mcc: purchase.mcc }, 8, blocks],
    ["/cards", { cardForm: "0", name: "zyx" }, 9, blocks],
    ["/authorizations", { amountTo: "17" }, 8, blocks],
    ["/authorizations", { mcc: purchase.mcc }, 8, blocks],
  ];
  const rows: Row[] = [];
  for (const [route, query, ...limits] of searches) rows.push(await rowOf(program, route, query, limits));
  return rows;
}

const atOnce = 2_500;
const oneCompaction = 10_000;
const settleMs = 20_000;

/** As the indexer compacts and merges. */
async function fill(list: List, size: number, toRecord: Filled["toRecord"]): Promise<void> {
  for (let begin = 0; begin < size; begin += atOnce) {
    progress(`${list.kind.name}: ${begin} of ${size}`);
    const indexes = Array.from({ length: Math.min(atOnce, size - begin) }, (_, at) => begin + at);
    const entries = indexes.map((index) =>
      toEntry(list.kind, `old_${String(index).padStart(8, "0")}`, {
        ...toRecord(index),
        createdAt: oldAt(index),
      }),
    );
    await transact([listChange(list, entries)]);
    passTime(settleMs);
    if ((begin + atOnce) % oneCompaction !== 0 && begin + atOnce < size) continue;
    await compact(list);
  }
}

async function compact(list: List): Promise<void> {
  await compactPast(list, earliestChangeId(new Date(now().getTime() - settleMs / 2 - 1)));
  await compactList(list, async () => {});
}

async function rowOf(
  program: GivenProgram,
  route: string,
  query: Query,
  [roundTrips, readUnits]: readonly number[],
): Promise<Row> {
  const ask = () => program.call(`GET ${route}` as never, { query } as never);
  const { result, cost } = await fromAfar(() => measure(ask));
  const { status, body } = result as { status: number; body: { total: number } };
  const name = `${route} by ${Object.keys(query).join(" and ")}`;
  if (status !== 200 || body.total === 0) throw new Error(`${name}: ${status}, ${body.total} found.`);
  const cells = [
    ...[name, body.total, cost.roundTrips, roundTrips ?? ""],
    ...[cost.readUnits, Math.round(readUnits ?? 0)],
  ];
  const isBroken = cost.roundTrips > Number(roundTrips) || cost.readUnits > Number(readUnits);
  return { cells, broken: isBroken ? `${name} takes more than its limits.` : undefined };
}
