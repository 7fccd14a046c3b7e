// Builds a form for each operation of the OpenAPI document, and sends it. All text that comes from
// the gateway is set as text, never as markup. Users log in as in the console, once for both.

import { getJson, request } from "./console/api.js";
import { isLoggedIn, logOut } from "./console/session.js";

const SHOWN_MAX = 200000;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function schemaOf(api, schema) {
  if (schema.$ref) return api.components.schemas[schema.$ref.split("/").pop()];
  return schema;
}

function field(name, label, schema, example = "") {
  const id = "field-" + field.count++;
  let input;
  if (schema.enum) {
    input = element("select", { id, name }, element("option", { value: "", textContent: "" }));
    for (const each of schema.enum) input.append(element("option", { value: each, textContent: each }));
  } else {
    input = element("input", { id, name, autocomplete: "off", value: example });
  }
  return [element("label", { htmlFor: id, textContent: label }), input];
}
field.count = 0;

function bodyField(api, body) {
  const json = body.content["application/json"];
  const examples = Object.values(json.examples || {});
  const text = examples.length ? examples[0].value : {};
  const area = element("textarea", {
    id: "field-" + field.count++, name: "body", rows: 5, spellcheck: false,
    value: JSON.stringify(text, null, 2),
  });
  const parts = [element("label", { htmlFor: area.id, textContent: "JSON body" }), area];
  for (const [name, example] of Object.entries(json.examples || {})) {
    const button = element("button", { type: "button", textContent: "Example: " + name });
    button.addEventListener("click", () => { area.value = JSON.stringify(example.value, null, 2); });
    parts.push(button);
  }
  return parts;
}

function addressOf(path, parameters, form) {
  const query = new URLSearchParams();
  for (const each of parameters) {
    const value = form.elements[each.in + ":" + each.name].value;
    if (each.in === "path") path = path.replace("{" + each.name + "}", encodeURIComponent(value));
    else if (each.in === "query" && value !== "") query.set(each.name, value);
  }
  const text = query.toString();
  return "." + path + (text ? "?" + text : "");
}

// The text of a response; a stream of events is shown as it comes, and ended once it is long.
async function textOf(response, show) {
  const type = response.headers.get("content-type") || "";
  if (!type.startsWith("text/event-stream")) return response.text();
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = "";
  while (text.length <= SHOWN_MAX) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    show(text);
  }
  await reader.cancel();
  return text;
}

async function send(method, path, parameters, form, output) {
  const headers = {};
  for (const each of parameters) {
    const value = form.elements[each.in + ":" + each.name].value;
    if (each.in === "header" && value !== "") headers[each.name] = value;
  }
  const options = { method, headers };
  if (form.elements.body) {
    headers["Content-Type"] = "application/json";
    options.body = form.elements.body.value;
  }
  output.textContent = "…";
  output.className = "";
  try {
    const address = addressOf(path, parameters, form);
    const started = performance.now();
    const response = await request(address, options);
    let text = await textOf(response, (soFar) => { output.textContent = soFar; });
    const elapsed = Math.round(performance.now() - started);
    try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON */ }
    if (text.length > SHOWN_MAX) text = text.slice(0, SHOWN_MAX) + "\n…";
    output.className = response.ok ? "" : "failed";
    output.textContent = `${method} ${address}\n${response.status} in ${elapsed} ms\n\n${text}`;
  } catch (error) {
    output.className = "failed";
    output.textContent = String(error);
  }
}

function operation(api, method, path, described) {
  const form = element("form");
  if (described.description) form.append(element("p", { textContent: described.description }));
  const parameters = (described.parameters || []).filter((each) => !each.allowEmptyValue);
  for (const each of parameters) {
    const label = each.name + (each.required ? " (required)" : "");
    form.append(...field(each.in + ":" + each.name, label, schemaOf(api, each.schema), each.example));
  }
  if (described.requestBody) form.append(...bodyField(api, described.requestBody));
  const output = element("pre");
  output.setAttribute("aria-live", "polite");
  form.append(element("button", { type: "submit", textContent: "Send" }), output);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(method, path, parameters, form, output);
  });
  const title = element(
    "summary", {},
    element("span", { className: "method", textContent: method }),
    element("code", { textContent: path }), " ", described.summary,
  );
  return element("details", {}, title, form);
}

async function start() {
  const about = document.getElementById("about");
  try {
    const api = await getJson("openapi.json");
    document.getElementById("log-out").hidden = !isLoggedIn();
    const list = document.getElementById("operations");
    list.replaceChildren();
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, described] of Object.entries(methods)) {
        list.append(operation(api, method.toUpperCase(), path, described));
      }
    }
    about.textContent = `Version ${api.info.version}. ${api.info.description}`;
  } catch (error) {
    about.textContent = "The OpenAPI document cannot be read: " + error.message;
  }
}

document.getElementById("log-out").addEventListener("click", logOut);
start();
