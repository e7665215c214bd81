import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { flag } from "../../infra/command-line/options.ts";
import { progress, say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "site",
  summary: "builds the docs as a static site in .site, with llms.txt, and checks every link",
  options: { llms: flag("only writes llms.txt") },
  failsIf: "it failed, or a link, an anchor or a named file does not exist",
  run: async ({ options: { llms } }) => {
    const { writeFileSync } = await import("node:fs");
    const { renderLlms, readPages } = await import("./site/pages.ts");
    const pages = readPages();
    writeFileSync("llms.txt", renderLlms(pages));
    say("llms.txt written.");
    if (llms) return true;
    const { buildSite } = await import("./site/build.ts");
    const { faultsOfSite } = await import("./site/check-links.ts");
    progress(`building ${pages.length} pages`);
    await buildSite(pages, ".site");
    progress("checking links");
    const faults = faultsOfSite(".site", pages);
    for (const fault of faults) say(fault);
    say(`${pages.length} pages in .site, ${faults.length} faults.`);
    return faults.length === 0;
  },
});

if (import.meta.main) await runCommand(command);
