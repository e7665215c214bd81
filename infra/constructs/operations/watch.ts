import { Stack } from "aws-cdk-lib";
import { type CfnRule, EventField, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { roleArn } from "../arns.ts";
import type { ServiceFunction } from "../service-function.ts";
import { runbook, type Watched, watchedCalls } from "./watched-calls.ts";

/**
 * Pages for calls that attack keys, tables, secrets and code, also for those that AWS denied.
 * CloudTrail sends them to EventBridge, if the account has a trail.
 */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, { topic, ...watched }: Watched & { readonly topic: ITopic }) {
    super(scope, id);
    for (const [name, { detail, impact, reads }] of Object.entries(watchedCalls(watched))) {
      const alarm = { alarm: name, impact: `${impact} What to do: docs/${runbook}` };
      const rule = new Rule(this, name, {
        description: impact,
        eventPattern: { detailType: ["AWS API Call via CloudTrail"], detail },
        // The record of the call has who, from where, what and whether it was denied; no contents.
        targets: [
          new SnsTopic(topic, {
            message: RuleTargetInput.fromObject({ ...alarm, call: EventField.fromPath("$.detail") }),
          }),
        ],
      });
      if (reads) (rule.node.defaultChild as CfnRule).state = "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS";
    }
  }
}

/** A function, which acts under its role. */
export type Actor = Pick<ServiceFunction, "role" | "name">;

/** How CloudTrail names who acts: a function under its role. */
export function toSession(scope: Construct, { role, name }: Actor): string {
  return Stack.of(scope).formatArn({
    service: "sts",
    region: "",
    resource: "assumed-role",
    resourceName: `${role?.roleName}/${name}`,
  });
}

/** The role with which the CDK's command line changes stacks. */
export function deployerRole(scope: Construct): string {
  const { account, region } = Stack.of(scope);
  return roleArn(scope, `cdk-hnb659fds-deploy-role-${account}-${region}`);
}
