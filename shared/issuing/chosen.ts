import { type Card, toCardIdentity } from "../cards/card.ts";
import { approvedStatuses } from "../cards/issuance.ts";
import type { ProgramSettings } from "../contract/account-programs.ts";
import type { CardCreate, IssuedCard } from "../contract/cards.ts";
import {
  type CardForm,
  CardStatus,
  DestinationType,
  IssuanceApproval,
  TransferStatus,
} from "../contract/enums.ts";
import type { Fault } from "../contract/errors.ts";
import type { Metadata } from "../contract/primitives.ts";
import { planCardControls } from "../controls/commit-control.ts";
import { type Control, controlCreates, newControl, toControlView } from "../controls/control.ts";
import { accountAt, type EntryCause, movedBy, type StoredAccount } from "../ledger/account.ts";
import { type Commit, commit } from "../ledger/commit.ts";
import { timestamp } from "../platform/clock.ts";
import { ApiError, missing } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { newId } from "../platform/id.ts";
import { sha256 } from "../platform/sha256.ts";
import {
  type StoredItem,
  type TransactionOutcome,
  transact,
  type WriteAction,
} from "../platform/table/transact.ts";
import { type Actor, auditProgram } from "../tenancy/audit-log.ts";
import { programBins } from "../tenancy/programs/bins.ts";
import { recordOnCard } from "../wallets/card-movement.ts";
import { decideTransfer, type Transfer } from "../wallets/transfer.ts";
import { getWallet } from "../wallets/wallet.ts";

/** What a caller has chosen that depends on the time and on the Program. */
export function findFaults(body: CardCreate, settings: ProgramSettings, at: Date): Fault[] {
  const faults = [...expiryFaults(body, at), ...repeatedNames(body)];
  if (body.load && body.fundingWalletId !== undefined) {
    const message = "must be absent where the Card spends from a Wallet";
    faults.push({ path: "body.load", code: "card_funded_by_wallet", message });
  }
  if (body.bin !== undefined && !programBins(settings).includes(body.bin)) {
    faults.push({ path: "body.bin", code: "unknown_bin", message: "must be one of the Program's BINs" });
  }
  if (body.load && !isActiveAtOnce(body.cardForm, settings)) {
    const message = "must be absent where the Card is not Active at once";
    faults.push({ path: "body.load", code: "not_active", message });
  }
  return faults;
}

/** No two of its controls can have one `externalId`. */
function repeatedNames({ controls = [] }: CardCreate): Fault[] {
  const names = controls.map(({ externalId }) => externalId);
  return names.flatMap((name, index): Fault[] => {
    if (name === undefined || names.indexOf(name) === index) return [];
    const path = `body.controls.${index}.externalId`;
    return [{ path, code: "repeated", message: "must differ from those of the other controls" }];
  });
}

function isActiveAtOnce(cardForm: CardForm, { issuanceApproval }: ProgramSettings): boolean {
  const { issuerCardStatus } = approvedStatuses(cardForm);
  return issuanceApproval === IssuanceApproval.automatic && issuerCardStatus === CardStatus.active;
}

const yearsAhead = 8;

function expiryFaults({ expiryMonth, expiryYear }: CardCreate, at: Date): Fault[] {
  if (expiryMonth === undefined || expiryYear === undefined) return [];
  const months = (year: number, month: number) => 12 * year + month;
  const year = at.getUTCFullYear();
  const first = months(year, at.getUTCMonth() + 1);
  const given = months(expiryYear, expiryMonth);
  if (given >= first && given <= first + 12 * yearsAhead) return [];
  const isYear = expiryYear < year || expiryYear > year + yearsAhead;
  const message = `must be from this month to ${yearsAhead} years ahead`;
  return [{ path: `body.${isYear ? "expiryYear" : "expiryMonth"}`, code: "out_of_range", message }];
}

/**
 * Spares what an issuance without its load would leave: a gap in the indexes of addresses. The
 * commit decides, and for a hot Wallet it alone.
 * @throws ApiError NOT_FOUND; INSUFFICIENT_FUNDS
 */
export async function requireFunds(programId: string, { walletId, amount }: NonNullable<CardCreate["load"]>) {
  const wallet = await accountAt(programId, { kind: "wallet", accountId: walletId }).get();
  if (!wallet || (!wallet.shards && wallet.availableMinor < amount)) throw toLoadError(wallet);
}

/** @throws ApiError NOT_FOUND. A Wallet is never deleted. */
export async function requireFundingWallet(programId: string, walletId: string): Promise<void> {
  await getWallet(programId, walletId, "body.fundingWalletId");
}

/** Tells apart what a Card has got with its issuance. Undefined for nothing. */
export function hashChoices(body: CardCreate): string | undefined {
  const { controls, singleUse, load, fundingWalletId, spendLimit } = body;
  if (!controls && !singleUse && !load && fundingWalletId === undefined) return undefined;
  const funding = [fundingWalletId, spendLimit].filter((one) => one !== undefined);
  return sha256(JSON.stringify([controls, singleUse, load, ...funding])).slice(0, 32);
}

/** What a Card gets with its issuance. */
export interface Chosen {
  readonly actor: Actor;
  readonly at: Date;
  /** Undefined if none were asked for. */
  readonly controls: readonly Control[] | undefined;
  /** The metadata of each of them. */
  readonly metadata: readonly (Metadata | undefined)[];
  readonly load: LoadOfCard | undefined;
}

type LoadOfCard = Extract<Transfer, { readonly sourceWalletId: string }>;

export function choose(body: CardCreate, card: Card, actor: Actor, at: Date): Chosen {
  const { entityId: cardId, cardholderId } = card;
  const { singleUse } = body;
  const given = [
    ...(body.controls ?? []),
    ...(singleUse ? [{ name: "Single use", state: "active" as const, singleUse }] : []),
  ];
  const isAsked = body.controls !== undefined || singleUse === true;
  const controls = given.map((control) => newControl(control, { cardId, cardholderId }, timestamp(at)));
  const metadata = (body.controls ?? []).map((control) => control.metadata);
  return { actor, at, controls: isAsked ? controls : undefined, metadata, load: toTransfer(body, card, at) };
}

function toTransfer({ load }: CardCreate, card: Card, at: Date): LoadOfCard | undefined {
  if (!load) return undefined;
  const { walletId: sourceWalletId, amount, memo, externalId } = load;
  return {
    transferId: newId("transfer"),
    transStatus: TransferStatus.approved,
    sourceWalletId,
    destinationType: DestinationType.card,
    destinationId: card.entityId,
    requestedAmountMinor: amount,
    transferredAmountMinor: amount,
    currency: card.currency,
    memo,
    externalId,
    createdAt: timestamp(at),
  };
}

interface Planned {
  readonly writes: readonly WriteAction[];
  readonly answer: Pick<IssuedCard, "controlIds">;
  readonly mustWait: boolean;
}

/** @throws ApiError LIMIT_REACHED */
export async function planControls(
  scope: ProgramScope,
  card: Card,
  { controls: chosen, metadata, actor }: Chosen,
): Promise<Planned> {
  if (!chosen) return { writes: [], answer: {}, mustWait: false };
  const { programId } = scope;
  const owner = { cardId: card.entityId, cardholderId: card.cardholderId };
  const { controls, puts, mustWait } = await planCardControls(programId, owner, chosen);
  const audited = controls.map((control) => {
    const change = { before: null, after: toControlView(control) };
    return auditProgram(actor, scope, "control.create", change, control.entityId);
  });
  const created = [...controlCreates(programId, controls, metadata), ...audited];
  const answer = { controlIds: controls.map(({ entityId }) => entityId) };
  return { writes: [...created, ...puts], answer, mustWait };
}

/** The writes of rulebooks, which another change can have made old. */
export const rulebookNames = ["programControls", "cardholderControls", "cardControls"] as const;

interface PlannedLoad extends Pick<Commit, "at" | "entry" | "accounts" | "writes"> {
  readonly answer: Pick<IssuedCard, "load">;
  /** What the new Card has after it. */
  readonly account: Pick<Card, "availableMinor" | "ledgerMinor" | "entries" | "moved">;
}

/** A transfer to a Card that its commit creates. */
export function planLoad(programId: string, card: Card, { load, at }: Chosen): PlannedLoad | undefined {
  if (!load) return undefined;
  const { transferId, transStatus, transferredAmountMinor: amountMinor } = load;
  const { entry, accounts, writes, balanceAfter } = decideTransfer({
    programId,
    at,
    transfer: load,
    source: { isCovered: true },
    card: toCardIdentity(programId, card),
    recordOnCard,
  });
  const ledgerMinor = card.ledgerMinor + amountMinor;
  return {
    at,
    entry,
    accounts: accounts?.map((one) => (one.name === "destination" ? { ...one, isCreated: true } : one)),
    writes: [...writes, ...(balanceAfter?.writes(ledgerMinor) ?? [])],
    answer: { load: { transferId, transStatus } },
    account: {
      ...{ availableMinor: card.availableMinor + amountMinor, ledgerMinor, entries: card.entries + 1 },
      ...movedAlso(card, entry),
    },
  };
}

/** The load's own come first: its record on the Card has the copy of its entry. */
export async function commitIssuance(
  programId: string,
  load: Pick<PlannedLoad, "at" | "entry" | "accounts" | "writes"> | undefined,
  writes: readonly WriteAction[],
): Promise<TransactionOutcome> {
  if (!load) return transact(writes);
  const { at, entry, accounts } = load;
  const result = await commit({ programId, at, entry, accounts, writes: [...load.writes, ...writes] });
  if (result.outcome === "committed") return { committed: true };
  return { committed: false, failedConditions: result.failedConditions };
}

export function toLoadError(wallet: StoredItem | StoredAccount): ApiError {
  if (wallet) return new ApiError("INSUFFICIENT_FUNDS");
  return new ApiError("NOT_FOUND", missing({ "load.walletId": undefined }));
}

/** An account that begins with several entries names each, with the balances that it left. */
export function movedAlso(
  { moved, availableMinor, ledgerMinor }: Pick<StoredAccount, "moved" | "availableMinor" | "ledgerMinor">,
  entry: EntryCause | undefined,
): { readonly moved?: string } {
  const last = movedBy(entry);
  return moved === undefined ? last : { moved: `${moved} ${availableMinor} ${ledgerMinor};${last.moved}` };
}
