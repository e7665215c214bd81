if (window.SwaggerUIBundle === undefined) {
  document.querySelector("#reference").textContent =
    "The viewer could not be installed: the terminal of npm start says why. Reload to try again, or read /openapi.json.";
} else {
  // A browser has no client certificate of the platform's: the reference is for reading.
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#reference",
    supportedSubmitMethods: [],
    docExpansion: "none",
    validatorUrl: null,
  });
}
