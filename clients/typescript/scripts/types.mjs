// Writes src/openapi.ts, the types of the decision API; with --check it only says
// whether they are those of the description.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const description = new URL("../../../internal/api/openapi.yaml", import.meta.url);
const file = new URL("../src/openapi.ts", import.meta.url);

/** What only says which members belong together is no type: as one it would be `unknown`. */
function constrains(branches) {
  return branches?.every((branch) => Object.keys(branch).every((key) => ["required", "not", "anyOf"].includes(key)));
}

const nodes = await openapiTS(description, {
  emptyObjectsUnknown: true,
  silent: true,
  transform(schema) {
    if (constrains(schema.anyOf)) delete schema.anyOf;
    if (constrains(schema.oneOf)) delete schema.oneOf;
    return undefined;
  },
});
const text = `// Made from internal/api/openapi.yaml by "npm run types": don't edit it.\n\n${astToString(nodes)}`;

if (!process.argv.includes("--check")) {
  await writeFile(file, text);
} else if ((await readFile(file, "utf8")) !== text) {
  console.error("src/openapi.ts is not what internal/api/openapi.yaml says: run npm run types");
  process.exitCode = 1;
}
