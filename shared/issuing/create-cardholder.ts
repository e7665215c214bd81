import {
  type Cardholder,
  cardholderList,
  cardholders,
  draftCardholder,
  toCardholderView,
} from "../cardholders/cardholder.ts";
import { type CardholderChange, cardholderEvent } from "../cardholders/cardholder-status.ts";
import type { CardholderCreate, CardholderView } from "../contract/cardholders.ts";
import { CardholderStatus } from "../contract/enums.ts";
import { listInsert } from "../lists/entry.ts";
import { timestamp } from "../platform/clock.ts";
import { invalid } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { newId } from "../platform/id.ts";
import { labelPuts, requireUnique } from "../platform/labels.ts";
import { transact } from "../platform/table/transact.ts";

/** What its submission changes, where it is submitted in the same transaction. */
type Submit = (draft: Cardholder) => CardholderChange;

/**
 * A new Cardholder is 4 Draft and is not reviewed until it is submitted.
 * @throws ApiError VALIDATION_FAILED for a `dateOfBirth` in the future; EXTERNAL_ID_EXISTS
 */
export async function createCardholder(
  { scope, body }: { scope: ProgramScope; body: CardholderCreate },
  cardholderId = newId("cardholder"),
  submit?: Submit,
): Promise<CardholderView> {
  requireBorn(body.dateOfBirth);
  const { programId } = scope;
  const draft = draftCardholder(cardholderId, body, timestamp());
  const { cardholder, writes } = submit
    ? submitNew(programId, draft, submit(draft))
    : { cardholder: draft, writes: [] };
  const of = { programId, kind: "cardholder", recordId: cardholderId } as const;
  const outcome = await transact([
    {
      ...cardholders.at(programId, cardholderId).put(cardholder),
      alongside: [listInsert(cardholderList, programId, cardholderId, cardholder)],
    },
    ...labelPuts(of, body),
    ...writes,
  ]);
  if (!outcome.committed) requireUnique(outcome.failedConditions, of);
  return { ...toCardholderView(cardholder), metadata: body.metadata };
}

function submitNew(programId: string, draft: Cardholder, { set, writes = [] }: CardholderChange) {
  const status = CardholderStatus.underReview;
  const event = cardholderEvent(programId, draft.entityId, status);
  return { cardholder: { ...draft, ...set, status }, writes: [event, ...writes] };
}

/** @throws ApiError VALIDATION_FAILED for a day after today, in UTC */
export function requireBorn(dateOfBirth: string): void {
  if (dateOfBirth > timestamp())
    throw invalid("body.dateOfBirth", "in_the_future", "must not be in the future");
}
