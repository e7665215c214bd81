import { BlockList } from "node:net";
import { z } from "zod";
import type { Clock } from "../interfaces.ts";
import { type Assembly, type Resource, readProperties, TemplateError } from "../template.ts";

/** By whom a request of an API's stage comes in: undefined, or the status that it gets instead. */
export type Firewall = (api: { id: string; stage: string }, sourceIp: string) => number | undefined;

const Rule = z.object({
  Priority: z.int(),
  Action: z
    .object({ Block: z.object({ CustomResponse: z.object({ ResponseCode: z.int() }).optional() }) })
    .optional(),
  Statement: z.union([
    z.strictObject({ ManagedRuleGroupStatement: z.unknown() }),
    z.strictObject({
      RateBasedStatement: z.strictObject({
        AggregateKeyType: z.literal("IP"),
        EvaluationWindowSec: z.literal([60, 120, 300, 600]),
        Limit: z.int().min(10).max(2_000_000_000),
      }),
    }),
    z.strictObject({
      NotStatement: z.strictObject({
        Statement: z.strictObject({ IPSetReferenceStatement: z.strictObject({ Arn: z.string() }) }),
      }),
    }),
  ]),
});
const Acl = z.object({ Rules: z.array(Rule) });
const Association = z.object({ ResourceArn: z.string(), WebACLArn: z.string() });
const IpSet = z.object({ IPAddressVersion: z.literal("IPV4"), Addresses: z.array(z.cidrv4()) });

const blocked = 403;

/** Throws for an association, a rule or a set of addresses that is not known. */
export function readFirewall(assembly: Assembly, clock: Pick<Clock, "now">): Firewall {
  const acls = new Map(assembly.ofType("AWS::WAFv2::WebACL").map((acl) => [acl.arn, acl]));
  const toRules = new Map(
    assembly.ofType("AWS::WAFv2::WebACLAssociation").map((association) => {
      const { ResourceArn, WebACLArn } = readProperties(association, Association);
      const acl = acls.get(WebACLArn);
      if (acl === undefined) throw new TemplateError(`${association.logicalId}: there is no ${WebACLArn}`);
      return [ResourceArn.replace(/^.*::/, ""), readRules(acl, assembly, clock)] as const;
    }),
  );
  return ({ id, stage }, sourceIp) => {
    for (const rule of toRules.get(`/restapis/${id}/stages/${stage}`) ?? []) {
      const status = rule(sourceIp);
      if (status !== undefined) return status;
    }
    return undefined;
  };
}

function readRules(acl: Resource, assembly: Assembly, clock: Pick<Clock, "now">) {
  return readProperties(acl, Acl)
    .Rules.toSorted((one, other) => one.Priority - other.Priority)
    .map(({ Statement: statement, Action }) => {
      const status = Action?.Block.CustomResponse?.ResponseCode ?? blocked;
      const matches = toMatch(statement, assembly, clock);
      return (sourceIp: string) => (matches(sourceIp) ? status : undefined);
    });
}

function toMatch(
  statement: z.output<typeof Rule>["Statement"],
  assembly: Assembly,
  clock: Pick<Clock, "now">,
): (sourceIp: string) => boolean {
  // AWS's own rules are not known here.
  if ("ManagedRuleGroupStatement" in statement) return () => false;
  if ("RateBasedStatement" in statement) return toRate(statement.RateBasedStatement, clock);
  const { Arn } = statement.NotStatement.Statement.IPSetReferenceStatement;
  const set = assembly.byArn(Arn);
  if (set?.type !== "AWS::WAFv2::IPSet") throw new TemplateError(`${Arn} is no set of addresses`);
  const listed = new BlockList();
  for (const range of readProperties(set, IpSet).Addresses) {
    const [address = "", bits] = range.split("/");
    listed.addSubnet(address, Number(bits), "ipv4");
  }
  return (sourceIp) => !listed.check(sourceIp, sourceIp.includes(":") ? "ipv6" : "ipv4");
}

/** Counts in seconds. AWS counts within some ten seconds, so it lets a little more pass. */
function toRate(
  { EvaluationWindowSec: window, Limit }: { EvaluationWindowSec: number; Limit: number },
  clock: Pick<Clock, "now">,
) {
  const counted = new Map<string, Map<number, number>>();
  return (sourceIp: string) => {
    const second = Math.floor(clock.now() / 1_000);
    const seconds = counted.get(sourceIp) ?? new Map<number, number>();
    counted.set(sourceIp, seconds);
    for (const known of seconds.keys()) if (known <= second - window) seconds.delete(known);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
    return [...seconds.values()].reduce((sum, count) => sum + count, 0) > Limit;
  };
}
