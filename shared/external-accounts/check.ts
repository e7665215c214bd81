import type { Change } from "../changes/change.ts";
import type { NameCheck } from "../contract/external-accounts.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import { type ExternalAccount, externalAccounts, externalAccountUpdate } from "./external-account.ts";
import { nextStatus } from "./states.ts";

type Checked = Extract<ProcessorEvent, { kind: "account_checked" }>;

const reasons = {
  close_match: "NAME_MISMATCH",
  no_match: "NAME_MISMATCH",
  unavailable: "CHECK_UNAVAILABLE",
} as const satisfies Record<Exclude<NameCheck, "match">, string>;

/** What the account's bank says of the holder's name ends the verification that asked it. */
const checked: Change<
  Checked,
  { readonly externalAccount: ExternalAccount | undefined },
  Applied,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
  }),
  decide: ({ outcome, name, checkId }, { externalAccount: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, outcome === "match" ? "match" : "mismatch");
    const isOfAnother = checkId !== undefined && checkId !== before.checkId;
    if (!status || isOfAnother || before.method !== "bank_check") return { rejected: "ILLEGAL_TRANSITION" };
    const after: ExternalAccount = {
      ...{ ...before, status, nameCheck: outcome },
      ...(outcome === "match" && { verifiedAt: timestamp(at) }),
      ...(outcome !== "match" && { statusReason: reasons[outcome] }),
      ...(outcome === "close_match" && name !== undefined && { suggestedName: name }),
    };
    return {
      accounts: [],
      writes: [externalAccountUpdate(before, after)],
      answer: { outcome: "applied" },
    };
  },
};

/** The port's events of external accounts. */
export const accountEvents = { account_checked: checked } as const;
