export interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

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

type Operator = (found: string | undefined, wanted: readonly string[]) => boolean;

const any =
  (test: (found: string, wanted: string) => boolean): Operator =>
  (found, wanted) =>
    found !== undefined && wanted.some((value) => test(found, value));

/** The supported condition operators. Reading a template with another one fails. */
export const operators: Readonly<Record<string, Operator>> = {
  StringEquals: any((found, wanted) => found === wanted),
  StringNotEquals: (found, wanted) => !wanted.includes(found ?? ""),
  ArnEquals: any(matches),
  ArnLike: any(matches),
  /** A request of ours has one value for the key. */
  "ForAllValues:StringLike": any(matches),
};

/** Decides like IAM for identity-based policies: an explicit deny wins, and the default is deny. */
export function decide(statements: readonly Statement[], request: AccessRequest) {
  let grant: Grant | undefined;
  for (const statement of statements) {
    const found = matchingGrant(statement, request);
    if (found === undefined) continue;
    if (statement.Effect === "Deny") return { allowed: false, reason: "explicit" } as const;
    grant ??= found;
  }
  return grant === undefined
    ? ({ allowed: false, reason: "implicit" } as const)
    : ({ allowed: true, grant } as const);
}

/** Whether it is for some partitions of a table only. */
export function limitsPartitions({ Condition }: Statement): boolean {
  return Object.values(Condition).some((keys) => leadingKeys in keys);
}

function matchingGrant(
  statement: Statement,
  { action, resource, context }: AccessRequest,
): Grant | undefined {
  const granted = statement.Action.find((pattern) => matches(action.toLowerCase(), pattern.toLowerCase()));
  const on = statement.Resource.find((pattern) => matches(resource, pattern));
  if (granted === undefined || on === undefined) return undefined;
  const holds = Object.entries(statement.Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => operators[operator]?.(context[key], wanted)),
  );
  return holds ? toGrant(statement, granted, on) : undefined;
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
