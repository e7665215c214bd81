import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { firstSuffix, streamParameters } from "../../constructs/second-region.ts";
import { type Settings, secondSettings } from "../../environments.ts";
import { unlessMissing } from "../unless-missing.ts";
import { type AssembledStack, type DeployedStack, DeployedStacks } from "./stacks.ts";

/** Returns the second region's settings. Throws an Error if no stacks are for it. */
export function settingsThere(settings: Settings): Settings {
  const there = secondSettings(settings);
  if (there !== undefined) return there;
  throw new Error(
    `${settings.name} has no stacks for a second region: set secondRegion.serves in infra/environments.ts, as docs/second-region.md describes.`,
  );
}

const Template = z.object({ Parameters: z.record(z.string(), z.unknown()).prefault({}) });

/** Fills the parameters of the second region's stacks. */
export class ReplicaParameters {
  readonly #first: Pick<Settings, "region">;
  readonly #there: Settings;
  readonly #stacks: DeployedStacks;

  constructor(first: Pick<Settings, "region">, there: Settings) {
    this.#first = first;
    this.#there = there;
    this.#stacks = new DeployedStacks(first.region);
  }

  /**
   * By name. While the second region writes, the first may be lost: parameters that were given once
   * keep their values. Throws an Error if something is not there yet.
   */
  async of(
    { stackName, template }: AssembledStack,
    deployed: DeployedStack | undefined,
  ): Promise<ReadonlyMap<string, string>> {
    const isKept = this.#there.secondRegion?.writes === "second" && deployed?.isMade;
    const names = Object.keys(Template.parse(template).Parameters).filter(
      (name) => !isKept || !deployed.parameters.has(name),
    );
    const outputs = names.filter((name) => name.endsWith(firstSuffix));
    if (outputs.length === 0) return new Map();
    const found = await this.#ofFirst(stackName, outputs);
    const streams = await this.#replicas(found);
    for (const [name, table] of Object.entries(streamParameters)) {
      const stream = streams.get(table);
      if (stream !== undefined && names.includes(name)) found.set(name, stream);
    }
    return found;
  }

  /** A replica has the name or the id of the first region's, and its own region. */
  async #ofFirst(stackName: string, parameters: readonly string[]): Promise<Map<string, string>> {
    const { region } = this.#first;
    const stack = await this.#stacks.find(stackName);
    const lacks = `${stackName} in ${region}`;
    if (stack === undefined)
      throw new Error(`There is no ${lacks}: deploy the first region before the second.`);
    return new Map(
      parameters.map((parameter) => {
        const output = parameter.slice(0, -firstSuffix.length);
        const value = stack.outputs[output];
        if (value === undefined)
          throw new Error(`${lacks} has no output ${output}: deploy the first region before the second.`);
        return [parameter, value.replaceAll(`:${region}:`, `:${this.#there.region}:`)];
      }),
    );
  }

  /** Returns the streams of the tables that have one, by the tables' logical ids. */
  async #replicas(found: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const { region } = this.#there;
    const dynamo = new DynamoDBClient({ region });
    const streams = new Map<string, string>();
    for (const [parameter, TableName] of found) {
      const [, table] = /^(\w+Table)Name/.exec(parameter) ?? [];
      if (table === undefined) continue;
      const asked = dynamo.send(new DescribeTableCommand({ TableName }));
      const answer = await unlessMissing(asked, ResourceNotFoundException);
      if (answer?.Table?.TableStatus !== "ACTIVE")
        throw new Error(
          `${TableName} has no replica in ${region} that is ready: deploy the first region with hasReplicas, and wait until it is.`,
        );
      const { LatestStreamArn } = answer.Table;
      if (LatestStreamArn !== undefined) streams.set(table, LatestStreamArn);
    }
    return streams;
  }
}
