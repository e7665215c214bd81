import { givenTlsIdentity, startReceiver } from "../../harness/receiver.ts";
import { startLivePlatform } from "./live-platform.ts";
import { burstRates, hopTimes, columns as pipelineColumns } from "./pipeline.ts";
import { progress, type Table } from "./report.ts";

/** Run by `npm run bench` in its own process: sending, from commit to receiver. */
// As deployed: deliveries keep connections over TLS alone.
const receiver = await startReceiver(await givenTlsIdentity("receiver"));
progress("starting a platform");
const platform = await startLivePlatform([receiver.origin]);
const tables: Table[] = [];
try {
  const one = await platform.demoCard();
  const rows = [...(await hopTimes(one, receiver)), ...(await burstRates(platform, one, receiver))];
  tables.push({ title: "From a committed hold to its receiver", columns: pipelineColumns, rows });
  await one.program.close();
} finally {
  await platform.stop();
  await receiver.stop();
}
process.send?.(tables);
process.disconnect?.();
