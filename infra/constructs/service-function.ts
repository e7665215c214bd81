import { CfnParameter, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import { acknowledge } from "./acknowledge.ts";
import { bundledCode, handler } from "./code-asset.ts";
import { ownConcurrency } from "./concurrency.ts";
import { functionName } from "./names.ts";
import { type Alarms, alarmPeriod, toPercent } from "./operations/alarms.ts";
import { OwnLog } from "./operations/telemetry.ts";
import { attachWritesPolicy } from "./second-region.ts";
import type { FunctionName } from "./table-permissions.ts";

export interface FunctionOptions {
  /** Default: 10 seconds. */
  readonly timeout?: Duration;
  readonly memoryMegabytes?: number;
  /** Default: what the settings reserve for the folder. */
  readonly reservedConcurrency?: number;
  /** Within the environment. Default: the folder. */
  readonly name?: string;
  /** Only for a function whose role another policy names. */
  readonly roleName?: string;
  readonly environment?: Record<string, string>;
}

interface ServiceFunctionProps extends FunctionOptions {
  readonly settings: Settings;
  readonly folder: FunctionName;
  readonly description: string;
  readonly logKey: IKey;
  readonly alarms: Alarms;
}

const everywhere = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  // Lambda's own lines of runs that succeed say what its metrics say, and cost more than ours.
  // Those of failed runs are warnings.
  loggingFormat: LoggingFormat.JSON,
  systemLogLevelV2: SystemLogLevel.WARN,
};

/** A Lambda whose role can only write logs and traces; grants add everything else. */
export class ServiceFunction extends LambdaFunction {
  readonly name: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { settings, folder, timeout = Duration.seconds(10) } = props;
    // Fixed, so that dashboard and commands find the function without a cross-stack reference.
    const name = functionName(settings.name, props.name ?? folder);
    const own = ownConcurrency(settings.concurrency, folder);
    const reserved = own.reserved ?? props.reservedConcurrency;
    const logGroup = new OwnLog(scope, `${id}Log`, settings, props.logKey);
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `Permissions of the ${folder} function.`,
      ...(props.roleName === undefined ? {} : { roleName: props.roleName }),
    });
    attachWritesPolicy(role, settings);
    const actions = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"];
    role.addToPolicy(new PolicyStatement({ actions, resources: ["*"] }));
    logGroup.grantWrite(role);
    super(scope, id, {
      description: describeVersion(props.description, own),
      functionName: name,
      code: bundledCode(scope, folder),
      handler,
      ...everywhere,
      // CPU grows with memory, and callers wait for the initialization.
      memorySize: props.memoryMegabytes ?? 1024,
      timeout,
      role,
      logGroup,
      // Otherwise the first run of each second is traced, whatever the traffic.
      tracing: settings.tracesRuns ? Tracing.ACTIVE : Tracing.PASS_THROUGH,
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
      currentVersionOptions: {
        // A rollback points the alias at a version before.
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        // The version has it: Lambda refuses an alias with both weights and provisioned
        // concurrency.
        ...(own.warm && { provisionedConcurrentExecutions: own.warm }),
      },
      environment: {
        ENVIRONMENT_NAME: settings.name,
        LOG_LEVEL: settings.logLevel,
        SERVICE_NAME: folder,
        NODE_OPTIONS: "--enable-source-maps",
        ...replicaVariable(Stack.of(scope), settings),
        ...props.environment,
      },
    });
    this.name = name;
    if (reserved !== undefined) this.addAlarm(id, props);
    acknowledge(this, {
      "PCI.DSS.321-LambdaInsideVPC":
        "It accepts no connections and calls only public endpoints under TLS and IAM, so a VPC would protect nothing.",
    });
    acknowledge(role, {
      "AwsSolutions-IAM5[Resource::*]": "X-Ray's write actions support no resource-level permissions.",
    });
  }

  /** The others share the account's concurrency, and one alarm (`account-alarms.ts`). */
  private addAlarm(id: string, { alarms, folder }: ServiceFunctionProps) {
    const throttles = this.metricThrottles({ period: alarmPeriod });
    // A throttled run is no invocation.
    const whole = { throttles, invocations: this.metricInvocations({ period: alarmPeriod }) };
    alarms.add(`${id}Throttled`, {
      metric: toPercent({ part: { throttles }, whole, least: 5, label: "Throttled runs in percent" }),
      // The next sweep does what one did not begin.
      severity: folder === "deadlines" ? "ticket" : "page",
      above: 1,
      periods: 3,
      breaches: 2,
      runbook: "functions-without-concurrency",
      impact: `Lambda throttles the ${folder} function for ten minutes: its own concurrency is used up.`,
    });
  }
}

/** Without warm environments it is another version: those of a version cannot change. */
function describeVersion(description: string, { warm }: ReturnType<typeof ownConcurrency>): string {
  return warm === 0 ? `${description} Nothing is kept started.` : description;
}

/** On this machine a drill has a second store. */
function replicaVariable(stack: Stack, { name, secondRegion }: Settings) {
  if (name !== "local") return secondRegion && { HAS_REPLICA: "true" };
  const description = "Whether another region has a copy of the tables.";
  const id = "HasReplica";
  const known = stack.node.tryFindChild(id) as CfnParameter | undefined;
  return {
    HAS_REPLICA: (known ?? new CfnParameter(stack, id, { description, default: "false" })).valueAsString,
  };
}
