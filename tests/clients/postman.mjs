import postman from "openapi-to-postmanv2";

/** The collection that Postman makes when it imports an OpenAPI document, with the options of its import dialog. */
export const importIntoPostman = (document) =>
  new Promise((resolve, reject) =>
    postman.convertV2({ type: "string", data: document }, {}, (error, made) =>
      made?.result ? resolve(made.output[0].data) : reject(error ?? new Error(made.reason)),
    ),
  );
