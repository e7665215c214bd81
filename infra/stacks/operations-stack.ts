import { CfnOutput, Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { addReach, addWebhookBaseUrl } from "../constructs/function-factory.ts";
import { addAccountAlarms } from "../constructs/operations/account-alarms.ts";
import { addDashboard } from "../constructs/operations/dashboard.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { DataStack } from "./data-stack.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/** The dashboard, and the operator function, which only IAM identities may invoke. */
export class OperationsStack extends FunctionStack {
  readonly operator: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionStackProps) {
    super(scope, id, props);
    const operator = this.functions.ofTenants(
      "Operator",
      "operator",
      "Platform administration by direct invocation.",
      {
        timeout: Duration.seconds(30),
        environment: {
          ...addReach(this, props.settings),
          WEBHOOK_BASE_URL: addWebhookBaseUrl(this, props.settings),
        },
      },
    );
    addAccountAlarms(this.functions.props.alarms);
    this.operator = this.functions.addVault(operator, "operator");
    new CfnOutput(this, "OperatorFunctionName", { value: this.operator.functionName });
  }

  /** Call this after all other stacks exist. */
  addDashboard(tables: DataStack["tables"]) {
    addDashboard(this, { settings: this.functions.props.settings, tables });
  }
}
