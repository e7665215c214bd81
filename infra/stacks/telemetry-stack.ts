import { Stack, type StackProps } from "aws-cdk-lib";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { Alarms } from "../constructs/operations/alarms.ts";
import { addTableAlarms } from "../constructs/operations/platform-alarms.ts";
import { AlarmTopic, GatewayAccount, LogKey } from "../constructs/operations/telemetry.ts";
import type { Settings } from "../environments.ts";
import type { DataStack } from "./data-stack.ts";

export interface TelemetryStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/** The key of the logs and the topic of the alarms for all later stacks, and the table alarms. */
export class TelemetryStack extends Stack {
  readonly logKey: LogKey;
  readonly alarmTopic: Topic;

  constructor(scope: Construct, id: string, { settings, data, ...props }: TelemetryStackProps) {
    super(scope, id, props);
    this.logKey = new LogKey(this, "LogKey", settings);
    this.alarmTopic = new AlarmTopic(this, "AlarmTopic", { settings, key: this.logKey });
    const alarms = new Alarms(this, "Alarms", { settings, topic: this.alarmTopic });
    addTableAlarms(alarms, data.tables);
    // Created last: a failed creation must not delete a role that the whole account uses by then.
    new GatewayAccount(this, "GatewayAccount").node.addDependency(this.logKey, this.alarmTopic, alarms);
  }
}
