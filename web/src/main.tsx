import { render } from "preact";
import { App } from "./app";
import { lab } from "./shell/state";
import "./style.css";
import "./shell/controls.css";
import "./shell/head.css";
import "./charts/charts.css";
// What a medium changes comes last.
import "./shell/media.css";

// Colors before the first picture: no flash of the other theme.
if (lab.peek().theme !== "auto") document.documentElement.dataset["theme"] = lab.peek().theme;

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(<App />, root);
}
