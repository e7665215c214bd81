import { Duration } from "aws-cdk-lib";
import { type CfnAuthorizer, RequestAuthorizer } from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";

/**
 * Asks the authorizer function about every single request. An identity source would make the gateway answer 401 for a
 * missing key before the certificate and the address were looked at; a cache would keep a revoked key alive.
 */
export class CredentialsAuthorizer extends RequestAuthorizer {
  constructor(scope: Construct, id: string, handler: IFunction) {
    super(scope, id, { handler, identitySources: [], resultsCacheTtl: Duration.seconds(0) });
    // CDK renders no sources as an empty string, which is not the same as none.
    (this.node.defaultChild as CfnAuthorizer).addPropertyDeletionOverride("IdentitySource");
  }
}
