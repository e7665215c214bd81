import { programs } from "../../shared/tenancy/programs/program.ts";
import type { Target } from "../commands/dead-letters/target.ts";
import { attentionTable, type SeenProgram } from "./attention.ts";
import type { Page } from "./page.ts";
import { scanAccounts } from "./tenant-pages.ts";
import { volumePlots } from "./volume-plots.ts";

/** Programs that are looked at; the others have their own pages. */
const mostPrograms = 20;

/** What needs attention, and how much is going on. */
export async function homePage(target: Target): Promise<Page> {
  const { items, next } = await scanAccounts("PROGRAM", "", mostPrograms);
  const seen = items.slice(0, mostPrograms).map((item): SeenProgram => programs.parse(item));
  const isAll = next === undefined && items.length <= mostPrograms;
  const [attention, plots] = await Promise.all([attentionTable(target, seen, isAll), volumePlots(seen)]);
  return { title: "Home", trail: [], sections: [attention, ...plots] };
}
