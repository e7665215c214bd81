import { Duration } from "aws-cdk-lib";
import {
  ApiKeySourceType,
  type CfnAuthorizer,
  ContentHandling,
  type IAuthorizer,
  LambdaIntegration,
  MockIntegration,
  PassthroughBehavior,
  RequestAuthorizer,
} from "aws-cdk-lib/aws-apigateway";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { errorCatalogue } from "../../../shared/contract/errors.ts";
import type { Api, ResourceFunction, Route } from "../../../shared/contract/route.ts";
import type { Settings } from "../../environments.ts";
import { acknowledge } from "../acknowledge.ts";
import { catalogueEnvelope } from "./gateway-responses.ts";
import { HostedApi } from "./hosted-api.ts";

export interface ContractApiProps {
  readonly settings: Settings;
  readonly api: Api;
  readonly routes: readonly Route[];
  readonly functions: Readonly<Partial<Record<ResourceFunction, IFunction>>>;
  readonly authorizer: IAuthorizer;
  readonly logKey: IKey;
}

/** A REST API with the contract's routes. */
export class ContractApi extends HostedApi {
  constructor(scope: Construct, id: string, props: ContractApiProps) {
    const { settings, api, logKey } = props;
    super(scope, id, {
      settings,
      api,
      logKey,
      // Usage plans count by the authorizer's key: a client could choose any value in a header.
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      // In a text, API Gateway replaces what is not UTF-8.
      binaryMediaTypes: ["*/*"],
    });
    this.addRoutes(props);
    this.addFallback(props.authorizer);
    acknowledge(this, acknowledged);
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

  /**
   * Answers 404 for unknown paths and methods after authentication. A body that is not JSON becomes
   * UNSUPPORTED_MEDIA_TYPE here, which gateway-responses.ts answers with 404 too.
   */
  private addFallback(authorizer: IAuthorizer) {
    const statusCode = String(errorCatalogue.NOT_FOUND.status);
    const integration = new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
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

const acknowledged = {
  "AwsSolutions-COG4":
    "Callers are machines with a client certificate and an API key, checked by the platform's own authorizer.",
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
