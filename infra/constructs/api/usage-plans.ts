import { Stack, Validations } from "aws-cdk-lib";
import { type CfnUsagePlan, type IRestApi, UsagePlan } from "aws-cdk-lib/aws-apigateway";
import { Policy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import {
  rateTiers,
  requestKinds,
  type UsagePlan as UsagePlanOf,
  usagePlanName,
} from "../../../shared/contract/rate-limits.ts";
import type { Settings } from "../../environments.ts";
import type { ServiceFunction } from "../service-function.ts";

interface UsagePlansProps {
  readonly settings: Settings;
  readonly platform: IRestApi;
  readonly sandbox?: IRestApi | undefined;
}

/**
 * Limits requests per second by key and kind. Keys are created at run time with their Programs.
 * Functions find plans by name: ids would make the plans, the API and the functions a cycle.
 */
export class UsagePlans extends Construct {
  private readonly plans: UsagePlan[] = [];
  private readonly tiers: UsagePlan[];
  private readonly ofTenants: UsagePlan;

  constructor(scope: Construct, id: string, { settings, platform, sandbox }: UsagePlansProps) {
    super(scope, id);
    const { rateLimits, name } = settings;
    const add = (plan: UsagePlanOf, description: string, requestsPerSecond: number, apis: IRestApi[]) => {
      const added = new UsagePlan(this, plan, {
        name: usagePlanName(name, plan),
        description,
        // The burst equals one second's requests; twice as much would double the limit.
        throttle: { rateLimit: requestsPerSecond, burstLimit: requestsPerSecond },
        apiStages: apis.map((api) => ({ api, stage: api.deploymentStage })),
      });
      // API Gateway rejects concurrent creations.
      const previous = this.plans.at(-1);
      if (previous) added.node.addDependency(previous);
      this.plans.push(added);
      return added;
    };
    for (const tier of rateTiers) {
      for (const kind of requestKinds) {
        add(`${kind}-${tier}`, `The ${kind} of a Program, ${tier}.`, rateLimits[tier][kind], [platform]);
      }
    }
    this.tiers = [...this.plans];
    const both = sandbox ? [platform, sandbox] : [platform];
    this.ofTenants = add("account", "A Tenant's requests to its account.", rateLimits.account, both);
    if (sandbox && rateLimits.sandbox) {
      add("sandbox", "A Program's requests to the sandbox, per kind.", rateLimits.sandbox, [sandbox]);
    }
  }

  /**
   * Grants creating usage keys of Programs. A separate policy avoids the cycle between function and
   * plans that the role's default policy would create.
   */
  grantAssign(grantee: ServiceFunction, id: string): Policy {
    const ofPrograms = this.plans.filter((plan) => plan !== this.ofTenants);
    const policy = new Policy(this, `${id}Policy`);
    policy.addStatements(
      new PolicyStatement({
        actions: ["apigateway:GET", "apigateway:POST"],
        resources: [this.arn("/apikeys")],
      }),
      new PolicyStatement({ actions: ["apigateway:GET"], resources: [this.arn("/usageplans")] }),
      this.adding(ofPrograms),
    );
    if (grantee.role) policy.attachToRole(grantee.role);
    return policy;
  }

  /** Grants moving keys between tiers, too. */
  grantMove(grantee: ServiceFunction, id: string): Policy {
    const policy = this.grantAssign(grantee, id);
    policy.addStatements(
      new PolicyStatement({
        actions: ["apigateway:DELETE"],
        resources: this.tiers.map(({ usagePlanId }) => this.arn(`/usageplans/${usagePlanId}/keys/*`)),
      }),
    );
    Validations.of(policy).acknowledge(
      ...this.tiers.map((plan) => ({
        id: `AwsSolutions-IAM5[Resource::${this.arn(`/usageplans/<${logicalId(plan)}>/keys/*`)}]`,
        reason: "Keys are created with Programs at run time, so the template cannot name them.",
      })),
    );
    return policy;
  }

  /** Grants creating usage keys of Tenants, too. */
  grantAdministration(grantee: ServiceFunction, id: string): void {
    this.grantMove(grantee, id).addStatements(this.adding([this.ofTenants]));
  }

  private adding(plans: readonly UsagePlan[]): PolicyStatement {
    const resources = plans.map(({ usagePlanId }) => this.arn(`/usageplans/${usagePlanId}/keys`));
    return new PolicyStatement({ actions: ["apigateway:POST"], resources });
  }

  private arn(path: string): string {
    const { region } = Stack.of(this);
    return `arn:aws:apigateway:${region}::${path}`;
  }
}

function logicalId(plan: UsagePlan): string {
  return Stack.of(plan).getLogicalId(plan.node.defaultChild as CfnUsagePlan);
}
