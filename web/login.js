// The way in: a name with its password, and the questions that make a new character.

import { answeredByPage } from "./creation.js";
import { button, fill, find, make } from "./dom.js";

/** What was asked of the server. */
const KNOWN = "known";
const NEW = "new";
const TOKEN = "token";
const FEATURES = ["vars", "resume", "rich"];
/** Errors that say nothing of the token; those after which the connection stays want another try. */
const PASSING = new Set(["restarting", "shutting_down", "server_full", "login_timeout"]);
const LATER = new Set(["rate_limited", "internal"]);
const LATER_MS = 3000;
/** Stages of creation where the answer `?` tells what the choices mean. */
const EXPLAINED = new Set(["race", "class"]);
const WANTED = {
  name: "A name has 2 to 20 letters from A to Z; after the first, digits, _ and - may be among them.",
  password: "Type your password. For a new character, think of one: eight letters or more.",
};

export class Login {
  #gate = find("#gate");
  /** Who comes in was made just now. */
  isNew = false;
  #forms = { login: find("#login"), again: find("#again"), creation: find("#creation") };
  #asked = null;
  #name = "";
  #password = "";
  #question = null;
  /** Whether the newest answer led back. */
  #isBack = false;
  /** The stage of creation whose choices were asked about, and a line of each. */
  #explained = { stage: "", lines: [] };

  constructor(connection) {
    this.connection = connection;
    this.#forms.login.addEventListener("submit", (event) => this.#submit(event));
    this.#forms.again.addEventListener("submit", (event) => this.#repeat(event));
    find(".back", this.#forms.again).addEventListener("click", () => this.show());
  }

  /** Shows the form, with why it is there again; `isFarewell`: nothing is wrong. */
  show(problem = "", isFarewell = false) {
    this.connection.close();
    this.#password = "";
    this.#question = null;
    this.#asked = null;
    sessionStorage.removeItem("token");
    this.#turnTo("login", problem);
    const login = this.#forms.login;
    find(".problem", login).classList.toggle("farewell", isFarewell);
    login.elements.name.value ||= this.#name;
    this.#gate.hidden = false;
    (login.elements.name.value ? login.elements.password : login.elements.name).focus();
  }

  /** A token of before the page was loaded anew. */
  resume() {
    if (!sessionStorage.getItem("token")) return this.show();
    this.#asked = TOKEN;
    this.connection.open();
  }

  opened() {
    const token = sessionStorage.getItem("token");
    if (token) {
      this.#asked = TOKEN;
      const resume = this.connection.resume();
      this.connection.send("login", { token, features: FEATURES, ...(resume && { resume }) });
    } else if (this.#password) {
      this.#ask(KNOWN);
    } else {
      this.show("The connection was lost. Come in again.");
    }
  }

  entered(token, name) {
    this.#name = name;
    this.#password = "";
    this.#asked = null;
    if (token) sessionStorage.setItem("token", token);
    for (const form of [this.#forms.login, this.#forms.again]) form.reset();
    this.#gate.hidden = true;
  }

  /** The game goes on where it stopped. */
  cameBack() {
    this.#asked = null;
    this.#gate.hidden = true;
  }

  /** Whether the frame was meant for the way in. */
  frame(type, data) {
    if (type === "char_create") {
      this.#question = data;
      if (this.#asked === NEW) {
        this.#asked = null;
        find("h2", this.#forms.again).textContent = `${this.#name} is a new name`;
        this.#turnTo("again");
        this.#forms.again.elements.repeat.focus();
      } else if (!this.#forms.creation.hidden) {
        this.#drawQuestion();
      }
      return true;
    }
    if (type !== "error" || this.connection.playing || this.connection.goesOn) return false;
    if (this.#asked === TOKEN && (PASSING.has(data.code) || LATER.has(data.code))) {
      if (LATER.has(data.code)) setTimeout(() => this.connection.playing || this.opened(), LATER_MS);
    } else if (this.#asked === KNOWN && data.code === "bad_login") {
      // A wrong password, or a name that is free: only making it tells.
      this.#ask(NEW);
    } else if (this.#asked === NEW) {
      // The form lets through no name that could not be one, so somebody has it, or nobody may.
      const wrong = `${this.#name} is somebody already, and that is not the password. If you are new here, choose another name.`;
      this.show(data.code === "name_refused" ? wrong : data.message);
    } else if (this.#asked) {
      const problem = this.#asked === TOKEN ? "You were away for too long. Come in again." : data.message;
      this.show(problem);
    } else if (this.#explained.lines === null) {
      // The question comes again behind it, and is drawn with it.
      this.#explained.lines = data.message.split("\n");
    } else {
      find(".problem", this.#forms.creation).textContent = data.message;
    }
    return true;
  }

  #submit(event) {
    event.preventDefault();
    const { name, password } = this.#forms.login.elements;
    this.#name = name.value.trim();
    this.#password = password.value;
    this.isNew = false;
    const bad = [name, password].find((field) => !field.checkValidity());
    find(".problem", this.#forms.login).textContent = bad ? WANTED[bad.name] : "";
    if (bad) return bad.focus();
    this.connection.open();
  }

  #repeat(event) {
    event.preventDefault();
    const { repeat } = this.#forms.again.elements;
    if (repeat.value !== this.#password) {
      find(".problem", this.#forms.again).textContent = "These are two different passwords. Type the same one again.";
      repeat.value = "";
      repeat.focus();
      return;
    }
    this.isNew = true;
    this.#turnTo("creation");
    this.#drawQuestion();
  }

  #ask(what) {
    this.#asked = what;
    this.#isBack = false;
    this.#explained = { stage: "", lines: [] };
    const login = { player_name: this.#name, password: this.#password, features: FEATURES };
    this.connection.send("login", what === NEW ? { ...login, new_char: true } : login);
  }

  #turnTo(wanted, problem = "") {
    for (const [name, form] of Object.entries(this.#forms)) {
      form.hidden = name !== wanted;
      find(".problem", form).textContent = name === wanted ? problem : "";
    }
  }

  #drawQuestion() {
    const { stage, prompt, options, stats } = this.#question;
    const send = (choice) => this.connection.send("char_input", { choice });
    const own = answeredByPage(this.#question, this.#isBack);
    if (own !== null) return send(own);
    if (EXPLAINED.has(stage) && this.#explained.stage !== stage) {
      this.#explained = { stage, lines: null };
      return send("?");
    }
    const choose = (choice) => {
      this.#isBack = choice === "back";
      send(choice);
    };
    const form = this.#forms.creation;
    find("h2", form).textContent = prompt;
    find(".problem", form).textContent = "";
    const rolled = Object.entries(stats ?? {}).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]);
    fill(find("#rolled"), rolled);
    const lines = this.#explained.stage === stage ? (this.#explained.lines ?? []) : [];
    const answers = Object.entries(options).map(([key, text]) => {
      const answer = button(text, key, () => choose(key));
      const about = lines.find((line) => line.startsWith(`${text}. `));
      if (about) answer.append(" ", make("small", {}, about.slice(text.length + 2)));
      return answer;
    });
    // The page answers the question about terminals itself, so there is nothing before the next one.
    if (stage !== "sex") answers.push(button("Back", "back", () => choose("back")));
    fill(find("#options"), answers);
    answers[0]?.focus();
  }
}
