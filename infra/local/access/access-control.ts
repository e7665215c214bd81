import type { Assembly, Trace } from "../interfaces.ts";
import { type AccessRequest, decide, type Grant, type Statement } from "./policy.ts";
import { requestedBy, type ServiceCall } from "./requested.ts";
import { type FunctionRole, grantsOf, readFunctionRoles, readKeyDenials } from "./roles.ts";

/** A grant of a role that nothing has made use of. */
export interface UnusedGrant extends Grant {
  readonly functionName: string;
}

/** The call is not allowed; the message is AWS's own. */
export class AccessDenied extends Error {
  override readonly name = "AccessDeniedException";
}

/** Decides on the calls that functions make, each by its own credentials, and remembers which grants they needed. */
export class AccessControl {
  readonly #assembly: Assembly;
  readonly #trace: Trace;
  readonly #roles: ReadonlyMap<string, FunctionRole>;
  readonly #denials: ReadonlyMap<string, readonly Statement[]>;
  readonly #used = new Set<string>();

  constructor(assembly: Assembly, trace: Trace) {
    this.#assembly = assembly;
    this.#trace = trace;
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

  /** What the roles allow and no call has needed so far. */
  unused(): UnusedGrant[] {
    return [...this.#roles.values()].flatMap((role) =>
      grantsOf(role)
        .filter((grant) => !this.#used.has(keyOf(role, grant)))
        .map((grant) => ({ functionName: role.functionName, ...grant })),
    );
  }

  #require(role: FunctionRole, request: AccessRequest): void {
    const context = { ...request.context, "aws:PrincipalArn": role.roleArn };
    const statements = [...role.statements, ...(this.#denials.get(request.resource) ?? [])];
    const decision = decide(statements, { ...request, context });
    if (decision.allowed) {
      this.#used.add(keyOf(role, decision.grant));
      return;
    }
    const { action, resource } = request;
    this.#trace.record({ kind: "access-denied", name: role.functionName, detail: { action, resource } });
    throw new AccessDenied(deniedMessage(role, this.#assembly.account, request, decision.reason));
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

function keyOf({ functionName }: FunctionRole, { action, resource }: Grant): string {
  return `${functionName} ${action} ${resource}`;
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
