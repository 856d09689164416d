// What a browser gets where there is no page: the ways to those that there are.

import { here, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";

sayAll();
themeButton(null);
document.title = say("not_found");
for (const link of document.querySelectorAll("a")) link.href = here(link.getAttribute("href"));
