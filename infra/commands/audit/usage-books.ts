import { isDeepStrictEqual } from "node:util";
import { countedParts } from "../../../shared/authorizations/holds/counted-parts.ts";
import { cards, toFunding } from "../../../shared/cards/card.ts";
import { controls, toActiveControl } from "../../../shared/controls/control.ts";
import type { ActiveControl } from "../../../shared/controls/rulebooks.ts";
import { toLimitControl } from "../../../shared/controls/spend-limit.ts";
import { getSince, isLive, type Usage, usageParts } from "../../../shared/controls/usage.ts";
import { now } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { readBatch } from "../../../shared/platform/table/batch.ts";
import { table } from "../../../shared/platform/table/client.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { type Item, ofProgram, scan } from "./scan.ts";

interface Sum {
  amount: number;
  count: number;
}

/** What the controls of a Program have counted, and of which transactions. */
class UsageBook {
  readonly #programId: string;
  readonly #controls: ActiveControl[] = [];
  readonly #usages = new Map<string, Usage>();
  readonly #keys = new Map<string, Key>();
  /** By control, the time since when it counts, and the beginning of a period. */
  readonly #counted = new Map<string, Sum>();

  constructor(programId: string) {
    this.#programId = programId;
  }

  get usageKeys(): Key[] {
    return [...this.#keys.values()];
  }

  add(item: Item): void {
    if (isUsage(item)) {
      const key = { pk: String(item.pk), sk: String(item.sk) };
      this.#keys.set(`${key.pk} ${key.sk}`, key);
      this.#usages.set(`${key.pk} ${key.sk}`, usageParts.parse(item));
    }
    const control = item.sk === "CONTROL" ? toActiveControl(controls.parse(item)) : findLimit(item);
    if (control) this.#controls.push(control);
    if (item.counted === undefined) return;
    for (const { controlId, since, from, ...part } of countedParts(item))
      addTo(this.#counted, `${controlId} ${since} ${from}`, part);
  }

  faults(): string[] {
    const { pk, sk } = usageParts.at(this.#programId, 0).key;
    const own = this.#usages.get(`${pk} ${sk}`);
    const parts = [...this.#usages.values()].filter(({ split }) => split && split.id === own?.split?.id);
    const expected = own?.split?.parts ?? 0;
    const missing =
      parts.length === expected ? [] : [`the usage of its controls has ${parts.length} of ${expected} parts`];
    return [...missing, ...this.#controls.flatMap((control) => this.#findFaults(control))].map(
      (fault) => `${this.#programId}: ${fault}.`,
    );
  }

  /** In the periods that still count: others are forgotten. */
  #findFaults(control: ActiveControl): string[] {
    const { controlId } = control;
    const since = getSince(control);
    const atMs = now().getTime();
    const used = new Map<string, Sum>();
    for (const { controls: ofAll } of this.#usages.values()) {
      for (const cell of ofAll[controlId]?.cells[since] ?? [])
        if (isLive(cell, atMs)) addTo(used, `${controlId} ${since} ${cell.from}`, cell);
    }
    const total = { used: { amount: 0, count: 0 }, listed: { amount: 0, count: 0 } };
    for (const [key, sum] of used) {
      for (const what of ["amount", "count"] as const) {
        total.used[what] += sum[what];
        total.listed[what] += this.#counted.get(key)?.[what] ?? 0;
      }
    }
    const text = ({ amount, count }: Sum) => `${amount} in ${count}`;
    const isListed = isDeepStrictEqual(total.used, total.listed);
    return [
      ...(isListed
        ? []
        : [`${controlId} has counted ${text(total.used)}, its transactions ${text(total.listed)}`]),
      ...this.#findWrongTotals(controlId, since),
    ];
  }

  /** What a limit's condition compares: all that its periods have counted. */
  #findWrongTotals(controlId: string, since: number): string[] {
    return [...this.#usages.values()].flatMap(({ controls: ofAll, totalMinor }) => {
      const usage = ofAll[controlId];
      if (totalMinor === undefined || !usage) return [];
      const sum = (usage.cells[since] ?? []).reduce((all, { amount }) => all + amount, 0);
      const isOfOther = usage.since !== undefined && usage.since !== since;
      return sum === totalMinor || isOfOther
        ? []
        : [`${controlId} has counted ${sum} in its periods, but ${totalMinor} in all`];
    });
  }
}

/** A Card's limit counts like a control that no list has. */
function findLimit(item: Item): ActiveControl | undefined {
  if (item.sk !== "CARD" || item.spendLimitFrom === undefined) return undefined;
  const { limit } = toFunding(cards.parse(item)) ?? {};
  return limit && toLimitControl(String(item.entityId), limit);
}

function addTo(sums: Map<string, Sum>, key: string, { amount, count }: Sum): void {
  const before = sums.get(key) ?? { amount: 0, count: 0 };
  sums.set(key, { amount: before.amount + amount, count: before.count + count });
}

/** A Program whose usage changes while it is read is read again. */
const maximumReadings = 6;

/** The usage of spend controls, with all parts of a split one, against their transactions. */
export class UsageBooks {
  readonly #books = new Map<string, UsageBook>();

  add(programId: string, item: Item): void {
    if (!isRelevant(item)) return;
    const book = this.#books.get(programId) ?? new UsageBook(programId);
    this.#books.set(programId, book);
    book.add(item);
  }

  /** The store may change during the scan: a fault counts only if it is found in a quiet moment. */
  async faults(): Promise<string[]> {
    const faults: string[] = [];
    for (const [programId, book] of this.#books)
      if (book.faults().length > 0) faults.push(...(await readFaults(programId, book.usageKeys)));
    return faults;
  }
}

function isRelevant(item: Item): boolean {
  const { sk, counted, spendLimitFrom } = item;
  return sk === "CONTROL" || isUsage(item) || counted !== undefined || spendLimitFrom !== undefined;
}

/** That of controls, or of a Card's limit. */
function isUsage({ sk }: Item): boolean {
  return sk === "CONTROL_USAGE" || sk === "CARD_LIMIT";
}

async function readFaults(programId: string, usageKeys: readonly Key[]): Promise<string[]> {
  for (let reading = 1; reading <= maximumReadings; reading += 1) {
    const book = new UsageBook(programId);
    const before = await readBatch(usageKeys);
    const items = scan(table, environment.issuingTable, ofProgram(programId));
    for await (const item of items) if (isRelevant(item)) book.add(item);
    const faults = book.faults();
    if (faults.length === 0) return [];
    if (sumVersions(before) === sumVersions(await readBatch(book.usageKeys))) return faults;
  }
  return [`${programId}: the usage of its controls changed during every read. Audit it again.`];
}

/** Each write makes one greater. */
function sumVersions(usages: readonly Item[]): number {
  return usages.reduce((sum, { version }) => sum + Number(version), 0);
}
