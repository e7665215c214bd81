// A browser has no client certificate of the platform's: the reference is for reading.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  supportedSubmitMethods: [],
  docExpansion: "none",
  validatorUrl: null,
});
