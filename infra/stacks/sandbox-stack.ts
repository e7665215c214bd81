import { type IFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { functionsByRoute } from "../constructs/api/api-document.ts";
import { HostedApi } from "../constructs/api/hosted-api.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

export class SandboxStack extends FunctionStack {
  readonly sandboxApi: HostedApi;

  constructor(
    scope: Construct,
    id: string,
    { authorizer, ...props }: FunctionStackProps & { readonly authorizer: IFunction },
  ) {
    super(scope, id, props);
    const { settings, logKey, alarms } = this.functions.props;
    const about = "Emulates the card network and compliance.";
    const environment = this.functions.reach;
    const sandbox = this.functions.make("Sandbox", "sandbox", about, { vault: "sandbox", environment });
    // Imported by ARN: the permission to invoke it names this API and must be in this stack.
    const imported = LambdaFunction.fromFunctionAttributes(this, "Authorizer", {
      functionArn: authorizer.functionArn,
      sameEnvironment: true,
    });
    this.sandboxApi = new HostedApi(this, "SandboxApi", {
      settings,
      api: "sandbox",
      functions: functionsByRoute("sandbox", { sandbox }),
      authorizer: imported,
      logKey,
    });
    this.sandboxApi.addAlarms(alarms, "ticket");
  }
}
