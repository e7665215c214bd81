import * as z from "zod";
import type { DecidedBy } from "../contract/authorization-endpoint.ts";
import type { TokenDecision, TokenRequest, TokenRules } from "../contract/tokens.ts";
import { defineEntity } from "../platform/table/entity.ts";

/** Stored as they were validated: a later rule of the contract must not make them unreadable. */
const StoredRules = z.custom<TokenRules>((rules) => typeof rules === "object" && rules !== null);

/** A Program's rules. Absent until they are given: then a passcode is asked for. */
export const tokenRules = defineEntity({
  name: "tokenRules",
  schema: z.object({ rules: StoredRules, version: z.int() }),
  key: (programId: string) => ({ pk: `${programId}#TOKEN_RULES`, sk: "TOKEN_RULES" }),
});

export const noTokenRules: TokenRules = { rules: [], otherwise: "step_up" };

/** How a request is decided, and by whom: the rules are the platform's part. */
export interface TokenVerdict {
  readonly decision: TokenDecision;
  readonly decidedBy: DecidedBy;
  readonly reason?: string | undefined;
}

type Requested = Pick<z.output<typeof TokenRequest>, "wallet" | "risk" | "device" | "requestorId">;

/** The first rule that fits decides. */
export function ruleVerdict(
  { rules, otherwise }: TokenRules,
  { wallet, risk, device, requestorId }: Requested,
): TokenVerdict {
  const fits = (values: readonly string[] | undefined, value: string | undefined) =>
    values === undefined || (value !== undefined && values.includes(value));
  const found = rules.find(
    ({ when }) =>
      fits(when.wallet, wallet) &&
      fits(when.risk, risk) &&
      fits(when.deviceType, device?.type) &&
      fits(when.requestorId, requestorId),
  );
  return { decision: found?.then ?? otherwise, decidedBy: "platform" };
}
