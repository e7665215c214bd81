import { appendFileSync } from "node:fs";
import type { Trace } from "../interfaces.ts";
import {
  type AccessRequest,
  decide,
  type FunctionRole,
  type Grant,
  leadingKeys,
  type Statement,
} from "./policy.ts";
import { type Resources, requestedBy, type ServiceCall } from "./requested.ts";

/** The call is not allowed. The message is AWS's. */
export class AccessDenied extends Error {
  override readonly name = "AccessDeniedException";
}

/** Which of a function's grants allowed a call. */
export interface UsedGrant extends Grant {
  readonly functionName: string;
}

/** What the template says of rights, as a thread can be given it. */
export interface Rules {
  /** By the function's name. */
  readonly roles: ReadonlyMap<string, FunctionRole>;
  /** What the policies of keys and tables deny, by the resource's ARN. */
  readonly denials: ReadonlyMap<string, readonly Statement[]>;
  readonly resources: Resources;
}

/** More than there are combinations of action and resource; usage keys have an id of their own. */
const maximumAllowed = 10_000;

/** Checks the functions' calls by their credentials, and records each grant at its first use. */
export class AccessControl {
  readonly rules: Rules;
  readonly #trace: Trace;
  readonly #note: (used: UsedGrant) => void;
  readonly #used = new Set<string>();
  /** Policies do not change while the platform runs. */
  readonly #allowed = new Set<string>();

  constructor(rules: Rules, trace: Trace, note: (used: UsedGrant) => void = () => {}) {
    this.rules = rules;
    this.#trace = trace;
    this.#note = note;
  }

  check(accessKeyId: string, call: ServiceCall): void {
    const role = this.rules.roles.get(toFunctionName(accessKeyId));
    if (role === undefined) throw new AccessDenied("The security token included in the request is invalid.");
    const requests = requestedBy(call, this.rules.resources);
    if (requests.length === 0) {
      throw new AccessDenied(
        `${call.target ?? `${call.method} ${call.path}`} is a call of unknown permissions.`,
      );
    }
    for (const request of requests) this.#require(role, request);
  }

  #require(role: FunctionRole, { partition, ...request }: AccessRequest): void {
    // It makes no difference to other roles: their calls of all partitions are decided once.
    const keys: AccessRequest["context"] =
      role.limitsPartitions && partition !== undefined ? { [leadingKeys]: partition } : {};
    const asked = `${role.functionName} ${JSON.stringify([request, keys])}`;
    if (this.#allowed.has(asked)) return;
    const { denials, resources } = this.rules;
    const caller = {
      "aws:PrincipalArn": role.roleArn,
      "aws:RequestedRegion": resources.region,
      "lambda:SourceFunctionArn": role.functionArn,
    };
    const context = { ...request.context, ...keys, ...caller };
    const statements = [...role.statements, ...(denials.get(policyOwner(request.resource)) ?? [])];
    const decision = decide(statements, { ...request, context });
    if (decision.allowed) {
      this.#use(role, decision.grant);
      if (this.#allowed.size < maximumAllowed) this.#allowed.add(asked);
      return;
    }
    const { action, resource } = request;
    this.#trace.record({ kind: "access-denied", name: role.functionName, detail: { action, resource } });
    throw new AccessDenied(deniedMessage(role, resources.account, request, decision.reason));
  }

  #use({ functionName }: FunctionRole, grant: Grant): void {
    const key = `${functionName} ${grant.action} ${grant.resource} ${grant.via}`;
    if (this.#used.has(key)) return;
    this.#used.add(key);
    this.#note({ functionName, ...grant });
  }
}

/** A table's policy is for its indexes too. */
function policyOwner(resource: string): string {
  return resource.replace(/\/index\/.*$/, "");
}

const keyPrefix = "LOCAL";

export function toAccessKey(functionName: string): string {
  return `${keyPrefix}${functionName}`;
}

/** Empty for a key that is no function's. */
export function toFunctionName(accessKeyId: string): string {
  return accessKeyId.startsWith(keyPrefix) ? accessKeyId.slice(keyPrefix.length) : "";
}

function deniedMessage(
  { roleName, functionName }: FunctionRole,
  account: string,
  { action, resource }: AccessRequest,
  reason: "implicit" | "explicit",
): string {
  const user = `arn:aws:sts::${account}:assumed-role/${roleName}/${functionName}`;
  const because =
    reason === "implicit"
      ? `because no identity-based policy allows the ${action} action`
      : "with an explicit deny";
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${because}`;
}

/** Appends it to the file in LOCAL_USED_GRANTS, if set. Safe for concurrent and killed runs. */
export function recordUsedGrant(used: UsedGrant): void {
  const file = process.env.LOCAL_USED_GRANTS;
  if (file) appendFileSync(file, `${JSON.stringify(used)}\n`);
}
