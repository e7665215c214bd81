import { authorizerSteps, sendingSteps } from "./sending-steps.ts";
import { type Measured, measureEach } from "./step.ts";
import { apiSteps, networkSteps, sweepStep, transactionPageStep } from "./steps.ts";

/** Measures every step, each so many times. */
export async function measureSteps(times: number): Promise<Record<string, Measured>> {
  const measured = await measureEach(
    [sweepStep, ...apiSteps(), transactionPageStep(), ...networkSteps()],
    times,
  );
  for (const serve of [authorizerSteps, sendingSteps]) {
    const served = await serve();
    try {
      Object.assign(measured, await measureEach(served.steps, times));
    } finally {
      await served.stop();
    }
  }
  return measured;
}
