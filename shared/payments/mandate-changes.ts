import type { z } from "zod";
import { defineChange, type StepRefusal } from "../changes/change.ts";
import type { MandateCreate, MandateView } from "../contract/pulls.ts";
import { externalAccounts } from "../external-accounts/external-account.ts";
import { timestamp } from "../platform/clock.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { withoutPrefix } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { isCollected, type Mandate, mandates, notCollected, toMandateView } from "./mandate.ts";

interface Request {
  readonly programId: string;
  readonly externalAccountId: string;
  readonly mandateId: string;
  /** Written in the same commit. */
  readonly audit: WriteAction;
}

type Creation = Request & { readonly body: z.output<typeof MandateCreate> };

const future = { path: "body.signedAt", code: "in_the_future", message: "must not be in the future" };
/** By the clock that is ahead of all. */
const aheadMs = 14 * 3_600_000;

/** Also of an account that is not verified yet: a pull needs that it is. */
export const mandateCreation = defineChange<Creation, MandateView, "NOT_FOUND" | "VALIDATION_FAILED">()({
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
  }),
  decide: ({ programId, externalAccountId, mandateId, body, audit }, { externalAccount }, at) => {
    if (!externalAccount || externalAccount.status === "archived") return { rejected: "NOT_FOUND" };
    if (!isCollected(externalAccount))
      return { rejected: "VALIDATION_FAILED", faults: [{ path: "path.externalAccountId", ...notCollected }] };
    const { signedAt, reference = withoutPrefix(mandateId) } = body;
    const today = timestamp(new Date(at.getTime() + aheadMs));
    if (signedAt > today) return { rejected: "VALIDATION_FAILED", faults: [future] };
    const made: Mandate = {
      ...{ programId, externalAccountId, mandateId, entityId: mandateId, reference, signedAt },
      ...{ sequence: "first", status: "active", createdAt: timestamp(at) },
    };
    const create = mandates.at(programId, externalAccountId, mandateId).create(made);
    return { writes: [create, audit], answer: toMandateView(made) };
  },
});

/** Nothing new is pulled with it. What the bank has, ends as it would. */
export const mandateCancellation = defineChange<Request, MandateView, StepRefusal>()({
  reads: ({ programId, externalAccountId, mandateId }) => ({
    mandate: mandates.at(programId, externalAccountId, mandateId),
  }),
  decide: ({ programId, externalAccountId, mandateId, audit }, { mandate }, at) => {
    if (!mandate) return { rejected: "NOT_FOUND" };
    if (mandate.status !== "active") return illegalStatus(mandate.status, ["active"]);
    const set = { status: "cancelled", cancelledAt: timestamp(at) } as const;
    const end = mandates.at(programId, externalAccountId, mandateId).update({ set }, { status: "active" });
    return { writes: [end, audit], answer: toMandateView({ ...mandate, ...set }) };
  },
});
