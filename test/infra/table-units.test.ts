import { describe, expect, test } from "vitest";
import { type EnvironmentName, environmentNames, readSettings } from "../../infra/environments.ts";
import { resourcesOf, synthesized } from "./synthesized.ts";

/** What keeps a loop from costing a fortune, and says which key it was about. */
function brakeOf(name: EnvironmentName) {
  const { reads, writes } = readSettings(name).tableUnits;
  return {
    own: { WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: writes } },
    ofReplica: {
      ReadOnDemandThroughputSettings: { MaxReadRequestUnits: reads },
      ContributorInsightsSpecification: { Enabled: true, Mode: "THROTTLED_KEYS" },
    },
  };
}

describe.each(environmentNames)("tables of %s", (name) => {
  const { data, vault } = synthesized(name);

  test("every table and index has a maximum of units, and counts the keys that it throttles", () => {
    const tables = [data, vault].flatMap((template) => resourcesOf(template, "AWS::DynamoDB::GlobalTable"));
    expect(tables).toHaveLength(3);
    const { own, ofReplica } = brakeOf(name);
    for (const [id, { Properties }] of tables) {
      for (const part of [Properties, ...(Properties.GlobalSecondaryIndexes ?? [])])
        expect(part, id).toMatchObject(own);
      for (const replica of Properties.Replicas)
        for (const part of [replica, ...(replica.GlobalSecondaryIndexes ?? [])])
          expect(part, id).toMatchObject(ofReplica);
    }
  });
});
