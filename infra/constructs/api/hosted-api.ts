import { Duration, Stack } from "aws-cdk-lib";
import {
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SpecRestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { metricNamespace } from "../../../shared/contract/metrics.ts";
import type { Settings } from "../../environments.ts";
import { acknowledge } from "../acknowledge.ts";
import {
  type Alarms,
  accountPage,
  alarmPeriod,
  eachPeriod,
  ifOften,
  type Severity,
  toPercent,
} from "../operations/alarms.ts";
import { OwnLog } from "../operations/telemetry.ts";
import { type ApiDocumentProps, apiDocument } from "./api-document.ts";

interface HostedApiProps extends Omit<ApiDocumentProps, "title"> {
  readonly settings: Settings;
  /** Part of its name. */
  readonly api: string;
  readonly logKey: IKey;
}

const stageName = "live";

/** A REST API with logs, alarms and answers of its own, reachable only through a custom domain. */
export class HostedApi extends SpecRestApi {
  private readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, props: HostedApiProps) {
    const { settings, api, logKey } = props;
    const title = `card-issuing-${settings.name}-${api}`;
    const accessLog = new OwnLog(scope, `${id}AccessLog`, settings, logKey);
    super(scope, id, {
      restApiName: title,
      apiDefinition: ApiDefinition.fromInline(apiDocument({ ...props, title })),
      endpointTypes: [EndpointType.REGIONAL],
      // An import without this makes an endpoint at the edge first.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      disableExecuteApiEndpoint: true,
      cloudWatchRole: false,
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogEntry)),
        loggingLevel: MethodLoggingLevel.ERROR,
        // Requests and responses contain personal data and keys.
        dataTraceEnabled: false,
        // Metrics per method cost about 150 dollars a month. Metrics of the whole API are free, and
        // the access log has the routes.
        metricsEnabled: false,
        // A trace would contain the URL, and with it the token of a one-time passcode.
        tracingEnabled: false,
        throttlingRateLimit: settings.throttle.requestsPerSecond,
        throttlingBurstLimit: settings.throttle.burst,
      },
    });
    this.accessLog = accessLog;
    this.node.tryRemoveChild("Endpoint");
    this.ownExecutionLog(props);
    this.allowInvocations(props);
    acknowledge(this, acknowledged);
  }

  /** One permission per function: one per method would exceed the size limit of its policy. */
  private allowInvocations({ functions, authorizer }: HostedApiProps) {
    const principal = new ServicePrincipal("apigateway.amazonaws.com");
    const allow = (handler: IFunction, sourceArn: string) =>
      handler.addPermission(`${this.node.id}Invocation`, { principal, sourceArn });
    for (const handler of new Set(functions.values())) allow(handler, this.arnForExecuteApi());
    if (authorizer === undefined) return;
    // Its id is known to API Gateway alone.
    const resource = `${this.restApiId}/authorizers/*`;
    allow(authorizer, Stack.of(this).formatArn({ service: "execute-api", resource }));
  }

  /** API Gateway would create the log group itself, without expiry and without our key. */
  private ownExecutionLog({ settings, logKey }: HostedApiProps) {
    const name = `API-Gateway-Execution-Logs_${this.restApiId}/${stageName}`;
    const executionLog = new OwnLog(this, "ExecutionLog", settings, logKey, name);
    this.deploymentStage.node.addDependency(executionLog);
  }

  /** `ifFailing`: whether answers that fail wake somebody. */
  addAlarms(alarms: Alarms, ifFailing: Severity = "page") {
    const whole = { requests: this.metricCount(eachPeriod) };
    const errors = this.metricServerError(eachPeriod);
    alarms.add(`${this.node.id}Errors`, {
      metric: toPercent({ part: { errors }, whole, least: 10, label: "Failed answers in percent" }),
      severity: ifFailing,
      above: 1,
      periods: 3,
      breaches: 2,
      runbook: "server-errors",
      impact:
        "For ten minutes, more than one answer in a hundred is 5xx. The access log has the routes, the functions' logs the reasons.",
    });
    this.addTooMany(alarms, whole.requests);
    const slowest = this.metricLatency({ period: alarmPeriod, statistic: "p99" });
    alarms.add(`${this.node.id}Latency`, {
      metric: ifOften(whole.requests, 100, slowest, "Slowest answers in milliseconds"),
      severity: "ticket",
      above: Duration.seconds(3).toMilliseconds(),
      periods: 3,
      runbook: "slow-answers",
      impact:
        "One request in a hundred takes more than three seconds. Compare the authorizer's and the integration's latency.",
    });
  }

  /** API Gateway's own metric has all 4xx in one. */
  private addTooMany(alarms: Alarms, requests: IMetric) {
    const filter = new MetricFilter(this, "TooMany", {
      logGroup: this.accessLog,
      metricNamespace,
      metricName: `${this.node.id}TooManyRequests`,
      filterPattern: FilterPattern.stringValue("$.status", "=", "429"),
    });
    const refused = filter.metric(eachPeriod);
    alarms.add(`${this.node.id}TooMany`, {
      metric: toPercent({ part: { refused }, whole: { requests }, least: 100, label: "429 in percent" }),
      severity: "ticket",
      above: 5,
      periods: 3,
      runbook: `${accountPage}#too-many-requests`,
      impact:
        "For 15 minutes, more than one request in twenty got 429: a limit is too low, or a caller too fast.",
    });
  }
}

/** Logs the path's template: the path itself may contain the token of a one-time passcode. */
const accessLogEntry = {
  requestId: "$context.requestId",
  requestTime: "$context.requestTimeEpoch",
  httpMethod: "$context.httpMethod",
  resourcePath: "$context.resourcePath",
  status: "$context.status",
  errorResponseType: "$context.error.responseType",
  responseLength: "$context.responseLength",
  responseLatencyMs: "$context.responseLatency",
  integrationLatencyMs: "$context.integration.latency",
  authorizerLatencyMs: "$context.authorizer.latency",
  sourceIp: "$context.identity.sourceIp",
  certificateSerialNumber: "$context.identity.clientCert.serialNumber",
  tenantId: "$context.authorizer.tenantId",
  programId: "$context.authorizer.programId",
  apiUserId: "$context.authorizer.apiUserId",
  wafStatus: "$context.waf.status",
};

const acknowledged = {
  "AwsSolutions-APIG3": "The edge stack puts the firewall in front of every stage; a test checks it.",
  "PCI.DSS.321-APIGWAssociatedWithWAF":
    "The edge stack puts the firewall in front of every stage; a test checks it.",
  "AwsSolutions-APIG2":
    "The functions validate every request against the contract and list all of its faults.",
  "PCI.DSS.321-APIGWCacheEnabledAndEncrypted":
    "Answers contain balances and personal data: they must be current and must not be stored.",
  "PCI.DSS.321-APIGWSSLEnabled":
    "A client certificate would authenticate the gateway to an HTTP backend, but it invokes functions under IAM.",
};
