import { ManagedPolicy } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import type { KeptKey } from "./kept-key.ts";
import { writesDocument, writesPolicyName } from "./writes-policy.ts";

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
  { name, region, secondRegion }: Pick<Settings, "name" | "region" | "secondRegion">,
) {
  const writing = secondRegion?.writes === "second" ? secondRegion.region : region;
  new ManagedPolicy(scope, "WritesPolicy", {
    managedPolicyName: writesPolicyName(name),
    description: "Which region's tables the platform writes to (docs/second-region.md).",
    document: writesDocument(writing),
  });
}
