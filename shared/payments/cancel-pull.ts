import type { Change } from "../changes/change.ts";
import type { PullView } from "../contract/pulls.ts";
import type { Pull } from "./pull.ts";
import { type AuditPull, pullSteps, readPull } from "./pull-step.ts";

interface Cancellation {
  readonly programId: string;
  readonly pullId: string;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPull;
}

/** Ends a pull that no file has. Of cancellation and file one wins. */
export const pullCancellation: Change<
  Cancellation,
  { readonly pull: Pull | undefined },
  PullView,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: ({ programId, pullId }) => readPull({ programId, paymentId: pullId }),
  decide: ({ by, audit }, { pull }, at) =>
    pull ? pullSteps.decideStep(pull, { trigger: "cancel", by, at, audit }) : { rejected: "NOT_FOUND" },
};
