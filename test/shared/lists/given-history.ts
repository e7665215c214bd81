import fc from "fast-check";
import type { Entry } from "../../../shared/lists/kind.ts";
import { compareEntries, matchesSpec, type PageSpec } from "../../../shared/lists/page-spec.ts";
import { entryIn, sumEntries } from "../../../shared/lists/segment.ts";
import { selectPage } from "../../../shared/lists/select-page.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import type { SegmentsInMemory } from "./segments-in-memory.ts";

/** The page by definition: filter, sort, slice. */
export function naivePage(entries: readonly Entry[], spec: PageSpec) {
  const live = sumEntries(entries).filter((entry) => matchesSpec(spec, entry));
  const ascending = live.toSorted(compareEntries(spec.order));
  const ordered = spec.descending ? ascending.toReversed() : ascending;
  const known = ordered
    .slice(spec.offset, spec.offset + spec.limit)
    .map((entry) => entryIn(transactionList, spec.id === undefined ? spec.order : "id", entry));
  return { ids: known.map(({ id, values }) => [id, ...values]), total: live.length };
}

export async function page(segments: SegmentsInMemory, spec: PageSpec) {
  const order = spec.id === undefined ? spec.order : "id";
  const { entries, total } = await selectPage(transactionList, segments.parts(order), { ...spec, order });
  return { ids: entries.map(({ id, values }) => [id, ...values]), total };
}

/** Half of the changes come long after the transactions, so that segments overlap in time. */
export function history(count: number, changeEvery: number, seed: number): Entry[] {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const entries: Entry[] = [];
  const changed = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const createdAt = 1_700_000_000_000 + Math.floor(index / 3) * 700;
    const entry: Entry = {
      id: `txn_${String(index).padStart(8, "0")}${random(1000)}`,
      createdAt: createdAt - random(5),
      values: [
        [20, 80, 24, 90][random(4)] ?? 0,
        1 + random(4),
        random(4) === 0 ? createdAt - random(86_400_000) : createdAt,
        random(3) === 0 ? 1000 : random(5_000),
        `crd_${random(50)}`,
        index % 3 === 0 ? "CR" : "DR",
        index % 5 === 0 ? null : "5411",
      ],
      weight: 1,
    };
    entries.push(entry);
    if (random(changeEvery) !== 0) continue;
    const old = random(2) === 0 ? entry : entries[random(entries.length)];
    if (!old || changed.has(old.id)) continue;
    changed.add(old.id);
    entries.push({ ...old, weight: -1 });
    if (random(5) > 0) entries.push({ ...old, values: [18, 2, ...old.values.slice(2)] });
  }
  return entries;
}

export function pageSpecs(count: number): fc.Arbitrary<PageSpec> {
  const time = fc
    .integer({ min: -10, max: Math.ceil(count / 3) * 700 + 10 })
    .map((ms) => 1_700_000_000_000 + ms);
  const type = fc.constantFrom(20, 80, 24, 90, 18);
  const status = fc.integer({ min: 1, max: 5 });
  return fc.record({
    order: fc.constantFrom("id" as const, "createdAt" as const, 0, 1, 2, 3),
    descending: fc.boolean(),
    // Of few that match, most offsets would be beyond the end.
    offset: fc.oneof(fc.constant(0), fc.nat(count + 50), fc.nat(Math.ceil(count / 10))),
    limit: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 201 }) },
      fc.constant(Number.POSITIVE_INFINITY),
    ),
    after: fc.option(time, { nil: Number.NEGATIVE_INFINITY, freq: 2 }),
    before: fc.option(time, { nil: Number.POSITIVE_INFINITY, freq: 2 }),
    equal: fc.oneof(
      fc.constant([]),
      type.map((value) => [[0, value] as const]),
      fc.tuple(type, status).map(([one, other]) => [[0, one] as const, [1, other] as const]),
    ),
    unequal: fc.constantFrom([], [[1, 4] as const]),
  });
}
