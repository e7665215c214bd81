import { parentPort } from "node:worker_threads";
import { connect } from "./connect.ts";

const target = await connect(undefined);
// Imported late because it reads the environment.
const { openConsole } = await import("./server.ts");
const answer = openConsole({ console: { environment: "local", target } });
parentPort?.on("message", async ({ port, ...asked }) => port.postMessage(await answer(asked)));
// Tells the control port of the local platform that it may ask.
parentPort?.postMessage("ready");
