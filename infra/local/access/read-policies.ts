import { z } from "zod";
import { type Assembly, ownReplica, type Resource, TemplateError } from "../template.ts";
import type { Rules } from "./access-control.ts";
import { type FunctionRole, limitsPartitions, operators, type Statement } from "./policy.ts";

const texts = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]));

export const PolicyStatement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  /** Only resource policies have it. */
  Principal: z.unknown().optional(),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.record(z.string(), texts)).default({}),
});

export const PolicyDocument = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.array(PolicyStatement),
});

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

const calledTypes = /::(GlobalTable|Queue|EventBus|Secret|Key|Bucket|Function|Alias)$/;

/** @throws TemplateError as `readFunctionRoles` does */
export function readRules(assembly: Assembly): Rules {
  const { region, account, resources } = assembly;
  const called = resources.filter(({ type }) => calledTypes.test(type)).toReversed();
  const names = called.flatMap(({ type, physicalName, arn }) =>
    [physicalName, arn].map((name) => [`${type} ${name}`, arn] as const),
  );
  const keys = resources.flatMap((resource) => {
    const key = findKey(resource, assembly);
    return key === undefined ? [] : [[resource.arn, String(key)] as const];
  });
  return {
    roles: new Map(readFunctionRoles(assembly).map((role) => [role.functionName, role])),
    denials: readDenials(assembly),
    resources: { region, account, arns: new Map(names), keys: new Map(keys) },
  };
}

/** The customer's key that a table, a secret or a bucket is encrypted with. */
function findKey(resource: Resource, assembly: Assembly): unknown {
  const { KmsKeyId, BucketEncryption } = resource.properties as {
    KmsKeyId?: unknown;
    BucketEncryption?: {
      ServerSideEncryptionConfiguration: {
        ServerSideEncryptionByDefault?: { KMSMasterKeyID?: unknown };
      }[];
    };
  };
  const [ofBucket] = BucketEncryption?.ServerSideEncryptionConfiguration ?? [];
  const ofTable = ownReplica(resource, assembly).SSESpecification?.KMSMasterKeyId;
  return ofTable ?? KmsKeyId ?? ofBucket?.ServerSideEncryptionByDefault?.KMSMasterKeyID;
}

/** Their allowances are also in the roles' policies. */
function readDenials(assembly: Assembly): ReadonlyMap<string, readonly Statement[]> {
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
