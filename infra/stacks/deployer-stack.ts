import { CfnOutput, CfnParameter, Fn, Stack, type StackProps } from "aws-cdk-lib";
import { CfnManagedPolicy, CfnOIDCProvider, CfnRole } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import {
  boundaryName,
  boundaryPolicy,
  executionPolicy,
  executionPolicyName,
  type PolicyDocument,
  pipelinePolicy,
  vaultExecutionPolicy,
  vaultExecutionPolicyName,
} from "../constructs/deployer-policies.ts";
import type { Settings } from "../environments.ts";

interface DeployerStackProps extends StackProps {
  readonly settings: Pick<Settings, "name" | "account" | "region" | "secondRegion">;
}

/** What those who deploy may do. An administrator deploys it, before the CDK's bootstrap. */
export class DeployerStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: DeployerStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    this.add("Boundary", boundaryName, boundaryPolicy());
    this.add("Execution", executionPolicyName, executionPolicy(settings));
    this.add("VaultExecution", vaultExecutionPolicyName, vaultExecutionPolicy(settings));
    this.addPipelineRole(settings);
  }

  /** Without a secret: for runs in the repository's environment of the same name alone. */
  private addPipelineRole(settings: DeployerStackProps["settings"]): void {
    const repository = new CfnParameter(this, "Repository", {
      description: "The repository whose pipeline deploys, as owner/name. Without it, nobody gets the role.",
      default: "nobody/nothing",
      allowedPattern: "[\\w.-]+/[\\w.-]+",
    }).valueAsString;
    const issuer = "token.actions.githubusercontent.com";
    const provider = new CfnOIDCProvider(this, "PipelineIssuer", {
      url: `https://${issuer}`,
      clientIdList: ["sts.amazonaws.com"],
    });
    const subject = Fn.sub(`repo:\${Of}:environment:${settings.name}`, { Of: repository });
    const role = new CfnRole(this, "PipelineRole", {
      roleName: "card-issuing-pipeline",
      description: "Deploys the platform, from its repository's pipeline.",
      assumeRolePolicyDocument: {
        Version: "2012-10-17",
        Statement: [
          {
            Effect: "Allow",
            Action: "sts:AssumeRoleWithWebIdentity",
            Principal: { Federated: provider.attrArn },
            Condition: {
              StringEquals: { [`${issuer}:aud`]: "sts.amazonaws.com", [`${issuer}:sub`]: subject },
            },
          },
        ],
      },
      policies: [{ policyName: "Deploy", policyDocument: pipelinePolicy(settings) }],
    });
    new CfnOutput(this, "PipelineRoleArn", { value: role.attrArn });
  }

  private add(id: string, managedPolicyName: string, policyDocument: PolicyDocument): void {
    new CfnManagedPolicy(this, id, { managedPolicyName, policyDocument });
  }
}
