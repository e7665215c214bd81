import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { FunctionData } from "../constructs/function-factory.ts";
import { Alarms, type AlarmTopics } from "../constructs/operations/alarms.ts";
import { addTableAlarms } from "../constructs/operations/platform-alarms.ts";
import { AlarmTopic, GatewayAccount, LogKey } from "../constructs/operations/telemetry.ts";
import type { Settings } from "../environments.ts";

interface TelemetryStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: FunctionData;
}

/** The key of the logs and the topics of the alarms for all later stacks, and the table alarms. */
export class TelemetryStack extends Stack {
  readonly logKey: LogKey;
  readonly alarmTopics: AlarmTopics;

  constructor(scope: Construct, id: string, { settings, data, ...props }: TelemetryStackProps) {
    super(scope, id, props);
    this.logKey = new LogKey(this, "LogKey", settings);
    const topic = { settings, key: this.logKey };
    const page = new AlarmTopic(this, "AlarmTopic", { ...topic, severity: "page" });
    const ticket = new AlarmTopic(this, "TicketTopic", { ...topic, severity: "ticket" });
    this.alarmTopics = { page, ticket };
    // A pager and a ticket system subscribe to them.
    new CfnOutput(this, "PageTopicArn", { value: page.topicArn });
    new CfnOutput(this, "TicketTopicArn", { value: ticket.topicArn });
    const alarms = new Alarms(this, "Alarms", { settings, topics: this.alarmTopics });
    addTableAlarms(alarms, data.tables);
    // Created last: a failed creation must not delete a role that the whole account uses by then.
    new GatewayAccount(this, "GatewayAccount").node.addDependency(this.logKey, page, ticket, alarms);
  }
}
