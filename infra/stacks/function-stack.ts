import { Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type FunctionData, FunctionFactory } from "../constructs/function-factory.ts";
import { Alarms } from "../constructs/operations/alarms.ts";
import type { Settings } from "../environments.ts";
import type { TelemetryStack } from "./telemetry-stack.ts";

export interface FunctionStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: FunctionData;
  readonly telemetry: TelemetryStack;
}

export class FunctionStack extends Stack {
  protected readonly functions: FunctionFactory;

  constructor(scope: Construct, id: string, { settings, data, telemetry, ...props }: FunctionStackProps) {
    super(scope, id, props);
    const { logKey, alarmTopics: topics } = telemetry;
    const alarms = new Alarms(this, "Alarms", { settings, topics });
    this.functions = new FunctionFactory(this, { settings, data, logKey, alarms });
  }
}
