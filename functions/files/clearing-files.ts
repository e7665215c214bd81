import { isFiller, toFirstKeys, toTime } from "../../shared/adapters/authorization-identity.ts";
import {
  type Detail,
  type FileHeader,
  FileVerification,
  readDetail,
  readHeader,
  readMoney,
  recordBytes,
  type VerificationState,
  withoutCardNumber,
  withoutNumbers,
} from "../../shared/adapters/clearing-file/read-record.ts";
import { askVault } from "../../shared/cards/ask-vault.ts";
import { readCardIdentity } from "../../shared/cards/read-identity.ts";
import { numericCurrency } from "../../shared/contract/enums.ts";
import { maximumAmountMinor } from "../../shared/contract/primitives.ts";
import { cardChanges } from "../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../shared/network-events/apply/execute-event.ts";
import { eventRecords } from "../../shared/network-events/plan.ts";
import { now } from "../../shared/platform/clock.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { type ClearingRecord, clearingRecords as cleared } from "../../shared/settlements/clearing-record.ts";
import { fileParts, type NetworkRecord, toPart } from "../../shared/settlements/network-record.ts";
import { hasNetwork } from "../../shared/tenancy/connections/connection.ts";
import type {
  FaultyFile,
  FedFile,
  FileFormat,
  FileRecord,
  OpenFile,
  PartlyVerified,
  RecordOutcome,
} from "./file-format.ts";

const verifiedAtOnce = 5_000;

/** Read in parts: the file may be larger than the memory. */
export const clearingFiles: FileFormat = {
  open: async (file, noted, isTimeUp) => {
    if (noted?.digest === undefined) return verify(file, noted?.verified, isTimeUp);
    const { records, digest } = noted;
    return opened(file, records, digest);
  },
};

/** Each invocation comes at least one part further. */
async function verify(
  file: FedFile,
  from: VerificationState | undefined,
  isTimeUp: () => boolean,
): Promise<OpenFile | FaultyFile | PartlyVerified | undefined> {
  const verification = new FileVerification(file.bytes, from);
  for (let first = from?.read ?? 0; first * recordBytes < file.bytes; first += verifiedAtOnce) {
    const part = await readRecords(file, first, verifiedAtOnce);
    if (!part) return undefined;
    const fault = verification.add(part);
    if (fault) return { ...fault, line: fault.record };
    const isLast = (first + verifiedAtOnce) * recordBytes >= file.bytes;
    if (!isLast && isTimeUp()) return { verified: verification.state() };
  }
  const verified = verification.end();
  if ("reason" in verified) return { ...verified, line: verified.record };
  return opened(file, verified.records, verified.digest);
}

interface SettlingRecord extends FileRecord {
  /** What the network says it settles. */
  readonly settles?: Omit<NetworkRecord, "isDoubled" | "reason">;
}

/** Undefined if it is not there any more. */
async function opened(file: FedFile, records: number, digest: string): Promise<OpenFile | undefined> {
  const first = await readRecords(file, 0, 1);
  const header = first && readHeader(Buffer.from(first).toString("latin1").slice(0, -1));
  if (!header) return undefined;
  if ("reason" in header) throw new Error(`${file.key} has changed since it was verified.`);
  return {
    records,
    digest,
    readPart: (from, count) => readPart(file, from, count, records),
    note: (from, part: readonly SettlingRecord[], outcomes) =>
      noteSettled({ header, digest }, from, part, outcomes),
  };
}

function readRecords(file: FedFile, from: number, count: number): Promise<Uint8Array | undefined> {
  const first = from * recordBytes;
  const last = Math.min(first + count * recordBytes, file.bytes) - 1;
  return filesBucket.read(file.key, { etag: file.etag, range: [first, last] });
}

async function readPart(
  file: FedFile,
  from: number,
  count: number,
  records: number,
): Promise<SettlingRecord[]> {
  // The header is the first record.
  const bytes = await readRecords(file, from + 1, Math.min(count, records - from));
  if (!bytes) throw new Error(`${file.key} was replaced while it was read.`);
  const lines = Buffer.from(bytes).toString("latin1").split("\n").slice(0, -1);
  return lines.map((line, index) => {
    const detail = readDetail(line);
    const at = from + index + 1;
    const input = withoutCardNumber(line);
    // After the header, which is line 1.
    const common = { ...readMoney(line, at), line: at + 1, input };
    if ("reason" in detail) return { ...common, account: "", apply: async () => rejected(detail.reason) };
    const content = sha256(withoutNumbers(line));
    return {
      ...common,
      account: detail.cardNumber,
      settles: settledBy(detail),
      apply: (origin, place) => applyDetail(detail, { origin, place, content }),
    };
  });
}

function settledBy({ referenceCode, isCredit, billingAmount, billingCurrency, interchange }: Detail) {
  const type = isCredit ? "CR" : "DR";
  const common = { referenceCode, type, amountMinor: billingAmount, currency: billingCurrency } as const;
  return { ...common, ...(interchange !== undefined && { interchangeMinor: interchange }) };
}

/** Where a record is, and what it says: `place` is the same in a file that is fed again. */
type Source = Pick<ClearingRecord, "origin" | "place" | "content">;

async function applyDetail(detail: Detail, source: Source): Promise<RecordOutcome> {
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
  // Another record with it could not be told from this one.
  if (isFiller(referenceCode)) return rejected("102-124 is a filler", programId);
  const claim = await claimRecord(referenceCode, { programId, cardId, ...source });
  if (!isSameRecord(claim, { cardId, ...source }))
    return {
      ...rejected("102-124: another record has this reference and says something else", programId),
      isDoubled: true,
    };
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

/**
 * Keeps what a clearing file says for the settlement of its date: an item for each Program's
 * records of a part. A file that is fed again replaces what it said.
 */
async function noteSettled(
  { header, digest }: { readonly header: FileHeader; readonly digest: string },
  from: number,
  part: readonly SettlingRecord[],
  outcomes: readonly RecordOutcome[],
): Promise<void> {
  const said = outcomes.flatMap((outcome, index) => {
    const { settles } = part[index] ?? {};
    const { programId } = outcome;
    if (!settles || programId === undefined) return [];
    const isDoubled = "isDoubled" in outcome && outcome.isDoubled === true;
    const reason = outcome.status === "rejected" ? outcome.reason : undefined;
    return [
      { programId, record: { ...settles, ...(isDoubled && { isDoubled }), ...(reason && { reason }) } },
    ];
  });
  for (const [programId, ofProgram] of Map.groupBy(said, (one) => one.programId)) {
    const records = ofProgram.map(({ record }) => record);
    const place = fileParts.at(programId, header.date, digest.slice(0, 32), from);
    await place.updateNow({ set: toPart(header.fileId, records, now()) });
  }
}
