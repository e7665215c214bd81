/** `npm run bench`: the figures that the platform is held to, all in one run. Ends with 1 where a limit is broken. */
import { startEngine, useTables } from "../harness/engine.ts";
import { tablesOfTheTemplate } from "../harness/tables.ts";
import { print, progress } from "./report.ts";

const engine = await startEngine();
await useTables(engine.endpoint, tablesOfTheTemplate(), "bench");

// Imported only now: what they import reads the environment.
const roundTrips = await import("./round-trips.ts");
const authorizer = await import("./authorizer-cost.ts");
const handlerTime = await import("./handler-time.ts");
const coldImport = await import("./cold-import.ts");
const deadlines = await import("./due-deadlines.ts");
const cardEvents = await import("./card-events.ts");

const broken: string[] = [];
try {
  const authorizerCosts = await authorizer.roundTripsOfTheAuthorizer();
  broken.push(...print("DynamoDB, the authorizer of every request", roundTrips.columns, authorizerCosts));
  const costs = await roundTrips.roundTripsOfEndpoints();
  broken.push(...print("DynamoDB, each endpoint's handler", roundTrips.columns, costs));
  const eventCosts = await cardEvents.costsOfCardEvents();
  broken.push(...print("DynamoDB, each event of the card network", roundTrips.columns, eventCosts));
  const rates = await cardEvents.ratesOfCardEvents();
  broken.push(...print("Authorizations against their own transactions, bare", cardEvents.rateColumns, rates));
  const times = await handlerTime.handlerTimes();
  broken.push(...print("Handler against its own SDK calls, bare (medians)", handlerTime.columns, times));
  const found = await deadlines.timesToFindDeadlines();
  broken.push(...print("Finding what is due among what is not (medians)", deadlines.columns, found));
  const imports = await coldImport.coldImports();
  broken.push(...print("Cold import of each bundle (medians)", coldImport.columns, imports));
} finally {
  progress("");
  await engine.stop();
}
console.log(broken.length === 0 ? "\nEvery limit is kept." : `\nBroken limits:\n  ${broken.join("\n  ")}`);
process.exit(broken.length === 0 ? 0 : 1);
