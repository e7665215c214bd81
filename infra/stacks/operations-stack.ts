import { CfnOutput, Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { addWebhookBaseUrl, type FunctionData } from "../constructs/function-factory.ts";
import { addAccountAlarms, addEventAlarms } from "../constructs/operations/account-alarms.ts";
import { addFailedCopies, addSilentCopies } from "../constructs/operations/copy-alarms.ts";
import { addDashboard } from "../constructs/operations/dashboard.ts";
import { type Actor, deployerRole, toSession, Watch } from "../constructs/operations/watch.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/** The dashboard, the watch, and the operator function, which only IAM identities may invoke. */
export class OperationsStack extends FunctionStack {
  readonly operator: ServiceFunction;

  /** `pepperReaders`: the functions of other stacks that read the pepper of the API keys. */
  constructor(
    scope: Construct,
    id: string,
    { pepperReaders, ...props }: FunctionStackProps & { readonly pepperReaders: readonly Actor[] },
  ) {
    super(scope, id, props);
    const { settings, data, telemetry } = props;
    this.operator = this.functions.make(
      "Operator",
      "operator",
      "Platform administration by direct invocation.",
      {
        timeout: Duration.seconds(30),
        hashesKeys: true,
        vault: "operator",
        environment: {
          ...this.functions.custody,
          ...this.functions.reach,
          WEBHOOK_BASE_URL: addWebhookBaseUrl(this, settings),
        },
      },
    );
    const { alarms } = this.functions.props;
    addAccountAlarms(alarms, settings.name);
    new Watch(this, "Watch", {
      topic: telemetry.alarmTopics.page,
      prefix: `card-issuing-${settings.name}-`,
      secretName: data.keyPepper.secretName,
      readers: [...pepperReaders, this.operator].map((reader) => toSession(this, reader)),
      deployer: deployerRole(this),
    });
    if (settings.secondCopy) {
      addFailedCopies(this, telemetry.alarmTopics.page);
      addSilentCopies(alarms, settings.secondCopy.vaultName);
    }
    const impact = "An attack or a failed copy of the books was seen, and nobody could be told of it.";
    addEventAlarms(this, alarms, "WatchUndelivered", impact);
    new CfnOutput(this, "OperatorFunctionName", { value: this.operator.functionName });
  }

  /** Call this after all other stacks exist. */
  addDashboard(tables: FunctionData["tables"]) {
    addDashboard(this, this.functions.props.settings, tables);
  }
}
