import { handler } from "../../functions/deadlines/handler.ts";
import { lambdaContext } from "./replay.ts";

export const sweepDeadlines = () => handler({}, lambdaContext);
