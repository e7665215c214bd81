import { matches } from "../access/policy.ts";
import type { InvokeResult } from "../interfaces.ts";
import { isObject } from "../template.ts";

export type AuthorizerVerdict =
  | { kind: "allowed"; principalId: string; context: Record<string, string>; usageKey: string | undefined }
  | { kind: "denied"; context: Record<string, string> }
  | { kind: "unauthorized" }
  | { kind: "failed"; responseType: "AUTHORIZER_FAILURE" | "AUTHORIZER_CONFIGURATION_ERROR" };

const misconfigured = { kind: "failed", responseType: "AUTHORIZER_CONFIGURATION_ERROR" } as const;

/**
 * Judges an authorizer's answer like API Gateway: the error `Unauthorized` is 401, other errors and
 * invalid policies are 500, an explicit deny wins, and the default is deny.
 */
export function judgeAuthorizerResult(result: InvokeResult, methodArn: string): AuthorizerVerdict {
  const { payload } = result;
  if (result.functionError !== undefined) {
    const isUnauthorized = isObject(payload) && payload.errorMessage === "Unauthorized";
    return isUnauthorized ? { kind: "unauthorized" } : { kind: "failed", responseType: "AUTHORIZER_FAILURE" };
  }
  if (!isObject(payload) || typeof payload.principalId !== "string" || !isObject(payload.policyDocument))
    return misconfigured;
  const statements = [payload.policyDocument.Statement].flat();
  const context = readContext(payload.context);
  if (context === undefined || !statements.every(isStatement)) return misconfigured;
  const applying = statements.filter(
    ({ Action, Resource }) =>
      [Action].flat().some((action) => matches("execute-api:invoke", action.toLowerCase())) &&
      [Resource].flat().some((resource) => matches(methodArn, resource)),
  );
  const isAllowed = applying.length > 0 && applying.every(({ Effect }) => Effect === "Allow");
  if (!isAllowed) return { kind: "denied", context };
  const { principalId, usageIdentifierKey } = payload;
  const usageKey = typeof usageIdentifierKey === "string" ? usageIdentifierKey : undefined;
  return { kind: "allowed", principalId, context, usageKey };
}

interface Statement {
  Effect: "Allow" | "Deny";
  Action: string | string[];
  Resource: string | string[];
}

/** Fails for unknown members, such as Condition: ignoring one could let a caller in. */
function isStatement(value: unknown): value is Statement {
  if (!isObject(value)) return false;
  const isKnown = Object.keys(value).every((key) => ["Sid", "Effect", "Action", "Resource"].includes(key));
  const isEffect = value.Effect === "Allow" || value.Effect === "Deny";
  return isKnown && isEffect && isPatterns(value.Action) && isPatterns(value.Resource);
}

function isPatterns(value: unknown): boolean {
  return value !== undefined && [value].flat().every((item) => typeof item === "string");
}

/** Values become strings; objects and lists make the gateway fail. */
function readContext(context: unknown): Record<string, string> | undefined {
  if (context === undefined || context === null) return {};
  if (!isObject(context)) return undefined;
  const entries = Object.entries(context).filter(([, value]) => value !== null);
  if (entries.some(([, value]) => typeof value === "object")) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
