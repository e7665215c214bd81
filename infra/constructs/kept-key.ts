import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { Key, type KeyProps } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/**
 * A key of what cannot be made again: it outlives its stack, and may be replicated to another
 * region. Whether it may is settled when it is made, and never changes.
 */
export class KeptKey extends Key {
  constructor(scope: Construct, id: string, props: KeyProps) {
    super(scope, id, {
      multiRegion: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...props,
    });
  }

  /** A replica has the same id, and a policy of its own: this one. */
  get replicaPolicy() {
    return this.policy;
  }

  arnIn(region: string): string {
    return Stack.of(this).formatArn({ service: "kms", region, resource: "key", resourceName: this.keyId });
  }
}
