/** Names the policy that says which region writes, in each role of a function. */
export function writesPolicyName(environmentName: string): string {
  return `card-issuing-${environmentName}-writes`;
}

const writes = [
  "BatchWriteItem",
  "DeleteItem",
  "PartiQLDelete",
  "PartiQLInsert",
  "PartiQLUpdate",
  "PutItem",
  "UpdateItem",
];

/**
 * Whatever else a role may do, it writes items in this region alone. IAM is one for all regions: a
 * region that is lost, and comes back, finds the change that was made meanwhile.
 */
export function writesOnlyIn(region: string | undefined) {
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "WritesInOneRegion",
        Effect: "Deny",
        Action: writes.map((action) => `dynamodb:${action}`),
        Resource: "*",
        Condition: { StringNotEquals: { "aws:RequestedRegion": region ?? "none" } },
      },
    ],
  };
}
