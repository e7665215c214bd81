import { inLanes } from "../../shared/platform/in-lanes.ts";

/** Works on eight at a time, and joins the results. */
export async function inTurns<In, Out>(
  all: readonly In[],
  work: (one: In) => Promise<readonly Out[]>,
): Promise<Out[]> {
  return (await inLanes(all, work, 8)).flat();
}
