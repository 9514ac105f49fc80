// Eight buttons of the player's own, each with a line that it types.

import { button, fill, find, kept, make } from "./dom.js";
import { strip } from "./secrets.js";

const COUNT = 8;
const AT_FIRST = ["look", "score", "get all corpse", "wear all", "rest", "stand", "flee", "who"];

export class OwnButtons {
  #lines = kept.get("buttons", AT_FIRST);
  #dialog = find("#own-edit");
  #fields = [];

  /** `send(line)` types a command. */
  constructor(send) {
    this.send = send;
    this.#fields = Array.from({ length: COUNT }, (_, at) => {
      return make("input", { "aria-label": `Button ${at + 1}`, maxlength: "200", autocapitalize: "none", spellcheck: "false" });
    });
    find("form div", this.#dialog).append(...this.#fields);
    this.#dialog.addEventListener("close", () => this.#keep());
    this.#draw();
  }

  #draw() {
    const typing = this.#lines.filter(Boolean).map((line, at) => button(line, `own ${at}`, () => this.send(line)));
    const change = button("Change …", "own change", () => this.#change());
    change.className = "change";
    fill(find("#own"), [...typing, change]);
  }

  #change() {
    this.#fields.forEach((field, at) => (field.value = this.#lines[at] ?? ""));
    this.#dialog.showModal();
  }

  #keep() {
    // A password is not kept here either: the button types what stands before it.
    this.#lines = this.#fields.map((field) => strip(field.value.trim()).line);
    kept.set("buttons", this.#lines);
    this.#draw();
  }
}
