import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { readRecording } from "../tools/replay/inputs/recording-file.ts";
import { replayInputs } from "../tools/replay/inputs/replayer.ts";

const file = path.join(import.meta.dirname, "../tools/replay/inputs.gz");
const howToRecord =
  "If this version means to store something else: npm run replay -- test/tools/replay/inputs.gz --record test/tools/replay/inputs.gz";
const timeLimitMs = 1_200_000;

it(
  "5,000 recorded inputs end in identical tables",
  async () => {
    const recording = readRecording(file);
    expect(recording.inputs).toBeGreaterThanOrEqual(5_000);
    const directory = mkdtempSync(path.join(tmpdir(), "replay-"));
    try {
      const { difference, secrets } = await replayInputs(recording, { directory, dynamodb: "dynoxide" });
      expect(difference, howToRecord).toBeUndefined();
      const text = gunzipSync(readFileSync(file)).toString();
      for (const secret of secrets.filter(({ length }) => length > 6)) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/PRIVATE KEY|cik_|whsec_/);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  timeLimitMs,
);
