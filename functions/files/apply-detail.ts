import { toFirstKeys, toTime } from "../../shared/adapters/authorization-identity.ts";
import type { Detail } from "../../shared/adapters/clearing-file/read-record.ts";
import { askVault } from "../../shared/cards/ask-vault.ts";
import { readCardIdentity } from "../../shared/cards/card.ts";
import { maximumAmountMinor } from "../../shared/contract/primitives.ts";
import { cardChanges } from "../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../shared/network-events/apply/execute-event.ts";
import { eventRecords } from "../../shared/network-events/plan.ts";
import { now } from "../../shared/platform/clock.ts";
import { type ClearingRecord, clearingRecords as cleared } from "../../shared/settlements/clearing-record.ts";
import { hasNetwork } from "../../shared/tenancy/connections/connection.ts";
import { numericCurrency } from "../../shared/transactions/transaction.ts";
import type { RecordOutcome } from "./file-format.ts";

/** Where a record is, and what it says: `place` is the same in a file that is fed again. */
type Source = Pick<ClearingRecord, "origin" | "place" | "content">;

export async function applyDetail(detail: Detail, source: Source): Promise<RecordOutcome> {
  const { cardNumber, billingAmount, billingCurrency, referenceCode, interchange = 0 } = detail;
  if (billingAmount === 0 || billingAmount > maximumAmountMinor)
    return rejected(`33-44 must be an amount from 1 to ${maximumAmountMinor}`);
  if (Math.abs(interchange) > maximumAmountMinor)
    return rejected(`166-178 must be at most ${maximumAmountMinor}, with its sign`);
  const found = await askVault("resolve", { cardNumber });
  if (found.outcome !== "found") return rejected("12-30 is not the number of a Card");
  const { programId, cardId } = found;
  if (!(await hasNetwork(programId))) {
    const before = await cleared.at(referenceCode).get();
    const isSame = before && isSameRecord(before, { cardId, ...source });
    const known = isSame ? await findApplied(detail, before, source) : undefined;
    return known ?? rejected("12-30: the Card's Program is connected to another processor", programId);
  }
  const card = await readCardIdentity(programId, cardId);
  if (!card) return rejected("12-30 is not the number of a Card", programId);
  const currency = numericCurrency[card.currency];
  if (billingCurrency !== currency)
    return rejected(`45-47 is ${billingCurrency}, the Card's currency is ${currency}`, programId);
  const claim = await claimRecord(referenceCode, { programId, cardId, ...source });
  if (!isSameRecord(claim, { cardId, ...source }))
    return rejected("102-124: another record has this reference and says something else", programId);
  // Without a result, the other file's attempt has not ended: whichever applies it, it counts once.
  const isOwn = claim.origin === source.origin;
  const known = isOwn ? undefined : await findApplied(detail, claim, source);
  if (known) return known;
  const result = await applyEvent(cardChanges, toEvent(detail, claim), { isOfFile: true });
  if (result.outcome === "applied") return countOnce(claim, source);
  const { correction = 0 } = claim;
  // Other refusals are not stored as results: the same event can be applied later.
  const next = result.code === "ILLEGAL_TRANSITION" ? correction + 1 : correction;
  await cleared
    .at(referenceCode)
    .updateNow({ set: { isRejected: true, correction: next } }, { correction: claim.correction });
  return rejected(`the record cannot be applied: ${result.code}`, programId);
}

/** Acquirers use a reference again: for a reversal, a part, or by mistake. */
function isSameRecord(
  claim: ClearingRecord,
  { cardId, content }: Pick<ClearingRecord, "cardId" | "content">,
): boolean {
  return claim.cardId === cardId && claim.content === content;
}

/** Undefined if the claim's event is not applied, or not yet. */
async function findApplied(
  detail: Detail,
  claim: ClearingRecord,
  source: Source,
): Promise<RecordOutcome | undefined> {
  const known = await eventRecords.at(claim.programId, toEvent(detail, claim).eventId).get();
  return known?.result?.outcome === "applied" ? countOnce(claim, source) : undefined;
}

/** A repetition of what this file brought first counts as applied. */
function countOnce(claim: ClearingRecord, { origin, place }: Source): RecordOutcome {
  const { programId } = claim;
  if (claim.origin === origin) return { status: "applied", programId };
  return { status: "duplicate", programId, isDoubled: claim.place !== place };
}

/** The claim of the record that counts: this one, or an earlier one that was not rejected. */
async function claimRecord(referenceCode: string, claim: ClearingRecord): Promise<ClearingRecord> {
  const place = cleared.at(referenceCode);
  const before = await place.createNow(claim);
  if (!before) return claim;
  if (!before.isRejected) return before;
  const { origin, correction } = before;
  const corrected = await place.updateNow(
    { set: claim, remove: ["isRejected"] },
    { origin, correction, isRejected: true },
  );
  return corrected.updated ? corrected.item : claimRecord(referenceCode, claim);
}

function rejected(reason: string, programId?: string): RecordOutcome {
  return { status: "rejected", reason, programId };
}

function toEvent(
  { billingAmount: amount, referenceCode, isCredit, isFinal, merchant, interchange, ...named }: Detail,
  { programId, cardId, correction }: ClearingRecord,
) {
  const { srcAmount, ...known } = merchant;
  const isKnown = srcAmount <= maximumAmountMinor;
  const eventId = `clearing:${referenceCode}${correction ? `#${correction}` : ""}`;
  const common = {
    eventId,
    programId,
    cardId,
    amount,
    referenceCode,
    ...known,
    ...(isKnown && { srcAmount }),
    ...(interchange !== undefined && { interchange }),
  };
  if (isCredit) return { ...common, kind: "refund" } as const;
  return {
    ...common,
    kind: "clearing",
    final: isFinal,
    ...toAuthorization(named, cardId, amount),
  } as const;
}

/** The acquirer may name it by the time of a repetition, or by another reference. */
function toAuthorization(
  { authorizationId: id, authorizedAt = "" }: Partial<Detail>,
  cardId: string,
  amount: number,
) {
  if (id === undefined) return {};
  const at = toTime(authorizedAt, now())?.toISOString();
  const similarTo = at && { id, differsIn: "reference" as const, at, keys: toFirstKeys(id, cardId, amount) };
  return { authorizationId: id, ...(similarTo && { similarTo }) };
}
