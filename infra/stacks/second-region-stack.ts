import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps, Tags } from "aws-cdk-lib";
import { CfnReplicaKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { KeptKey } from "../constructs/kept-key.ts";

/**
 * The keys of the second region, which decrypt what the first one's encrypted, and are replicas of
 * those of its stacks. They come before the replicas of the tables, which need them.
 */
export class SecondRegionStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { stacks, ...props }: StackProps & { readonly stacks: readonly Stack[] },
  ) {
    super(scope, id, { ...props, terminationProtection: true });
    for (const stack of stacks) {
      const keys = stack.node.findAll().filter((one) => one instanceof KeptKey);
      for (const key of keys) this.addReplica(key, stack);
    }
  }

  private addReplica(key: KeptKey, stack: Stack) {
    const { id } = key.node;
    const output = `${id}PrimaryArn`;
    new CfnOutput(stack, output, { value: key.keyArn });
    const replica = new CfnReplicaKey(this, id, {
      primaryKeyArn: Fn.getStackOutput(stack.stackName, output, stack.region),
      keyPolicy: key.replicaPolicy,
      description: `Replica of ${id} of the card issuing platform.`,
    });
    replica.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    for (const [name, value] of Object.entries(stack.tags.tagValues())) Tags.of(replica).add(name, value);
  }
}
