import type { Assembly, Trace } from "../interfaces.ts";
import { type NamedGrant, nameGrant } from "./named-grant.ts";
import { type AccessRequest, decide, type Grant, type Statement } from "./policy.ts";
import { requestedBy, type ServiceCall } from "./requested.ts";
import { type FunctionRole, readFunctionRoles, readKeyDenials } from "./roles.ts";

/** The call is not allowed; the message is AWS's own. */
export class AccessDenied extends Error {
  override readonly name = "AccessDeniedException";
}

/** Decides on the calls that functions make, each by its own credentials, and tells of each grant that is needed for the first time. */
export class AccessControl {
  readonly #assembly: Assembly;
  readonly #trace: Trace;
  readonly #roles: ReadonlyMap<string, FunctionRole>;
  readonly #denials: ReadonlyMap<string, readonly Statement[]>;
  readonly #note: (used: NamedGrant) => void;
  readonly #used = new Set<string>();

  constructor(assembly: Assembly, trace: Trace, note: (used: NamedGrant) => void = () => {}) {
    this.#assembly = assembly;
    this.#trace = trace;
    this.#note = note;
    this.#roles = new Map(readFunctionRoles(assembly).map((role) => [role.functionName, role]));
    this.#denials = readKeyDenials(assembly);
  }

  /** Lets the call pass. @throws AccessDenied */
  check(accessKeyId: string, call: ServiceCall): void {
    const role = this.#roles.get(functionOf(accessKeyId));
    if (role === undefined) throw new AccessDenied("The security token included in the request is invalid.");
    const requests = requestedBy(call, this.#assembly);
    if (requests.length === 0) {
      throw new AccessDenied(`${call.target ?? `${call.method} ${call.path}`} is a call of unknown rights.`);
    }
    for (const request of requests) this.#require(role, request);
  }

  /** What a service does in a function's name, its role must allow as if the function did it. @throws AccessDenied */
  require(functionName: string, requests: readonly AccessRequest[]): void {
    const role = this.#roles.get(functionName);
    if (role === undefined) throw new AccessDenied(`${functionName} has no role.`);
    for (const request of requests) this.#require(role, request);
  }

  #require(role: FunctionRole, request: AccessRequest): void {
    const context = { ...request.context, "aws:PrincipalArn": role.roleArn };
    const statements = [...role.statements, ...(this.#denials.get(request.resource) ?? [])];
    const decision = decide(statements, { ...request, context });
    if (decision.allowed) {
      this.#use(role, decision.grant);
      return;
    }
    const { action, resource } = request;
    this.#trace.record({ kind: "access-denied", name: role.functionName, detail: { action, resource } });
    throw new AccessDenied(deniedMessage(role, this.#assembly.account, request, decision.reason));
  }

  #use({ functionName }: FunctionRole, grant: Grant): void {
    const key = `${functionName} ${grant.action} ${grant.resource} ${grant.via}`;
    if (this.#used.has(key)) return;
    this.#used.add(key);
    this.#note(nameGrant(this.#assembly, functionName, grant));
  }
}

const prefix = "LOCAL";

/** The access key id of a function's own credentials. */
export function accessKeyOf(functionName: string): string {
  return `${prefix}${functionName}`;
}

function functionOf(accessKeyId: string): string {
  return accessKeyId.startsWith(prefix) ? accessKeyId.slice(prefix.length) : "";
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
