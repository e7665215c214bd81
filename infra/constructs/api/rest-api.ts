import { Duration } from "aws-cdk-lib";
import {
  AccessLogFormat,
  ApiKeySourceType,
  type CfnAuthorizer,
  EndpointType,
  type IAuthorizer,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  MockIntegration,
  PassthroughBehavior,
  RequestAuthorizer,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { errorCatalogue } from "../../../shared/contract/errors.ts";
import type { Api, ResourceFunction, Route } from "../../../shared/contract/route.ts";
import type { Settings } from "../../environments.ts";
import { acknowledge } from "../acknowledge.ts";
import { type Alarms, alarmPeriod } from "../operations/alarms.ts";
import { addGatewayResponses, catalogueEnvelope } from "./gateway-responses.ts";

export interface ContractApiProps {
  readonly settings: Settings;
  readonly api: Api;
  readonly routes: readonly Route[];
  readonly functions: Readonly<Partial<Record<ResourceFunction, IFunction>>>;
  readonly authorizer: IAuthorizer;
  readonly logKey: IKey;
}

const stageName = "live";

/** A REST API with the contract's routes, reachable only through its custom domain. */
export class ContractApi extends RestApi {
  constructor(scope: Construct, id: string, props: ContractApiProps) {
    const { settings } = props;
    const accessLog = new LogGroup(scope, `${id}AccessLog`, {
      retention: settings.logRetentionDays,
      encryptionKey: props.logKey,
      removalPolicy: settings.removalPolicy,
    });
    super(scope, id, {
      restApiName: `card-issuing-${settings.name}-${props.api}`,
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: true,
      cloudWatchRole: false,
      // Usage plans count by the authorizer's key: a client could choose any value in a header.
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
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
    this.node.tryRemoveChild("Endpoint");
    this.ownExecutionLog(props);
    this.addRoutes(props);
    this.addFallback(props.authorizer);
    addGatewayResponses(this);
    acknowledge(this, acknowledged);
  }

  /** API Gateway would create the log group itself, without expiry and without our key. */
  private ownExecutionLog({ settings, logKey }: ContractApiProps) {
    const executionLog = new LogGroup(this, "ExecutionLog", {
      logGroupName: `API-Gateway-Execution-Logs_${this.restApiId}/${stageName}`,
      retention: settings.logRetentionDays,
      encryptionKey: logKey,
      removalPolicy: settings.removalPolicy,
    });
    this.deploymentStage.node.addDependency(executionLog);
  }

  private addRoutes({ api, routes, functions, authorizer }: ContractApiProps) {
    const integrations = new Map<ResourceFunction, LambdaIntegration>();
    for (const route of routes.filter((route) => route.api === api)) {
      const handler = functions[route.function];
      if (handler === undefined) throw new Error(`${route.method} ${route.path} has no function.`);
      // One permission per function and API: one per method would exceed the policy's size limit.
      const integration =
        integrations.get(route.function) ??
        new LambdaIntegration(handler, { scopePermissionToMethod: false });
      integrations.set(route.function, integration);
      this.root
        .resourceForPath(route.path)
        .addMethod(route.method, integration, { authorizer, apiKeyRequired: true });
    }
  }

  addAlarms(alarms: Alarms) {
    alarms.add(`${this.node.id}Errors`, {
      metric: this.metricServerError({ period: alarmPeriod, statistic: "Sum" }),
      threshold: 5,
      runbook: "server-errors",
      impact: "Callers get 5xx answers. The access log has the routes, the functions' logs the reasons.",
    });
    alarms.add(`${this.node.id}Latency`, {
      metric: this.metricLatency({ period: alarmPeriod, statistic: "p99" }),
      threshold: Duration.seconds(3).toMilliseconds(),
      periods: 3,
      runbook: "slow-answers",
      impact:
        "One request in a hundred takes more than three seconds. Compare the authorizer's and the integration's latency.",
    });
  }

  /**
   * Answers 404 for unknown paths and methods after authentication. A body that is not JSON becomes
   * UNSUPPORTED_MEDIA_TYPE here, which gateway-responses.ts answers with 404 too.
   */
  private addFallback(authorizer: IAuthorizer) {
    const statusCode = String(errorCatalogue.NOT_FOUND.status);
    const integration = new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: {
        "application/json": JSON.stringify({ statusCode: errorCatalogue.NOT_FOUND.status }),
      },
      integrationResponses: [
        {
          statusCode,
          responseParameters: { "method.response.header.X-Request-Id": "context.requestId" },
          responseTemplates: { "application/json": catalogueEnvelope("NOT_FOUND") },
        },
      ],
    });
    const options = {
      authorizer,
      apiKeyRequired: true,
      methodResponses: [{ statusCode, responseParameters: { "method.response.header.X-Request-Id": true } }],
    };
    this.root.addMethod("ANY", integration, options);
    this.root.addResource("{proxy+}").addMethod("ANY", integration, options);
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
  "AwsSolutions-COG4":
    "Callers are machines with a client certificate and an API key, checked by the platform's own authorizer.",
  "PCI.DSS.321-APIGWCacheEnabledAndEncrypted":
    "Answers contain balances and personal data: they must be current and must not be stored.",
  "PCI.DSS.321-APIGWSSLEnabled":
    "A client certificate would authenticate the gateway to an HTTP backend, but it invokes functions under IAM.",
};

/**
 * Runs the authorizer for every request. With an identity source the gateway answers 401 for a
 * missing key before certificate and address are checked; a cache keeps revoked keys alive.
 */
export class CredentialsAuthorizer extends RequestAuthorizer {
  constructor(scope: Construct, id: string, handler: IFunction) {
    super(scope, id, { handler, identitySources: [], resultsCacheTtl: Duration.seconds(0) });
    // CDK renders missing sources as an empty string, which API Gateway treats differently.
    (this.node.defaultChild as CfnAuthorizer).addPropertyDeletionOverride("IdentitySource");
  }
}
