import type { Assembly, Resource } from "../interfaces.ts";
import { TemplateError } from "../intrinsics.ts";
import { PolicyDocument, requireKnownConditions, type Statement } from "./policy.ts";

/** What one function may do, by its role's policies. */
export interface FunctionRole {
  /** The deployed function's name. */
  readonly functionName: string;
  readonly roleName: string;
  readonly roleArn: string;
  readonly statements: readonly Statement[];
}

/**
 * The role of every function of the template with its inline policies.
 *
 * @throws TemplateError for a role that several functions share, for a managed policy, and for what a policy says that is not known here
 */
export function readFunctionRoles(assembly: Assembly): FunctionRole[] {
  const policies = assembly.ofType("AWS::IAM::Policy");
  const seen = new Set<string>();
  return assembly.ofType("AWS::Lambda::Function").map((fn) => {
    const role = assembly.byArn(String(fn.properties.Role));
    if (role === undefined) throw new TemplateError(`${fn.logicalId}: its role is not in the template`);
    if (seen.has(role.arn)) throw new TemplateError(`${fn.logicalId}: shares the role ${role.logicalId}`);
    seen.add(role.arn);
    if (role.properties.ManagedPolicyArns !== undefined) {
      throw new TemplateError(`${role.logicalId}: has a managed policy, which is not in the template`);
    }
    const documents = [
      ...inlineDocuments(role),
      ...policies
        .filter((policy) => namesOf(policy.properties.Roles).includes(role.physicalName))
        .map(({ properties }) => properties.PolicyDocument),
    ];
    const statements = documents.flatMap((document) => statementsOf(role, document));
    return { functionName: fn.physicalName, roleName: role.physicalName, roleArn: role.arn, statements };
  });
}

function inlineDocuments({ properties }: Resource): unknown[] {
  const policies = properties.Policies;
  if (!Array.isArray(policies)) return [];
  return policies.map((policy: { PolicyDocument: unknown }) => policy.PolicyDocument);
}

function namesOf(roles: unknown): string[] {
  return Array.isArray(roles) ? roles.map(String) : [];
}

function statementsOf({ logicalId }: Resource, document: unknown): Statement[] {
  const parsed = PolicyDocument.safeParse(document);
  if (!parsed.success) throw new TemplateError(`${logicalId}: ${parsed.error.message}`);
  requireKnownConditions(logicalId, parsed.data.Statement);
  return parsed.data.Statement;
}

/** What the policies of keys deny to whoever it is, by the key's ARN. What they allow, they allow by the role's own policies. */
export function readKeyDenials(assembly: Assembly): ReadonlyMap<string, readonly Statement[]> {
  return new Map(
    assembly.ofType("AWS::KMS::Key").map((key) => {
      const statements = statementsOf(key, key.properties.KeyPolicy);
      return [key.arn, statements.filter(({ Effect }) => Effect === "Deny")];
    }),
  );
}
