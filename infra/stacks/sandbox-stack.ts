import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { routes } from "../../shared/contract/routes.ts";
import { ContractApi, CredentialsAuthorizer } from "../constructs/api/rest-api.ts";
import { addReach } from "../constructs/function-factory.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

export interface SandboxStackProps extends FunctionStackProps {
  readonly authorizer: LambdaFunction;
}

/** The sandbox API. */
export class SandboxStack extends FunctionStack {
  readonly sandboxApi: ContractApi;

  constructor(scope: Construct, id: string, { authorizer, ...props }: SandboxStackProps) {
    super(scope, id, props);
    const { settings, logKey, alarms } = this.functions.props;
    const sandbox = this.functions.bySettings(
      "Sandbox",
      "sandbox",
      "Emulates the card network and compliance.",
      { environment: { ...addReach(this, settings) } },
    );
    // Imported by ARN: the permission to invoke it names this API and must be in this stack.
    const imported = LambdaFunction.fromFunctionAttributes(this, "Authorizer", {
      functionArn: authorizer.functionArn,
      sameEnvironment: true,
    });
    this.sandboxApi = new ContractApi(this, "SandboxApi", {
      settings,
      api: "sandbox",
      routes,
      functions: { sandbox },
      authorizer: new CredentialsAuthorizer(this, "SandboxAuthorizer", imported),
      logKey,
    });
    this.sandboxApi.addAlarms(alarms, "ticket");
  }
}
