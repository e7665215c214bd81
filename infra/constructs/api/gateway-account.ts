import { RemovalPolicy, Validations } from "aws-cdk-lib";
import { CfnAccount } from "aws-cdk-lib/aws-apigateway";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";

/**
 * Lets API Gateway write logs. It is one setting of the whole account and region, so the role stays when the stack goes:
 * another environment in the same account may depend on it.
 */
export class GatewayAccount extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, "LogRole", {
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
      description: "Lets API Gateway write execution logs.",
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName("service-role/AmazonAPIGatewayPushToCloudWatchLogs"),
      ],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    new CfnAccount(this, "Account", { cloudWatchRoleArn: role.roleArn }).applyRemovalPolicy(
      RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    );
    Validations.of(role).acknowledge({
      id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      reason:
        "AWS maintains this policy for exactly this role; API Gateway writes to log groups that it names itself.",
    });
  }
}
