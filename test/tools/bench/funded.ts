import type { ChildProcess } from "node:child_process";
import { cards } from "../../../shared/cards/card.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import type { RejectedOverlaps } from "../../harness/conflicts.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { type Round, summary, withCallers } from "./caller-processes.ts";
import { authorizing, givenCards, run, toRow } from "./controls.ts";
import { progress, type Row } from "./report.ts";

const cardCount = 5_000;
const fundsMinor = 1_000_000_000;
/** Until the Wallet is split, and each caller has a shard of its own. */
const warmUps = 3;
const rounds = 3;
const leastRatio = 0.8;

/** Authorizations of Cards that spend from one Wallet, against those of Cards with own money. */
export function funded(engine: string): Promise<Row[]> {
  return withCallers(authorizing(engine), compare);
}

async function compare(children: readonly ChildProcess[], store: RejectedOverlaps): Promise<Row[]> {
  progress(`${cardCount} Cards, twice`);
  const [own, ofWallet] = [await givenCards(cardCount), await givenCards(cardCount)];
  const { programId, cardIds } = ofWallet;
  const walletId = await givenStoredWallet(programId, fundsMinor);
  const spendFrom = (cardId: string) =>
    cards.at(programId, cardId).updateNow({ set: { fundingWalletId: walletId } });
  for (let from = 0; from < cardCount; from += 50)
    await Promise.all(cardIds.slice(from, from + 50).map(spendFrom));
  const measured: [Round[], Round[]] = [[], []];
  const first: Round[] = [];
  for (let round = 1; round <= warmUps; round += 1) {
    await run(children, own, store);
    first.push(await run(children, ofWallet, store));
  }
  for (let round = 1; round <= rounds; round += 1) {
    progress(`authorizations, round ${round} of ${rounds}`);
    measured[0].push(await run(children, own, store));
    measured[1].push(await run(children, ofWallet, store));
  }
  const approved = [...first, ...measured[1]].reduce((sum, { tookMs }) => sum + tookMs.length, 0);
  const wallet = await readAccount(programId, { kind: "wallet", accountId: walletId });
  if (wallet?.heldMinor !== approved || wallet.availableMinor !== fundsMinor - approved)
    throw new Error(`The Wallet holds ${wallet?.heldMinor} for ${approved} authorizations.`);
  const [free, shared] = [summary(measured[0]), summary(measured[1])];
  const ratio = shared.rate / free.rate;
  const row = toRow("of one Wallet", shared, ratio);
  const isSlow = ratio < leastRatio && `of one Wallet: ${ratio.toFixed(2)} of the rate, not ${leastRatio}`;
  return [toRow("with own money", free), { ...row, broken: row.broken || isSlow || undefined }];
}
