import { untilStopped } from "../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { flag, number } from "../../infra/command-line/options.ts";
import { progress, say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "site",
  summary: "builds the docs as a static site in .site, with llms.txt, and checks every link",
  options: {
    llms: flag("only writes llms.txt"),
    serve: flag("then serves the site on this machine, until Ctrl-C"),
    port: number("the port of --serve; 0 takes a free one", { least: 0, most: 65_535, fallback: 8_480 }),
  },
  failsIf: "it failed, or a link, an anchor or a named file does not exist",
  run: async ({ options: { llms, serve, port } }) => {
    const { writeFileSync } = await import("node:fs");
    const { renderLlms, readPages } = await import("./site/pages.ts");
    const pages = readPages();
    writeFileSync("llms.txt", renderLlms(pages));
    say("llms.txt written.");
    if (llms) return true;
    const { buildSite } = await import("./site/build.ts");
    const { faultsOfSite } = await import("./site/check-links.ts");
    progress(`building ${pages.length} pages, which takes half a minute`);
    await buildSite(pages, ".site");
    progress("checking links");
    const faults = faultsOfSite(".site", pages);
    for (const fault of faults) say(fault);
    say(`${pages.length} pages in .site, ${faults.length} faults.`);
    if (serve) await serveUntilStopped(port);
    return faults.length === 0;
  },
});

async function serveUntilStopped(port: number): Promise<void> {
  const { serveSite } = await import("./site/serve.ts");
  const { url, stop } = await serveSite(".site", port);
  say(`The pages are at ${url}. Ctrl-C ends it.`);
  await untilStopped();
  stop();
}

if (import.meta.main) await runCommand(command);
