import { render } from "preact";
import { App } from "./app";
import { lab } from "./shell/state";
import "./style.css";

// Colors before the first picture: no flash of the other theme.
if (lab.peek().theme !== "auto") document.documentElement.dataset["theme"] = lab.peek().theme;

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(<App />, root);
}
