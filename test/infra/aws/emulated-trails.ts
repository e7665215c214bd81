import type { Answer, Request } from "./emulated-aws.ts";
import { json, refusal } from "./json-protocol.ts";

export interface EmulatedTrail {
  readonly name: string;
  readonly isMultiRegion: boolean;
  readonly isLogging: boolean;
  readonly selectors: object;
}

export const wholeTrail: EmulatedTrail = {
  name: "management",
  isMultiRegion: true,
  isLogging: true,
  selectors: {
    EventSelectors: [
      {
        ReadWriteType: "All",
        IncludeManagementEvents: true,
        DataResources: [],
        ExcludeManagementEventSources: [],
      },
    ],
  },
};

/** CloudTrail's trails, as far as a deployment asks for them. */
export class EmulatedTrails {
  all: readonly EmulatedTrail[] = [wholeTrail];
  /** Whether the caller may read them. */
  isReadable = true;

  answer({ headers, body }: Request): Answer {
    const operation = String(headers["x-amz-target"]).split(".").at(-1);
    const input = JSON.parse(body.toString()) as Record<string, unknown>;
    if (!this.isReadable) return refusal("AccessDeniedException");
    const arnOf = ({ name }: EmulatedTrail) => `arn:aws:cloudtrail:eu-west-1:111122223333:trail/${name}`;
    if (operation === "DescribeTrails") {
      const trailList = this.all.map((trail) => ({
        Name: trail.name,
        TrailARN: arnOf(trail),
        IsMultiRegionTrail: trail.isMultiRegion,
        HomeRegion: "eu-west-1",
      }));
      return json({ trailList });
    }
    const found = this.all.find((trail) => arnOf(trail) === (input.Name ?? input.TrailName));
    if (found === undefined) return refusal("TrailNotFoundException");
    const outputs: Record<string, object> = {
      GetTrailStatus: { IsLogging: found.isLogging },
      GetEventSelectors: { TrailARN: arnOf(found), ...found.selectors },
    };
    const output = outputs[operation ?? ""];
    return output === undefined ? refusal("UnknownOperationException") : json(output);
  }
}
