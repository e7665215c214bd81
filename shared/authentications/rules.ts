import * as z from "zod";
import type {
  AuthenticationRule,
  AuthenticationRules,
  AuthenticationRuleThen,
} from "../contract/authentications.ts";
import type { CheckResult } from "../contract/verification.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Authentication } from "./authentication.ts";

const StoredRules = z.object({
  /** Stored as they were validated: a later rule of the contract must not make them unreadable. */
  rules: z.array(z.custom<AuthenticationRule>((rule) => typeof rule === "object" && rule !== null)),
  otherwise: z.custom<AuthenticationRuleThen>((then) => typeof then === "string"),
  /** Each write requires the version that it replaces. */
  version: z.int(),
});
export type StoredRules = z.output<typeof StoredRules>;

/** A Program's rules. Absent before the first ones. */
export const authenticationRules = defineEntity({
  name: "authenticationRules",
  schema: StoredRules,
  key: (programId: string) => ({ pk: `${programId}#AUTHENTICATION_RULES`, sk: "AUTHENTICATION_RULES" }),
});

export const noRules: StoredRules = { rules: [], otherwise: "challenge", version: 0 };

export function toRulesView({ rules, otherwise }: StoredRules): AuthenticationRules {
  return { rules, otherwise };
}

type Ruled = Pick<Authentication, "amountMinor" | "merchant" | "channel" | "exemptions"> & {
  readonly postalCode: CheckResult;
};

/** The first rule that fits decides. */
export function decideByRules({ rules, otherwise }: StoredRules, asked: Ruled): AuthenticationRuleThen {
  return rules.find(({ when }) => fits(when, asked))?.then ?? otherwise;
}

/** What the network did not send fits no rule that names it. */
function fits(when: AuthenticationRule["when"], asked: Ruled): boolean {
  const { amountMinor = Number.POSITIVE_INFINITY, merchant, channel, exemptions = [], postalCode } = asked;
  return (
    (when.amountUpTo === undefined || amountMinor <= when.amountUpTo) &&
    (when.mcc === undefined || isInRange(when.mcc, merchant.mcc)) &&
    (when.country === undefined || when.country === merchant.merchantCountry) &&
    (when.channel === undefined || when.channel === channel) &&
    (when.exemption === undefined || exemptions.includes(when.exemption)) &&
    (when.postalCode === undefined || when.postalCode === postalCode)
  );
}

function isInRange(range: string, mcc: string | undefined): boolean {
  const [first = "", last = first] = range.split("-");
  return mcc !== undefined && first <= mcc && mcc <= last;
}
