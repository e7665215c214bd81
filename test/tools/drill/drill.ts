import { givenLiveProgram } from "../../harness/given-live-program.ts";
import { SmokeConnection } from "../smoke/deployment.ts";
import { smoke } from "../smoke/smoke.ts";
import { notificationsIn } from "./notifications.ts";
import { checkRestored, copyTables, keepBeside, type Practice, register, startTraffic } from "./practice.ts";

/**
 * Copies the store of a platform under traffic and starts a platform on the copy. Books and lists
 * must be in order, requests succeed, and undelivered notifications be sent.
 */
export async function drill(practice: Practice): Promise<void> {
  const { receiver, step } = practice;
  const [first, second] = [practice.placeOf("before"), practice.placeOf("restored")];
  const before = await practice.start(first);
  step("A platform serves");
  const program = await givenLiveProgram(before.connection);
  const { programId } = program;
  const cardId = await register(program, receiver);
  const traffic = startTraffic(async () => {
    const request = { path: { cardId }, body: { amount: 100 } };
    const { status } = await program.call("POST /cards/{cardId}/authorizations", request);
    if (status !== 200) throw new Error(`Authorizations are answered ${status}.`);
  });
  await traffic.isUnderWay;
  const copiedAt = new Date();
  copyTables(first, second);
  keepBeside(first, second);
  step("The store is copied while authorizations go on");
  const authorizations = await traffic.stop();
  await program.close();
  await before.stop();
  step(`The platform is gone, after ${authorizations} authorizations`);
  const arrivedBefore = receiver.received.length;

  const restored = await practice.start(second);
  step("A platform serves from the copy");
  const { all, delivered } = await notificationsIn(restored.connection.store, programId);
  const undelivered = [...all].filter((id) => !delivered.has(id));
  await checkRestored(practice, restored, { programId, copiedAt });
  await smoke(SmokeConnection.parse(restored.connection), () => {});
  step("The smoke test passes");
  const arrived = receiver.received.slice(arrivedBefore).map(({ headers }) => headers["webhook-id"]);
  const missing = undelivered.filter((id) => !arrived.includes(id));
  if (undelivered.length === 0) throw new Error("The copy has no notifications: the drill proves nothing.");
  if (missing.length > 0) throw new Error(`These notifications have not arrived: ${missing.join(", ")}.`);
  step(`The copy sends all of the ${undelivered.length} notifications that it does not know as delivered`);
}
