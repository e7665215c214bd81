import { LambdaIntegration } from "aws-cdk-lib/aws-apigateway";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { Settings } from "../../environments.ts";
import { acknowledge } from "../acknowledge.ts";
import { HostedApi } from "./hosted-api.ts";

interface WebhookApiProps {
  readonly settings: Settings;
  readonly receiver: IFunction;
  readonly logKey: IKey;
  /** By `METHOD /path`. */
  readonly routes: readonly string[];
}

/** Takes the webhooks of connected parties. They sign each one, which its function verifies. */
export class WebhookApi extends HostedApi {
  constructor(scope: Construct, id: string, { settings, receiver, logKey, routes }: WebhookApiProps) {
    super(scope, id, { settings, api: "webhooks", logKey });
    const integration = new LambdaIntegration(receiver, { scopePermissionToMethod: false });
    for (const route of routes) {
      const [method = "", path = ""] = route.split(" ");
      acknowledge(this.root.resourceForPath(path).addMethod(method, integration), {
        "AwsSolutions-APIG4": "The function verifies the sender's signature or password over the body.",
        "AwsSolutions-COG4": "The function verifies the sender's signature or password over the body.",
      });
    }
  }
}
