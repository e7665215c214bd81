import { expect } from "vitest";
import type { Reply } from "../../../shared/authorizations/decisions/ask.ts";
import type { AuthorizationQuestion } from "../../../shared/contract/authorization-endpoint.ts";
import { endLease } from "../../../shared/controls/rulebooks.ts";
import { approve, decline, givenReceiver, heldBack } from "../given-receiver.ts";
import { deeds, request } from "./deeds.ts";
import { type Deed, expectLike, type Outcome, toJson, type World } from "./world.ts";

type Receiver = Awaited<ReturnType<typeof givenReceiver>>;
type Open = ReturnType<typeof heldBack> & {
  readonly question: AuthorizationQuestion;
  readonly outcome: Promise<Outcome>;
};

const receivers = new WeakMap<World, Receiver>();
const opened = new WeakMap<World, Open>();

function toReply(world: World, text: string, question: AuthorizationQuestion): Reply {
  if (text === "approve") return approve(question);
  return text === "decline" ? decline : toJson(world, text);
}

/** What the Program's own server is asked, and answers. */
export const questionDeeds: Readonly<Record<string, Deed>> = {
  /** `receiver approve`, `decline` or a reply, at first `with {...}`: how the endpoint is set. */
  receiver: async (world, text) => {
    const [, reply = "", endpoint = "{}"] = /^(.*?)(?: with (\{.*\}))?$/.exec(text) ?? [];
    const { programId } = world.program;
    const answer = (question: AuthorizationQuestion) => toReply(world, reply, question);
    const known = receivers.get(world);
    if (known) known.answer(answer);
    else receivers.set(world, await givenReceiver(programId, answer, toJson(world, endpoint)));
    endLease(programId);
    return { word: "done", isDone: true };
  },
  /** `open network authorization A 100`: up to its question. What is asked later is approved. */
  open: async (world, text) => {
    const [word = ""] = text.split(" ");
    const deed = deeds[word];
    const held = heldBack();
    await questionDeeds.receiver?.(world, "approve");
    receivers.get(world)?.answer(held.answer);
    const outcome = deed ? deed(world, text.slice(word.length + 1)) : request(world, text);
    const question = await held.asked;
    receivers.get(world)?.answer(approve);
    opened.set(world, { ...held, question, outcome });
    return { word: "asked", isDone: true, data: question };
  },
  /** `reply approve`, `decline`, a reply, or `kill`: what the open event came to then. */
  reply: async (world, text) => {
    const open = opened.get(world);
    if (!open) throw new Error("No question is open.");
    if (text === "kill") open.kill();
    else open.reply(toReply(world, text, open.question));
    return open.outcome;
  },
};

/** `asked [{...}]`: all questions so far, or `nothing`. */
export async function expectAsked(world: World, text: string): Promise<void> {
  const questions = receivers.get(world)?.questions;
  if (text === "nothing") expect(questions).toEqual([]);
  else expectLike(questions, toJson(world, text));
}
