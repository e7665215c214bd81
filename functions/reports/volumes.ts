import { maximumVolumes, toGroups } from "../../shared/contract/reports.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toSpan } from "../../shared/reports/span.ts";
import { sumVolumes } from "../../shared/reports/volumes.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/** @throws ApiError VALIDATION_FAILED if it is more than a request takes */
export const viewVolumes: Operations["GET /volumes"] = async ({
  scope: { programId, currency },
  query: { of, groupBy: groups, ...asked },
  format,
}) => {
  const at = now();
  const groupBy = toGroups(groups);
  const { timeZone } = (await getProgram(programId)).settings;
  const { from, to } = toSpan(asked, timeZone, at, "query");
  const volumes = await sumVolumes({ programId, from, to, timeZone, of, groupBy });
  if (!volumes) {
    const { entries, rows } = maximumVolumes;
    const message = `has more than ${entries} ${of} or ${rows} rows before it: ask for parts of the span`;
    throw invalid("query.to", "too_big", message);
  }
  const view = { from, to, timeZone, currency, asOf: timestamp(at), ...volumes };
  if (format === "json") return view;
  const { toVolumesPage } = await import("./volumes-page.ts");
  const fileName = `volumes-${from.slice(0, 10)}-${to.slice(0, 10)}.html`;
  return { document: toVolumesPage(view, of, groupBy), fileName };
};
