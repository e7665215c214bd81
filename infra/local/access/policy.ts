import { z } from "zod";
import { TemplateError } from "../intrinsics.ts";

const texts = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]));

const PolicyStatement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  /** Of a resource's policy. */
  Principal: z.unknown().optional(),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.record(z.string(), texts)).default({}),
});

export const PolicyDocument = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.array(PolicyStatement),
});
export type Statement = z.output<typeof PolicyStatement>;

/** One thing that a caller asks to do. `context` has the condition keys that the service fills in. */
export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string>>;
}

/** One action on one resource as a statement grants it: what a report can call used or unused. */
export interface Grant {
  readonly action: string;
  readonly resource: string;
  /** The service through which alone it holds, such as `dynamodb` for a table's key. */
  readonly via?: string;
}

export type Decision =
  | { readonly allowed: true; readonly grant: Grant }
  /** `implicit`: nothing allows it; `explicit`: something forbids it. */
  | { readonly allowed: false; readonly reason: "implicit" | "explicit" };

/** What is found is absent where the request has no such key. */
type Operator = (found: string | undefined, wanted: readonly string[]) => boolean;

const any =
  (test: (found: string, wanted: string) => boolean): Operator =>
  (found, wanted) =>
    found !== undefined && wanted.some((value) => test(found, value));

/** The condition operators that are known here; another one is an error when the template is read. */
const operators: Readonly<Record<string, Operator>> = {
  StringEquals: any((found, wanted) => found === wanted),
  StringNotEquals: (found, wanted) => !wanted.includes(found ?? ""),
  ArnEquals: any(matches),
  ArnLike: any(matches),
};

/** @throws TemplateError for a condition that this evaluation does not know */
export function requireKnownConditions(place: string, statements: readonly Statement[]): void {
  for (const operator of statements.flatMap(({ Condition }) => Object.keys(Condition))) {
    if (!(operator in operators)) throw new TemplateError(`${place}: the condition ${operator} is not known`);
  }
}

/** Decides as IAM does for identity-based policies: a matching denial wins, and what nothing allows is denied. */
export function decide(statements: readonly Statement[], request: AccessRequest): Decision {
  let grant: Grant | undefined;
  for (const statement of statements) {
    const found = grantOf(statement, request);
    if (found === undefined) continue;
    if (statement.Effect === "Deny") return { allowed: false, reason: "explicit" };
    grant ??= found;
  }
  return grant === undefined ? { allowed: false, reason: "implicit" } : { allowed: true, grant };
}

function grantOf(statement: Statement, { action, resource, context }: AccessRequest): Grant | undefined {
  const granted = statement.Action.find((pattern) => matches(action.toLowerCase(), pattern.toLowerCase()));
  const on = statement.Resource.find((pattern) => matches(resource, pattern));
  if (granted === undefined || on === undefined || !holds(statement, context)) return undefined;
  return grantIn(statement, granted, on);
}

/** Each action on each resource that statements allow. */
export function grantsOf(statements: readonly Statement[]): Grant[] {
  return statements
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap((statement) =>
      statement.Action.flatMap((action) =>
        statement.Resource.map((resource) => grantIn(statement, action, resource)),
      ),
    );
}

function grantIn({ Condition }: Statement, action: string, resource: string): Grant {
  const [service] = Condition.StringEquals?.["kms:ViaService"] ?? [];
  return { action, resource, ...(service !== undefined && { via: service.split(".")[0] }) };
}

/** Every condition must hold. */
function holds({ Condition }: Statement, context: AccessRequest["context"]): boolean {
  return Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => operators[operator]?.(context[key], wanted)),
  );
}

/** `*` stands for any characters, `?` for one. */
function matches(value: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return value === pattern;
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(value);
}
