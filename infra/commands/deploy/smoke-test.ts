import { spawnSync } from "node:child_process";
import path from "node:path";

const smokeTest = path.resolve(import.meta.dirname, "../../../test/smoke/main.ts");

/** Runs `npm run smoke` with the connection file, as anybody else would. Errors: a check failed, which it has said. */
export function runSmokeTest(connectionFile: string, patienceSeconds: number): void {
  const words = [smokeTest, "--patience", String(patienceSeconds), connectionFile];
  const { status: exitStatus } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (exitStatus === 0) return;
  throw new Error(
    `What is deployed does not do what it should. Everything else is done; to try it alone:\n  npm run smoke -- ${connectionFile}`,
  );
}
