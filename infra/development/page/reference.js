if (window.SwaggerUIBundle === undefined) {
  document.querySelector("#reference").textContent =
    "The viewer is installed when this page is first opened, from npm's registry. That failed: the terminal " +
    "of npm start has npm's message. Without the viewer, read /openapi.json.";
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
