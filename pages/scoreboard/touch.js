// The scoreboard's hand: answers the table from a screen that may act. That is one which has joined
// like a phone, or the table's own, which shows the PIN and joins with it at the first tap. To all
// others the page only shows.

import { ask, command, post } from "./play_api.js";

export class Touch {
  able = false;

  // `changed` is called when it turns out whether this screen may act.
  async look(changed = () => {}) {
    const able = Boolean(await this.#me()) || Boolean(await this.#pin());
    if (able === this.able) return;
    this.able = able;
    changed();
  }

  // One command on that document; resolves to the reply.
  async send(board, verb, data) {
    if (!(await this.#me())) await post("join", { pin: (await this.#pin()) ?? "" });
    return command(verb, board, data);
  }

  #me = async () => (await ask("me"))?.joined;
  #pin = async () => (await ask("invite"))?.pin;
}
