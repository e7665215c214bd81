import { CfnOutput, type Stack } from "aws-cdk-lib";

/** An output of the stack under the very name that is given. */
export function output(stack: Stack, id: string, value: string) {
  new CfnOutput(stack, id, { value });
}
