import { Stack, Validations } from "aws-cdk-lib";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { IConstruct } from "constructs";

/** Accepts findings of the rule packs: by rule, with the reason. */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const findings = Object.entries(reasons).map(([id, reason]) => ({ id, reason }));
  Validations.of(scope).acknowledge(...findings);
}

/** A bucket of another stack: the output that its ARN is read from, by its id there. */
const arnOutputs: Readonly<Record<string, string>> = {
  Files: "PublishOutputFnGetAttFiles8E6940B8ArnB90C6676",
  Evidence: "PublishOutputFnGetAttEvidence4CC26D68ArnBA400768",
  Records: "PublishOutputFnGetAttRecords091F6ECAArn4DEC83D9",
};

export function acknowledgeObjects(bucket: Bucket, folders: readonly string[], role: IConstruct) {
  const { stackName, region } = Stack.of(bucket);
  const output = { StackName: stackName, Region: region, OutputName: arnOutputs[bucket.node.id] };
  const arn = JSON.stringify({ "Fn::GetStackOutput": output });
  const reasons = folders.map((folder) => [
    `AwsSolutions-IAM5[Resource::${arn}/${folder}/*]`,
    "Files come at run time, so the template cannot name them.",
  ]);
  acknowledge(role, Object.fromEntries(reasons));
}
