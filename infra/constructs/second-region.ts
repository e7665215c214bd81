import { CfnParameter, type Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { type IRole, ManagedPolicy, PolicyDocument } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import type { KeptTable } from "./data-table.ts";
import type { KeptKey } from "./kept-key.ts";
import { writingRegion } from "./second-region-settings.ts";
import { writesOnlyIn, writesPolicyName } from "./writes-policy.ts";

/** Its value follows the first region's. */
export function pepperReplica(
  scope: Construct,
  key: KeptKey,
  { secondRegion }: Pick<Settings, "secondRegion">,
) {
  if (!secondRegion?.hasReplicas) return {};
  const { region } = secondRegion;
  const encryptionKey = Key.fromKeyArn(scope, "SecondDataKey", key.arnIn(region));
  return { replicaRegions: [{ region, encryptionKey }] };
}

/** Says which region writes. A failover changes it at once, and the setting afterwards. */
export function addWritesPolicy(
  scope: Construct,
  settings: Pick<Settings, "name" | "region" | "secondRegion">,
) {
  new ManagedPolicy(scope, "WritesPolicy", {
    managedPolicyName: writesPolicyName(settings.name),
    description: "Which region's tables the platform writes to (docs/second-region.md).",
    document: PolicyDocument.fromJson(writesOnlyIn(writingRegion(settings))),
  });
}

/** Gives a role that writes items what says in which region it may. */
export function attachWritesPolicy(role: IRole, { name, secondRegion }: Settings): void {
  if (secondRegion === undefined) return;
  role.addManagedPolicy(ManagedPolicy.fromManagedPolicyName(role, "Writes", writesPolicyName(name)));
}

/** How the deploy command knows where the value of a parameter comes from. */
export const firstSuffix = "OfFirst";

/**
 * An output of the first region's stack of the same name, with this region in its place: a replica
 * has the same name or id. A parameter, so that a deployment needs no region that is lost.
 */
export function ofFirst(stack: Stack, output: string): string {
  const description = `What ${output} of the first region's stack is here.`;
  return new CfnParameter(stack, `${output}${firstSuffix}`, { description, minLength: 1 }).valueAsString;
}

/** What only a replica itself has, by the table's logical id: the deploy command asks for it. */
export const streamParameters = { IssuingStreamArn: "IssuingTable" } as const;

export function streamOfReplica(stack: Stack, parameter: keyof typeof streamParameters): string {
  const description = `The stream of ${streamParameters[parameter]} here.`;
  return new CfnParameter(stack, parameter, { description, minLength: 1 }).valueAsString;
}

interface ReplicaTable {
  readonly encryptionKey: IKey;
  readonly tableStreamArn?: string;
  readonly globalIndexes?: string[];
}

/** Never made or changed here: the first region's stack has all that concerns the table. */
export function replicaTable(stack: Stack, id: string, attributes: ReplicaTable): KeptTable {
  const tableName = ofFirst(stack, `${id}Name`);
  const table = TableV2.fromTableAttributes(stack, id, { ...attributes, tableName });
  return Object.assign(table, { indexNames: attributes.globalIndexes ?? [] });
}
