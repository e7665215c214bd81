const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

if (window.SwaggerUIBundle === undefined) {
  document.querySelector("#reference").textContent =
    "The viewer could not be installed: the terminal of npm start says why. Reload to try again, or read /openapi.json.";
} else {
  const read = async (path) => (await fetch(path)).json();
  const [spec, { baseUrl, sandboxUrl }] = await Promise.all([read("/openapi.json"), read("/address")]);
  // The document names a deployed environment: what runs here has an address of its own.
  if (baseUrl) spec.servers = [{ url: baseUrl, description: "The platform on this machine" }];
  for (const operations of Object.values(spec.paths))
    if (operations.servers && sandboxUrl) operations.servers = [{ url: sandboxUrl }];
  // A browser has no client certificate of the platform's: the reference is for reading.
  SwaggerUIBundle({
    spec,
    dom_id: "#reference",
    supportedSubmitMethods: [],
    docExpansion: "none",
    validatorUrl: null,
  });
}
