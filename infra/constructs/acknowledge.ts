import { Stack, Validations } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { IConstruct } from "constructs";

/** Accepts findings of the rule packs: by rule, with the reason. */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const findings = Object.entries(reasons).map(([id, reason]) => ({ id, reason }));
  Validations.of(scope).acknowledge(...findings);
}

/** A bucket of another stack has the name of the output that its ARN is read from. */
export function acknowledgeObjects(
  bucket: Bucket,
  OutputName: string,
  folders: readonly string[],
  made: LambdaFunction,
) {
  const { stackName, region } = Stack.of(bucket);
  const output = { StackName: stackName, Region: region, OutputName };
  const arn = JSON.stringify({ "Fn::GetStackOutput": output });
  const reasons = folders.map((folder) => [
    `AwsSolutions-IAM5[Resource::${arn}/${folder}/*]`,
    "Files come at run time, so the template cannot name them.",
  ]);
  acknowledge(made.role ?? made, Object.fromEntries(reasons));
}
