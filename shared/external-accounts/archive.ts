import type { Change } from "../changes/change.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type ExternalAccount,
  externalAccounts,
  externalAccountUpdate,
  knownAccounts,
} from "./external-account.ts";
import { nextStatus } from "./states.ts";

interface Archival {
  readonly programId: string;
  readonly externalAccountId: string;
  /** Written in the same commit. */
  readonly audit: (before: ExternalAccount, after: ExternalAccount) => WriteAction;
}

/** Ends it for good. The same bank account can be added again, which is verified anew. */
export const archival: Change<
  Archival,
  { readonly externalAccount: ExternalAccount | undefined },
  ExternalAccount,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
  }),
  decide: ({ programId, audit }, { externalAccount: before }) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "archive");
    if (!status) return { rejected: "ILLEGAL_TRANSITION" };
    const after = { ...before, status };
    const known = knownAccounts.at(programId, before.fingerprint);
    return {
      accounts: [],
      writes: [
        externalAccountUpdate(before, after),
        known.update({ remove: ["externalAccountId"] }),
        audit(before, after),
      ],
      answer: after,
    };
  },
};
