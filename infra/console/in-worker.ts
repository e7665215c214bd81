import { parentPort } from "node:worker_threads";
import { connect } from "./connect.ts";

// Tells the control port of the local platform where the console is.
const target = await connect(undefined);
// Imported late because it reads the environment.
const { startConsoleServer } = await import("./server.ts");
const { url } = await startConsoleServer({ console: { environment: "local", target } });
parentPort?.postMessage({ url });
