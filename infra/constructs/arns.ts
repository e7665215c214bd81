import { ArnFormat, Stack } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IConstruct } from "constructs";

/** By their names, which never change: references would tie stacks together. */
export function roleArn(scope: IConstruct, resourceName: string): string {
  return Stack.of(scope).formatArn({ service: "iam", region: "", resource: "role", resourceName });
}

/** Also of an alias: `name:alias`. */
export function functionArn(scope: IConstruct, resourceName: string): string {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: "lambda", resource: "function", resourceName, arnFormat });
}

/**
 * Stands in the policy of a key or table: whatever other policies allow, only these roles may do
 * this. Actions that change or delete the policy must not be among them.
 */
export function denyAllBut(roles: readonly string[], sid: string, actions: string[]): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions,
    // The resource that has the policy: its name is not known before it exists.
    resources: ["*"],
    conditions: { StringNotEquals: { "aws:PrincipalArn": roles.length > 1 ? roles : roles[0] } },
  });
}
