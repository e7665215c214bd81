import { z } from "zod";
import { type Assembly, ownReplica, type Resource, TemplateError } from "../template.ts";

const texts = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]));

const PolicyStatement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  /** Only resource policies have it. */
  Principal: z.unknown().optional(),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.record(z.string(), texts)).default({}),
});
export type Statement = z.output<typeof PolicyStatement>;

export const PolicyDocument = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.array(PolicyStatement),
});

/** One action on one resource. `context` contains the condition keys that the service provides. */
export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string>>;
  /** The partition key of an item to put. */
  readonly partition?: string | undefined;
}

/** The condition key of an item's partition. */
export const leadingKeys = "dynamodb:LeadingKeys";

export interface Grant {
  readonly action: string;
  readonly resource: string;
  /** The only service through which the grant applies, such as `dynamodb` for a table's key. */
  readonly via?: string;
}

export type Decision =
  | { readonly allowed: true; readonly grant: Grant }
  | { readonly allowed: false; readonly reason: "implicit" | "explicit" };

type Operator = (found: string | undefined, wanted: readonly string[]) => boolean;

const any =
  (test: (found: string, wanted: string) => boolean): Operator =>
  (found, wanted) =>
    found !== undefined && wanted.some((value) => test(found, value));

/** The supported condition operators. Reading a template with another one fails. */
const operators: Readonly<Record<string, Operator>> = {
  StringEquals: any((found, wanted) => found === wanted),
  StringNotEquals: (found, wanted) => !wanted.includes(found ?? ""),
  ArnEquals: any(matches),
  ArnLike: any(matches),
  /** A request of ours has one value for the key. */
  "ForAllValues:StringLike": any(matches),
};

/** Decides like IAM for identity-based policies: an explicit deny wins, and the default is deny. */
export function decide(statements: readonly Statement[], request: AccessRequest): Decision {
  let grant: Grant | undefined;
  for (const statement of statements) {
    const found = matchingGrant(statement, request);
    if (found === undefined) continue;
    if (statement.Effect === "Deny") return { allowed: false, reason: "explicit" };
    grant ??= found;
  }
  return grant === undefined ? { allowed: false, reason: "implicit" } : { allowed: true, grant };
}

/** Whether the statement names the action on the resource, whatever its condition. */
export function isAbout(statement: Statement, action: string, resource: string): boolean {
  return findPatterns(statement, action, resource) !== undefined;
}

/** Whether it is for some partitions of a table only. */
export function limitsPartitions({ Condition }: Statement): boolean {
  return Object.values(Condition).some((keys) => leadingKeys in keys);
}

function findPatterns(statement: Statement, action: string, resource: string) {
  const granted = statement.Action.find((pattern) => matches(action.toLowerCase(), pattern.toLowerCase()));
  const on = statement.Resource.find((pattern) => matches(resource, pattern));
  return granted === undefined || on === undefined ? undefined : { granted, on };
}

function matchingGrant(statement: Statement, request: AccessRequest): Grant | undefined {
  const { action, resource, context } = request;
  const found = findPatterns(statement, action, resource);
  const holds = Object.entries(statement.Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => operators[operator]?.(context[key], wanted)),
  );
  return found && holds ? toGrant(statement, found.granted, found.on) : undefined;
}

export function toGrant({ Condition }: Statement, action: string, resource: string): Grant {
  const [service] = Condition.StringEquals?.["kms:ViaService"] ?? [];
  return { action, resource, ...(service !== undefined && { via: service.split(".")[0] }) };
}

export function matches(value: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return value === pattern;
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(value);
}

export interface FunctionRole {
  readonly functionName: string;
  readonly functionArn: string;
  readonly roleName: string;
  readonly roleArn: string;
  readonly statements: readonly Statement[];
  /** Whether a permission is for some partitions of a table only. */
  readonly limitsPartitions: boolean;
}

/**
 * Throws TemplateError for a shared role, an unknown condition or a managed policy that is not in
 * the template.
 */
export function readFunctionRoles(assembly: Assembly): FunctionRole[] {
  const policies = assembly.ofType("AWS::IAM::Policy");
  const seen = new Set<string>();
  return assembly.ofType("AWS::Lambda::Function").map((fn) => {
    const role = assembly.byArn(String(fn.properties.Role));
    if (role === undefined) throw new TemplateError(`${fn.logicalId}: its role is not in the template`);
    if (seen.has(role.arn)) throw new TemplateError(`${fn.logicalId}: shares the role ${role.logicalId}`);
    seen.add(role.arn);
    const own = policies.filter(
      ({ properties: { Roles: roles } }) => Array.isArray(roles) && roles.includes(role.physicalName),
    );
    const statements = [...own, ...managedPolicies(role, assembly)].flatMap(({ properties }) =>
      readStatements(role, properties.PolicyDocument),
    );
    const { physicalName: roleName, arn: roleArn } = role;
    return {
      functionName: fn.physicalName,
      functionArn: fn.arn,
      roleName,
      roleArn,
      statements,
      limitsPartitions: statements.some(limitsPartitions),
    };
  });
}

function managedPolicies({ logicalId, properties }: Resource, assembly: Assembly): Resource[] {
  const { ManagedPolicyArns: arns = [] } = properties as { ManagedPolicyArns?: string[] };
  return arns.map((arn) => {
    const policy = assembly.byArn(arn);
    if (policy === undefined)
      throw new TemplateError(`${logicalId}: has a managed policy, which is not in the template`);
    return policy;
  });
}

/**
 * Returns what the policies of keys and tables deny, by the resource's ARN. Their allowances are
 * also in the roles' policies.
 */
export function readDenials(assembly: Assembly): ReadonlyMap<string, readonly Statement[]> {
  const ofKeys = assembly.ofType("AWS::KMS::Key").map((key) => [key, key.properties.KeyPolicy] as const);
  const ofTables = assembly.ofType("AWS::DynamoDB::GlobalTable").flatMap((table) => {
    const { ResourcePolicy: policy } = ownReplica(table, assembly);
    return policy === undefined ? [] : [[table, policy.PolicyDocument] as const];
  });
  return new Map(
    [...ofKeys, ...ofTables].map(([owner, document]) => [
      owner.arn,
      readStatements(owner, document).filter(({ Effect }) => Effect === "Deny"),
    ]),
  );
}

function readStatements({ logicalId }: Resource, document: unknown): Statement[] {
  const parsed = PolicyDocument.safeParse(document);
  if (!parsed.success) throw new TemplateError(`${logicalId}: ${parsed.error.message}`);
  const { Statement: statements } = parsed.data;
  const used = statements.flatMap(({ Condition }) => Object.keys(Condition));
  const unknown = used.find((operator) => !(operator in operators));
  if (unknown === undefined) return statements;
  throw new TemplateError(`${logicalId}: the condition ${unknown} is not known`);
}
