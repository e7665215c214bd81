import * as z from "zod";
import type { CardholderView } from "../contract/cardholders.ts";
import { CardholderStatus, KycFlow } from "../contract/enums.ts";
import { now, timestamp } from "../platform/clock.ts";
import { deadlineDelete, deadlineReplace, defineDeadline } from "../platform/deadlines.ts";
import { environment } from "../platform/environment.ts";
import { idStart, randomToken, withoutPrefix } from "../platform/id.ts";
import { type Labelling, withMetadata } from "../platform/labels.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type Cardholder, cardholders, reviewFields, toCardholderView } from "./cardholder.ts";
import { commitCardholderStatus } from "./cardholder-status.ts";

const reviewMs = 30 * 86_400_000;

/** A review's id. It begins with its Cardholder's ULID, and cannot be guessed. */
export function newSessionId(cardholderId: string): string {
  return `${withoutPrefix(cardholderId)}-${randomToken(18)}`;
}

/** Undefined if it is no review's id. */
export function cardholderOfSession(sessionId: string): string | undefined {
  const [, ulid] = /^([0-9A-HJKMNP-TV-Z]{26})-[\w-]{24}$/.exec(sessionId) ?? [];
  return ulid && `${idStart("cardholder")}${ulid}`;
}

/** When a review ends without an outcome, if the provider or the applicant is asked now. */
export function reviewEnd(): string {
  return timestamp(new Date(now().getTime() + reviewMs));
}

export const endOfReview = defineDeadline("end_review", "normal", z.object({ sessionId: z.string() }));
const toDeadlineId = (cardholderId: string) => `review:${cardholderId}`;

/** One for each Cardholder: it replaces that of an earlier review or request. */
export function reviewDeadline(programId: string, cardholderId: string, sessionId: string, endsAt: string) {
  const deadlineId = toDeadlineId(cardholderId);
  return deadlineReplace(
    endOfReview.at({ ownerId: programId, deadlineId, dueAt: new Date(endsAt), sessionId }),
  );
}

export function reviewDeadlineDelete(programId: string, cardholderId: string): WriteAction {
  return deadlineDelete(programId, toDeadlineId(cardholderId));
}

/** With what the Cardholder has to do for the review, while it lasts. */
function toReviewedView(programId: string, cardholder: Cardholder): Labelling<CardholderView> {
  const view = toCardholderView(cardholder);
  if (cardholder.status !== CardholderStatus.underReview) return view;
  const { kycRequirement } = cardholder;
  return { ...view, kycUrl: toKycUrl(programId, cardholder), kycRequirement };
}

/** As it is answered. */
export function showCardholder(programId: string, cardholder: Cardholder): Promise<CardholderView> {
  return withMetadata(programId, cardholder.entityId, toReviewedView(programId, cardholder));
}

/** The provider's own address, or the page of the Program's adapter. */
function toKycUrl(programId: string, cardholder: Cardholder): string | undefined {
  const { kycUrl, kycPage, kycSession, altKycEnabled } = cardholder;
  if (altKycEnabled === KycFlow.token) return undefined;
  if (kycPage === "local") return `${environment.webhookBaseUrl}/kyc/${programId}/${kycSession}`;
  return kycPage === "hosted" ? `${environment.kycBaseUrl}/sessions/${kycSession}` : kycUrl;
}

/** The request that goes out with the submission has its time. */
const lateMs = 60_000;

/**
 * What the provider answered to the request. After a late one, the review's time begins anew. False
 * if the review is over.
 */
export async function keepProviderAnswer(
  programId: string,
  { entityId: cardholderId, kycSession = "", kycEndsAt = "" }: Cardholder,
  kycUrl: string | undefined,
): Promise<boolean> {
  const endsAt = reviewEnd();
  const isLate = Date.parse(endsAt) - Date.parse(kycEndsAt) > lateMs;
  const set = {
    kycAskedAt: timestamp(),
    ...(kycUrl !== undefined && { kycUrl }),
    ...(isLate && { kycEndsAt: endsAt }),
  };
  const isSame = { kycSession, status: CardholderStatus.underReview };
  const stored = cardholders.at(programId, cardholderId);
  if (!isLate) return (await stored.updateNow({ set }, isSame)).updated;
  const deadline = reviewDeadline(programId, cardholderId, kycSession, endsAt);
  return (await transact([stored.update({ set }, isSame), deadline])).committed;
}

/** The provider asks the applicant for documents: the review goes on, and its time begins anew. */
export function documentWrites(
  programId: string,
  { entityId: cardholderId, kycSession = "" }: Cardholder,
  sessionId: string | undefined,
): WriteAction[] {
  const kycEndsAt = reviewEnd();
  const change = { set: { kycRequirement: "documents" as const, kycEndsAt } };
  const isUnderReview = { kycSession: sessionId ?? kycSession, status: CardholderStatus.underReview };
  return [
    cardholders.at(programId, cardholderId).update(change, isUnderReview),
    reviewDeadline(programId, cardholderId, sessionId ?? kycSession, kycEndsAt),
  ];
}

/** 30 days without an outcome: the Cardholder gets the status 6 Error. False if it is over. */
export async function endReview(programId: string, sessionId: string): Promise<boolean> {
  const cardholderId = cardholderOfSession(sessionId) ?? "";
  const cardholder = await cardholders.at(programId, cardholderId).get();
  if (cardholder?.kycSession !== sessionId || (cardholder.kycEndsAt ?? "") > timestamp()) return false;
  const rejected = await commitCardholderStatus(programId, cardholder, "fail", ({ kycEndsAt }) => ({
    condition: { kycSession: sessionId, ...(kycEndsAt !== undefined && { kycEndsAt }) },
    remove: reviewFields,
    writes: [reviewDeadlineDelete(programId, cardholderId)],
  }));
  return rejected === undefined;
}
