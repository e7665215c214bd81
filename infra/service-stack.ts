import { Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { addApis } from "./api/add-apis.ts";
import type { UsagePlans } from "./api/usage-plans.ts";
import type { DataStack } from "./data-stack.ts";
import type { Settings } from "./environments.ts";
import { FunctionFactory } from "./function-factory.ts";
import { operatorFunctionName } from "./function-names.ts";
import { addMessaging } from "./messaging/add-messaging.ts";
import { Alarms } from "./operations/alarms.ts";
import { addDashboard } from "./operations/dashboard.ts";
import { LogKey } from "./operations/log-key.ts";
import { addTableAlarms } from "./operations/table-alarms.ts";
import { output } from "./output.ts";
import { addReach, type Reach } from "./reach.ts";

export interface ServiceStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/** Everything that a deployment may replace: functions, APIs, queues, the bus, alarms. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    const { settings, data } = props;
    // Where what is in its queues outlives it, it is deleted on purpose alone: hosts and usage plans would go with it.
    super(scope, id, { ...props, terminationProtection: settings.removalPolicy === RemovalPolicy.RETAIN });
    const logKey = new LogKey(this, "LogKey", settings);
    const alarms = new Alarms(this, "Alarms", { settings, key: logKey });
    const tables = { IssuingTable: data.issuingTable, AccountsTable: data.accountsTable };
    addTableAlarms(alarms, tables);
    const functions = new FunctionFactory(this, { settings, data, logKey, alarms });
    const reach = addReach(this, settings);
    const usagePlans = addApis(this, functions, reach);
    addMessaging(this, functions, reach);
    addOperator(this, functions, reach, usagePlans);
    addDashboard(this, { settings, alarms, tables });
  }
}

/** The platform's own administration: reached by IAM alone, never through an API. */
function addOperator(stack: Stack, functions: FunctionFactory, reach: Reach, usagePlans: UsagePlans) {
  const { name } = functions.props.settings;
  const operator = functions.ofTenants("Operator", "operator", "Administration, by direct invocation.", {
    functionName: operatorFunctionName(name),
    timeout: Duration.seconds(30),
    environment: { ...reach },
  });
  usagePlans.grantMove(operator, "Operator");
  output(stack, "OperatorFunctionName", operator.functionName);
}
