import * as z from "zod";
import { readPart } from "../books/read-entries.ts";
import { cardList } from "../cards/card-view.ts";
import { idPrefixes } from "../contract/identifiers.ts";
import type { BalanceRow } from "../contract/reports.ts";
import type { AccountBalances } from "../ledger/account.ts";
import { journalParts } from "../ledger/closed-journal.ts";
import { isWalletId } from "../ledger/journal-entry.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { walkList } from "../lists/walk.ts";
import { earliestId } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { checkpoints } from "../proofs/checkpoint.ts";
import { walletList } from "../wallets/wallet.ts";
import type { Report } from "./report.ts";
import { Place, toCardFilter } from "./rows.ts";

/** A stretch of an account's journal, and what it adds to. */
const Stretch = z.object({
  part: z.string(),
  first: z.string(),
  last: z.string(),
  /** 0: it is of the span itself. Others lead from the checkpoint to its beginning. */
  sign: z.literal([1, 0, -1]),
});

const Sums = z.object({
  accountId: z.string(),
  /** What is left to read, the first one after what was read of it. */
  stretches: z.array(Stretch),
  openingMinor: z.int(),
  creditsMinor: z.int(),
  debitsMinor: z.int(),
});
type Sums = z.output<typeof Sums>;

/** Some accounts are read side by side; the Cards come first. */
export const BalancePlace = z.object({
  ofWallets: z.boolean(),
  after: Place.optional(),
  open: z.array(Sums).optional(),
});
export type BalancePlace = z.output<typeof BalancePlace>;

const lanes = 16;

interface BalancePage {
  readonly rows: readonly BalanceRow[];
  readonly place: BalancePlace | undefined;
}

/** The balances of the next accounts, oldest first. A long journal goes on in the next call. */
export async function readBalanceRows(
  report: Report,
  place: BalancePlace = { ofWallets: false },
  isTimeUp: () => boolean,
): Promise<BalancePage> {
  if (!place.open) return beginAccounts(report, place);
  const read = await inLanes(place.open, (sums) => addUp(report.programId, sums, isTimeUp), lanes);
  if (read.some(({ stretches }) => stretches.length > 0))
    return { rows: [], place: { ...place, open: read } };
  const rows = read.map((sums) => toRow(sums, report));
  const { open: _, ...next } = place;
  if (next.after || !next.ofWallets) return { rows, place: next.after ? next : { ofWallets: true } };
  return { rows, place: undefined };
}

/** Those that exist at the end of the span. */
async function beginAccounts(report: Report, { ofWallets, after }: BalancePlace): Promise<BalancePage> {
  const { programId, to, cardId, cardholderId } = report;
  const list = { programId, kind: ofWallets ? walletList : cardList };
  const { entries, place } = await walkList(list, { until: Date.parse(to), after, limit: 4 * lanes });
  const isOfCards = cardId !== undefined || cardholderId !== undefined;
  const isMeant = ofWallets ? () => !isOfCards : await toCardFilter(report);
  const wanted = entries.filter(({ id }) => isMeant(id));
  const open = await inLanes(wanted, ({ id }) => beginSums(report, id), lanes);
  return { rows: [], place: { ofWallets, after: place, open } };
}

/** From the checkpoint, which is mostly near: else from the first entry. */
async function beginSums({ programId, from, to }: Report, accountId: string): Promise<Sums> {
  const checkpoint = await checkpoints.at(programId, accountId).get();
  const parts = Object.entries(journalParts[isWalletId(accountId) ? "wallet" : "card"]);
  const stretches = parts.flatMap(([part, kind]) => {
    const known = checkpoint?.parts[part]?.before ?? `${part}#${idPrefixes[kind]}_`;
    const toBound = (at: string) => `${part}#${earliestId(kind, new Date(at))}`;
    const [begin, end] = [toBound(from), toBound(to)];
    const [first, last, sign] = known < begin ? ([known, begin, 1] as const) : ([begin, known, -1] as const);
    return [
      { part, first, last, sign },
      { part, first: begin, last: end, sign: 0 as const },
    ].filter((stretch) => stretch.first < stretch.last);
  });
  const openingMinor = toMinor(checkpoint?.balances ?? zeroBalances);
  return { accountId, stretches, openingMinor, creditsMinor: 0, debitsMinor: 0 };
}

async function addUp(programId: string, begun: Sums, isTimeUp: () => boolean): Promise<Sums> {
  const { accountId } = begun;
  let { openingMinor, creditsMinor, debitsMinor } = begun;
  for (const [index, stretch] of begun.stretches.entries()) {
    for await (const { entry, sk } of readPart(programId, accountId, stretch)) {
      // A stretch that goes on begins with what was read last.
      if (sk < stretch.first || sk >= stretch.last) continue;
      const change = toMinor(balanceChanges(entry.postings).get(accountId) ?? zeroBalances);
      if (stretch.sign !== 0) openingMinor += stretch.sign * change;
      else if (change > 0) creditsMinor += change;
      else debitsMinor -= change;
      if (!isTimeUp()) continue;
      const rest = { ...stretch, first: `${sk}!` };
      const stretches = [rest, ...begun.stretches.slice(index + 1)];
      return { accountId, stretches, openingMinor, creditsMinor, debitsMinor };
    }
  }
  return { accountId, stretches: [], openingMinor, creditsMinor, debitsMinor };
}

/** As statements count: without pending deposits. */
function toMinor({ availableMinor, heldMinor }: AccountBalances): number {
  return availableMinor + heldMinor;
}

function toRow({ accountId, openingMinor, creditsMinor, debitsMinor }: Sums, { currency }: Report) {
  return {
    accountId,
    currency,
    openingBalance: openingMinor,
    credits: creditsMinor,
    debits: debitsMinor,
    closingBalance: openingMinor + creditsMinor - debitsMinor,
  };
}
